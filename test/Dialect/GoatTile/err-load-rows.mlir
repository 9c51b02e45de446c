// RUN: goat-opt %s -split-input-file -verify-diagnostics
// goat_tile.load_rows refuses tiles, rows, masks and columns that do not fit
// together.

#mma = #goat_tile.mma<warps = 1>
#row = #goat_tile.slice<axis = 1, #mma>
func.func @load_rows_c1(%p: !goat_tile.ptr<f32>, %r: tensor<16xi32, #row>, %m: tensor<16xi1, #row>, %s: i64) {
  // expected-error@+1 {{(C1) expected the result to be a tile of rank 2 of 'f32' but got}}
  %t = goat_tile.load_rows %p[%r] masked(%m) stride(%s) : !goat_tile.ptr<f32>, tensor<16xi32, #row>, tensor<16xi1, #row> -> tensor<16x8xbf16, #mma>
  return
}

// -----

#mma = #goat_tile.mma<warps = 1>
#row = #goat_tile.slice<axis = 1, #mma>
func.func @load_rows_c2(%p: !goat_tile.ptr<f32>, %r: tensor<16xi32, #row>, %m: tensor<16xi1, #goat_tile.linear<threads = 32>>, %s: i64) {
  // expected-error@+1 {{(C2) expected mask to be 'tensor<16xi1, #goat_tile.slice<axis = 1, #goat_tile.mma<warps = 1>>>' but got}}
  %t = goat_tile.load_rows %p[%r] masked(%m) stride(%s) : !goat_tile.ptr<f32>, tensor<16xi32, #row>, tensor<16xi1, #goat_tile.linear<threads = 32>> -> tensor<16x8xf32, #mma>
  return
}

// -----

#mma = #goat_tile.mma<warps = 1>
#row = #goat_tile.slice<axis = 1, #mma>
func.func @load_rows_c3(%p: !goat_tile.ptr<f32>, %r: tensor<16xi32, #row>, %m: tensor<16xi1, #row>, %s: i64) {
  // expected-error@+1 {{(C3) expected 1 to 8 columns but got 9}}
  %t = goat_tile.load_rows %p[%r] masked(%m) stride(%s) {columns = 9 : i64} : !goat_tile.ptr<f32>, tensor<16xi32, #row>, tensor<16xi1, #row> -> tensor<16x8xf32, #mma>
  return
}

// -----

#mma = #goat_tile.mma<warps = 1>
#row = #goat_tile.slice<axis = 1, #mma>
func.func @load_rows_c4(%p: !goat_tile.ptr<f32>, %r: tensor<16xi32, #row>, %m: tensor<16xi1, #row>, %s: i64) {
  // expected-error@+1 {{(C4) expected an alignment of a power of two from 4 to 16 bytes but got 2}}
  %t = goat_tile.load_rows %p[%r] masked(%m) stride(%s) {alignment = 2 : i64} : !goat_tile.ptr<f32>, tensor<16xi32, #row>, tensor<16xi1, #row> -> tensor<16x8xf32, #mma>
  return
}
