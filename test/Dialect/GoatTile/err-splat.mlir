// RUN: goat-opt %s -split-input-file -verify-diagnostics
// goat_tile.splat refuses results of other elements and without an encoding.

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
