// RUN: goat-opt %s -split-input-file -verify-diagnostics
// goat_tile.stage refuses buffers without stages.

func.func @stage_c1_ring(%b: !goat_tile.buffer<64x64xbf16, swizzled>, %i: i32) {
  // expected-error@+1 {{(C1) expected a ring of buffers but got '!goat_tile.buffer<64x64xbf16, swizzled>'}}
  %s = goat_tile.stage %b[%i] : !goat_tile.buffer<64x64xbf16, swizzled> -> !goat_tile.buffer<64xbf16>
  return
}

// -----

func.func @stage_c1_result(%b: !goat_tile.buffer<2x64x64xbf16, swizzled>, %i: i32) {
  // expected-error@+1 {{(C1) expected the result to be '!goat_tile.buffer<64x64xbf16, swizzled>' but got '!goat_tile.buffer<64x64xbf16>'}}
  %s = goat_tile.stage %b[%i] : !goat_tile.buffer<2x64x64xbf16, swizzled> -> !goat_tile.buffer<64x64xbf16>
  return
}
