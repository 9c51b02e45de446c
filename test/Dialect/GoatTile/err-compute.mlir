// RUN: goat-opt %s -split-input-file -verify-diagnostics
// What arithmetic on tiles refuses.

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

// -----

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

// -----

func.func @iota_c1() {
  // expected-error@+1 {{(C1) expected an i32 vector with a goat_tile encoding but got 'tensor<8xi64, #goat_tile.linear<threads = 32>>'}}
  %r = goat_tile.iota : tensor<8xi64, #goat_tile.linear<threads = 32>>
  return
}

// -----

func.func @convert_c1(%t: tensor<16x16xf32, #goat_tile.mma<warps = 1>>) {
  // expected-error@+1 {{(C1) expected one shape and element type but got}}
  %r = goat_tile.convert_layout %t : tensor<16x16xf32, #goat_tile.mma<warps = 1>> -> tensor<16x16xbf16, #goat_tile.mma_operand<warps = 1>>
  return
}

// -----

func.func @convert_c2(%t: tensor<32xf32, #goat_tile.linear<threads = 32>>) {
  // expected-error@+1 {{(C2) expected every element to stay in its thread between}}
  %r = goat_tile.convert_layout %t : tensor<32xf32, #goat_tile.linear<threads = 32>> -> tensor<32xf32, #goat_tile.slice<axis = 1, #goat_tile.mma<warps = 1>>>
  return
}

// -----

func.func @splat_c1_element(%x: f32) {
  // expected-error@+1 {{(C1) expected a tile of 'f32' with a goat_tile encoding but got 'tensor<8xf16, #goat_tile.linear<threads = 32>>'}}
  %r = goat_tile.splat %x : f32 -> tensor<8xf16, #goat_tile.linear<threads = 32>>
  return
}

// -----

func.func @splat_c1_encoding(%x: f32) {
  // expected-error@+1 {{(C1) expected a tile of 'f32' with a goat_tile encoding but got 'tensor<8xf32>'}}
  %r = goat_tile.splat %x : f32 -> tensor<8xf32>
  return
}
