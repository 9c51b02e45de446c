// RUN: goat-opt %s -split-input-file -verify-diagnostics
// goat_tile.expand refuses vectors that are no slice of its result.

#mma = #goat_tile.mma<warps = 1>
#col = #goat_tile.slice<axis = 0, #mma>
func.func @expand_c1_vector(%v: tensor<8xf32, #col>) {
  // expected-error@+1 {{(C1) expected the vector to be 'tensor<16xf32, #goat_tile.slice<axis = 1, #goat_tile.mma<warps = 1>>>' but got}}
  %r = goat_tile.expand %v axis = 1 : tensor<8xf32, #col> -> tensor<16x8xf32, #mma>
  return
}

// -----

#linear = #goat_tile.linear<threads = 32>
func.func @expand_c1_result(%v: tensor<8xf32, #linear>) {
  // expected-error@+1 {{(C1) expected the result to be a tile of rank 2 but got 'tensor<8xf32>'}}
  %r = goat_tile.expand %v axis = 1 : tensor<8xf32, #linear> -> tensor<8xf32>
  return
}
