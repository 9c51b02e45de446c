// RUN: goat-opt %s -split-input-file -verify-diagnostics
// goat_tile.round_tf32 rounds rows of f32 that can be copied.

func.func @c1_element(%b: !goat_tile.buffer<16x16xf16>) {
  // expected-error@+1 {{(C1) expected a buffer of rank 2 of f32 but got '!goat_tile.buffer<16x16xf16>'}}
  goat_tile.round_tf32 %b : !goat_tile.buffer<16x16xf16>
  return
}

// -----

func.func @c1_rank(%b: !goat_tile.buffer<2x16x16xf32>) {
  // expected-error@+1 {{(C1) expected a buffer of rank 2 of f32 but got '!goat_tile.buffer<2x16x16xf32>'}}
  goat_tile.round_tf32 %b : !goat_tile.buffer<2x16x16xf32>
  return
}

// -----

func.func @c2(%b: !goat_tile.buffer<16x6xf32>) {
  // expected-error@+1 {{(C2) expected the buffer's rows to be a multiple of 16 bytes but got 24 bytes}}
  goat_tile.round_tf32 %b : !goat_tile.buffer<16x6xf32>
  return
}
