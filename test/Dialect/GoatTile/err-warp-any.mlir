// RUN: goat-opt %s -split-input-file -verify-diagnostics
// goat_tile.warp_any refuses what is no condition.

func.func @warp_any_c1(%t: tensor<16x8xf32, #goat_tile.mma<warps = 1>>) {
  // expected-error@+1 {{(C1) expected an i1 tile with a goat_tile encoding but got}}
  %r = goat_tile.warp_any %t : tensor<16x8xf32, #goat_tile.mma<warps = 1>>
  return
}
