// RUN: goat-opt %s -split-input-file -verify-diagnostics
// goat_tile.mma_row_sum refuses accumulators and operands the multiply has none of.

#mma = #goat_tile.mma<warps = 1>
#op = #goat_tile.mma_operand<warps = 1>
func.func @mma_row_sum_c1(%a: tensor<16x16xbf16, #op>, %c: tensor<16x16xf32, #mma>) {
  // expected-error@+1 {{(C1) expected the accumulator to be an f32 tile of 8 columns in #goat_tile.mma but got}}
  %r = goat_tile.mma_row_sum %a, %c : tensor<16x16xbf16, #op> -> tensor<16x16xf32, #mma>
  return
}

// -----

#mma = #goat_tile.mma<warps = 1>
func.func @mma_row_sum_c2(%a: tensor<16x16xbf16, #mma>, %c: tensor<16x8xf32, #mma>) {
  // expected-error@+1 {{(C2) expected a to be a bf16 or f16 tile of 16 rows in #goat_tile.mma_operand<warps = 1> but got}}
  %r = goat_tile.mma_row_sum %a, %c : tensor<16x16xbf16, #mma> -> tensor<16x8xf32, #mma>
  return
}
