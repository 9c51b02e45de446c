// RUN: goat-opt %s -split-input-file -verify-diagnostics
// goat_tile.fold refuses other elements, results that are no part of the tile, and
// columns that lie in other threads.

#mma = #goat_tile.mma<warps = 1>
func.func @fold_c1_element(%t: tensor<16x16xi32, #mma>) {
  // expected-error@+1 {{(C1) expected an f32 tile of rank 2 but got}}
  %r = goat_tile.fold %t : tensor<16x16xi32, #mma> -> tensor<16x8xi32, #mma>
  return
}

// -----

#mma = #goat_tile.mma<warps = 1>
func.func @fold_c1_rows(%t: tensor<32x16xf32, #mma>) {
  // expected-error@+1 {{(C1) expected the result to have the tile's rows, element type and encoding but got}}
  %r = goat_tile.fold %t : tensor<32x16xf32, #mma> -> tensor<16x8xf32, #mma>
  return
}

// -----

#mma = #goat_tile.mma<warps = 1>
func.func @fold_c2_divides(%t: tensor<16x24xf32, #mma>) {
  // expected-error@+1 {{(C2) expected the result's columns to divide the tile's, 24, but got 16}}
  %r = goat_tile.fold %t : tensor<16x24xf32, #mma> -> tensor<16x16xf32, #mma>
  return
}
