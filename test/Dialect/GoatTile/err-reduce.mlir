// RUN: goat-opt %s -split-input-file -verify-diagnostics
// goat_tile.reduce refuses other axes and results, and axes that lie in several
// warps.

#mma = #goat_tile.mma<warps = 1>
#row = #goat_tile.slice<axis = 1, #mma>
func.func @reduce_c1_axis(%t: tensor<16x8xf32, #mma>) {
  // expected-error@+1 {{(C1) expected axis 0 or 1 but got 2}}
  %r = goat_tile.reduce sum %t axis = 2 : tensor<16x8xf32, #mma> -> tensor<16xf32, #row>
  return
}

// -----

#mma = #goat_tile.mma<warps = 1>
#row = #goat_tile.slice<axis = 1, #mma>
func.func @reduce_c1_element(%t: tensor<16x8xi32, #mma>) {
  // expected-error@+1 {{(C1) expected an f32 tile of rank 2 but got}}
  %r = goat_tile.reduce sum %t axis = 1 : tensor<16x8xi32, #mma> -> tensor<16xi32, #row>
  return
}

// -----

#mma = #goat_tile.mma<warps = 1>
#col = #goat_tile.slice<axis = 0, #mma>
func.func @reduce_c1_result(%t: tensor<16x8xf32, #mma>) {
  // expected-error@+1 {{(C1) expected the result to be 'tensor<16xf32, #goat_tile.slice<axis = 1, #goat_tile.mma<warps = 1>>>' but got}}
  %r = goat_tile.reduce sum %t axis = 1 : tensor<16x8xf32, #mma> -> tensor<8xf32, #col>
  return
}

// -----

#mma = #goat_tile.mma<warps = 2>
#col = #goat_tile.slice<axis = 0, #mma>
func.func @reduce_c2(%t: tensor<32x8xf32, #mma>) {
  // expected-error@+1 {{(C2) expected axis 0 to lie in one warp but #goat_tile.mma<warps = 2> spreads it over several; reduce the other axis or use one warp}}
  %r = goat_tile.reduce sum %t axis = 0 : tensor<32x8xf32, #mma> -> tensor<8xf32, #col>
  return
}
