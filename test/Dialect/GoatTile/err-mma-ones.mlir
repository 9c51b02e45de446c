// RUN: goat-opt %s -split-input-file -verify-diagnostics
// goat_tile.mma_ones refuses other accumulators, and buffers that are no 8 columns.

#op = #goat_tile.mma_operand<warps = 1>
func.func @mma_ones_c1(%b: !goat_tile.buffer<16x8xbf16>, %c: tensor<16x16xf32, #op>) {
  // expected-error@+1 {{(C1) expected the accumulator to be an f32 tile in #goat_tile.mma but got}}
  %r = goat_tile.mma_ones %b, %c : !goat_tile.buffer<16x8xbf16> -> tensor<16x16xf32, #op>
  return
}

// -----

#mma = #goat_tile.mma<warps = 1>
func.func @mma_ones_c2(%b: !goat_tile.buffer<8x8xbf16>, %c: tensor<16x16xf32, #mma>) {
  // expected-error@+1 {{(C2) expected b to be a buffer of 16x8xbf16, not swizzled, but got}}
  %r = goat_tile.mma_ones %b, %c : !goat_tile.buffer<8x8xbf16> -> tensor<16x16xf32, #mma>
  return
}
