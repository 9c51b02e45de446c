// RUN: goat-opt %s -split-input-file -verify-diagnostics
// goat_tile.fold refuses other elements, other rows, and results in which threads
// have no column of their own.

#mma = #goat_tile.mma<warps = 1>
#part = #goat_tile.mma_partial<warps = 1>
func.func @fold_c1_element(%t: tensor<16x16xi32, #mma>) {
  // expected-error@+1 {{(C1) expected an f32 tile of rank 2 but got}}
  %r = goat_tile.fold %t : tensor<16x16xi32, #mma> -> tensor<16x4xi32, #part>
  return
}

// -----

#mma = #goat_tile.mma<warps = 1>
#part = #goat_tile.mma_partial<warps = 1>
func.func @fold_c1_rows(%t: tensor<32x16xf32, #mma>) {
  // expected-error@+1 {{(C1) expected the result to have the tile's rows and element type but got}}
  %r = goat_tile.fold %t : tensor<32x16xf32, #mma> -> tensor<16x4xf32, #part>
  return
}

// -----

#mma = #goat_tile.mma<warps = 1>
func.func @fold_c2_columns(%t: tensor<16x24xf32, #mma>) {
  // expected-error@+1 {{(C2) expected each thread to hold the same rows in both and a column of its own in the result but got}}
  %r = goat_tile.fold %t : tensor<16x24xf32, #mma> -> tensor<16x8xf32, #mma>
  return
}

// -----

// expected-error@+1 {{does not lay out this tile: expected 4 columns but got 8}}
func.func @mma_partial_columns(%t: tensor<16x8xf32, #goat_tile.mma_partial<warps = 1>>) {
  return
}
