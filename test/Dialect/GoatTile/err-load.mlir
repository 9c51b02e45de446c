// RUN: goat-opt %s -split-input-file -verify-diagnostics
// goat_tile.load refuses offsets, results and masks that do not fit together.

func.func @load_c1_offset(%p: !goat_tile.ptr<f32>, %o: index) {
  // expected-error@+1 {{(C1) expected the offset to be i32, i64 or a tile of them but got 'index'}}
  %r = goat_tile.load %p[%o] : !goat_tile.ptr<f32>, index -> f32
  return
}

// -----

func.func @load_c1_result(%p: !goat_tile.ptr<f32>, %o: i32) {
  // expected-error@+1 {{(C1) expected the result to be 'f32' but got 'f16'}}
  %r = goat_tile.load %p[%o] : !goat_tile.ptr<f32>, i32 -> f16
  return
}

// -----

func.func @load_c2(%p: !goat_tile.ptr<f32>, %o: tensor<8xi32, #goat_tile.linear<threads = 32>>, %m: i1) {
  // expected-error@+1 {{(C2) expected the mask to be 'tensor<8xi1, #goat_tile.linear<threads = 32>>' but got 'i1'}}
  %r = goat_tile.load %p[%o] masked(%m : i1) : !goat_tile.ptr<f32>, tensor<8xi32, #goat_tile.linear<threads = 32>> -> tensor<8xf32, #goat_tile.linear<threads = 32>>
  return
}
