// RUN: goat-opt %s -split-input-file -verify-diagnostics
// goat.l2_norm refuses an eps that lets 0/0 through.

// (C1)
func.func @c1(%x: tensor<?xf32>) {
  // expected-error @+1 {{(C1) expected a row of static, positive size but got 'tensor<?xf32>'}}
  %0 = goat.l2_norm %x : tensor<?xf32>
  return
}

// -----

// (C2)
func.func @c2(%x: tensor<8xf32>) {
  // expected-error @+1 {{(C2) expected eps to be finite, positive and normal, so that a row of zeros stays one}}
  %0 = goat.l2_norm %x {eps = 0.0 : f32} : tensor<8xf32>
  return
}

// -----

// (C2) 1 over a subnormal number is infinite; the smallest normal one passes
func.func @c2_subnormal(%x: tensor<8xf32>) {
  %0 = goat.l2_norm %x {eps = 0x00800000 : f32} : tensor<8xf32>
  // expected-error @+1 {{(C2) expected eps to be finite, positive and normal, so that a row of zeros stays one}}
  %1 = goat.l2_norm %x {eps = 0x007FFFFF : f32} : tensor<8xf32>
  return
}
