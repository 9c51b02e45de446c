// RUN: goat-opt %s -split-input-file -verify-diagnostics
// goat.rms_norm refuses weights of another size and an eps that is none.

// (C1)
func.func @c1(%x: tensor<?xf32>) {
  // expected-error @+1 {{(C1) expected a row of static, positive size but got 'tensor<?xf32>'}}
  %0 = goat.rms_norm %x : tensor<?xf32>
  return
}

// -----

// (C2)
func.func @c2(%x: tensor<8xf32>, %w: tensor<4xf32>) {
  // expected-error @+1 {{(C2) expected the weight to be 'tensor<8xf32>' as the row is but got 'tensor<4xf32>'}}
  %0 = goat.rms_norm %x weight(%w : tensor<4xf32>) : tensor<8xf32>
  return
}

// -----

// (C3)
func.func @c3(%x: tensor<8xf32>) {
  // expected-error @+1 {{(C3) expected eps to be finite and not negative}}
  %0 = goat.rms_norm %x {eps = -1.0e-6 : f32} : tensor<8xf32>
  return
}
