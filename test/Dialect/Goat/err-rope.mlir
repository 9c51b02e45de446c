// RUN: goat-opt %s -split-input-file -verify-diagnostics
// goat.rope refuses pairs that a row has no columns for.

// (C1)
func.func @c1(%x: tensor<?xf32>, %w: tensor<4xf32>, %p: index) {
  // expected-error @+1 {{(C1) expected a row of static, positive size but got 'tensor<?xf32>'}}
  %0 = goat.rope %x, %w position %p : tensor<?xf32>, tensor<4xf32>
  return
}

// -----

// (C2) too many
func.func @many(%x: tensor<8xf32>, %w: tensor<4xf32>, %p: index) {
  // expected-error @+1 {{(C2) expected from 1 to 3 frequencies for the pairs of a row of 8 from column 1 on but got 'tensor<4xf32>'; leave out the frequencies that have no columns}}
  %0 = goat.rope %x, %w position %p {first = 1 : i64} : tensor<8xf32>, tensor<4xf32>
  return
}

// -----

// (C2) an unknown number
func.func @unknown(%x: tensor<8xf32>, %w: tensor<?xf32>, %p: index) {
  // expected-error @+1 {{(C2) expected from 1 to 4 frequencies for the pairs of a row of 8 from column 0 on but got 'tensor<?xf32>'}}
  %0 = goat.rope %x, %w position %p : tensor<8xf32>, tensor<?xf32>
  return
}

// -----

// (C3)
func.func @c3(%x: tensor<8xf32>, %w: tensor<4xf32>, %p: index) {
  // expected-error @+1 {{(C3) expected a finite magnitude}}
  %0 = goat.rope %x, %w position %p {magnitude = 0x7F800000 : f32} : tensor<8xf32>, tensor<4xf32>
  return
}
