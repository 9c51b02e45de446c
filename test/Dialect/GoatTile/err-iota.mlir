// RUN: goat-opt %s -split-input-file -verify-diagnostics
// goat_tile.iota refuses what is no vector of coordinates.

func.func @iota_c1() {
  // expected-error@+1 {{(C1) expected an i32 vector with a goat_tile encoding but got 'tensor<8xi64, #goat_tile.linear<threads = 32>>'}}
  %r = goat_tile.iota : tensor<8xi64, #goat_tile.linear<threads = 32>>
  return
}
