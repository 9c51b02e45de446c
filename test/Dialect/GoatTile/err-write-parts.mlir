// RUN: goat-opt %s -split-input-file -verify-diagnostics
// goat_tile.write_parts refuses other elements and other buffers.

#lin = #goat_tile.linear<threads = 32>
func.func @write_parts_c1(%v: tensor<64xi32, #lin>, %b: !goat_tile.buffer<64x8xbf16>) {
  // expected-error@+1 {{(C1) expected an f32 vector with a goat_tile encoding but got}}
  goat_tile.write_parts %v, %b : tensor<64xi32, #lin>, !goat_tile.buffer<64x8xbf16>
  return
}

// -----

#lin = #goat_tile.linear<threads = 32>
func.func @write_parts_c2(%v: tensor<64xf32, #lin>, %b: !goat_tile.buffer<64xf32>) {
  // expected-error@+1 {{(C2) expected a buffer of 64x8xbf16, not swizzled, but got}}
  goat_tile.write_parts %v, %b : tensor<64xf32, #lin>, !goat_tile.buffer<64xf32>
  return
}
