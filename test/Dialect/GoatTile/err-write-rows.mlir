// RUN: goat-opt %s -split-input-file -verify-diagnostics
// goat_tile.write_rows refuses buffers of other columns and rows that are not there.

func.func @write_rows_c1(%b: !goat_tile.buffer<32x64xf32, swizzled>, %v: tensor<16x32xf32, #goat_tile.mma<warps = 1>>) {
  // expected-error@+1 {{(C1) expected a tile of 'f32' with an encoding and the columns of}}
  goat_tile.write_rows %v, %b : tensor<16x32xf32, #goat_tile.mma<warps = 1>>, !goat_tile.buffer<32x64xf32, swizzled>
  return
}

// -----

func.func @write_rows_c2(%b: !goat_tile.buffer<32x64xf32, swizzled>, %v: tensor<16x64xf32, #goat_tile.mma<warps = 1>>) {
  // expected-error@+1 {{(C2) expected first_row to be a multiple of 16 that leaves as many rows}}
  goat_tile.write_rows %v, %b {first_row = 32 : i64} : tensor<16x64xf32, #goat_tile.mma<warps = 1>>, !goat_tile.buffer<32x64xf32, swizzled>
  return
}
