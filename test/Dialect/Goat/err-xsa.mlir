// RUN: goat-opt %s -split-input-file -verify-diagnostics
// What goat.xsa refuses, constraint by constraint.

// (C1) one type
func.func @types(%y: tensor<8xf32>, %own: tensor<4xf32>) {
  // expected-error @+1 {{failed to verify that all of {row, own, result} have same type}}
  %0 = "goat.xsa"(%y, %own) : (tensor<8xf32>, tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

// (C1) a row
func.func @rank(%y: tensor<2x8xf32>) {
  // expected-error @+1 {{operand #0 must be 1D tensor of 32-bit float values}}
  %0 = goat.xsa %y, %y : tensor<2x8xf32>
  return
}

// -----

// (C2) negative
func.func @negative(%y: tensor<8xf32>) {
  // expected-error @+1 {{(C2) expected eps to be finite and positive; for no guard but at v = 0 use the mode where}}
  %0 = goat.xsa %y, %y {eps = -1.0e-6 : f32} : tensor<8xf32>
  return
}

// -----

// (C2) not finite
func.func @infinite(%y: tensor<8xf32>) {
  // expected-error @+1 {{(C2) expected eps to be finite and positive; for no guard but at v = 0 use the mode where}}
  %0 = goat.xsa %y, %y {eps = 0x7F800000 : f32} : tensor<8xf32>
  return
}

// -----

// (C2) zero
func.func @zero(%y: tensor<8xf32>) {
  // expected-error @+1 {{(C2) expected eps to be finite and positive}}
  %0 = goat.xsa %y, %y {eps = 0.0 : f32} : tensor<8xf32>
  return
}
