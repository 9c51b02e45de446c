// RUN: goat-opt %s -split-input-file -verify-diagnostics
// goat_tile.store_rows refuses tiles, rows, masks and columns that do not fit
// together.

#mma = #goat_tile.mma<warps = 1>
#row = #goat_tile.slice<axis = 1, #mma>
func.func @store_rows_c2(%p: !goat_tile.ptr<f32>, %v: tensor<16x8xf32, #mma>, %r: tensor<16xi64, #row>, %m: tensor<16xi1, #row>, %s: i64) {
  // expected-error@+1 {{(C2) expected row to be 'tensor<16xi32, #goat_tile.slice<axis = 1, #goat_tile.mma<warps = 1>>>' but got}}
  goat_tile.store_rows %v, %p[%r] masked(%m) stride(%s) : tensor<16x8xf32, #mma>, !goat_tile.ptr<f32>, tensor<16xi64, #row>, tensor<16xi1, #row>
  return
}

// -----

#mma = #goat_tile.mma<warps = 1>
#row = #goat_tile.slice<axis = 1, #mma>
func.func @c1(%p: !goat_tile.ptr<f32>, %v: tensor<16xf32, #row>, %r: tensor<16xi32, #row>, %m: tensor<16xi1, #row>, %s: i64) {
  // expected-error@+1 {{(C1) expected the value to be a tile of rank 2 of 'f32' but got}}
  goat_tile.store_rows %v, %p[%r] masked(%m) stride(%s) : tensor<16xf32, #row>, !goat_tile.ptr<f32>, tensor<16xi32, #row>, tensor<16xi1, #row>
  return
}

// -----

#mma = #goat_tile.mma<warps = 1>
#row = #goat_tile.slice<axis = 1, #mma>
func.func @c3(%p: !goat_tile.ptr<f32>, %v: tensor<16x8xf32, #mma>, %r: tensor<16xi32, #row>, %m: tensor<16xi1, #row>, %s: i64) {
  // expected-error@+1 {{(C3) expected 1 to 8 columns but got 0}}
  goat_tile.store_rows %v, %p[%r] masked(%m) stride(%s) {columns = 0 : i64} : tensor<16x8xf32, #mma>, !goat_tile.ptr<f32>, tensor<16xi32, #row>, tensor<16xi1, #row>
  return
}

// -----

#mma = #goat_tile.mma<warps = 1>
#row = #goat_tile.slice<axis = 1, #mma>
func.func @c4(%p: !goat_tile.ptr<f32>, %v: tensor<16x8xf32, #mma>, %r: tensor<16xi32, #row>, %m: tensor<16xi1, #row>, %s: i64) {
  // expected-error@+1 {{(C4) expected an alignment of 4 bytes with a column_stride, one element, but got 8}}
  goat_tile.store_rows %v, %p[%r] masked(%m) stride(%s) column_stride(%s) {alignment = 8 : i64} : tensor<16x8xf32, #mma>, !goat_tile.ptr<f32>, tensor<16xi32, #row>, tensor<16xi1, #row>
  return
}
