// RUN: goat-opt %s -split-input-file -verify-diagnostics
// What goat.row_sum refuses.

// (C1) empty
func.func @empty(%row: tensor<0xf32>) {
  // expected-error @+1 {{(C1) expected a row of static, positive size but got 'tensor<0xf32>'}}
  %t = goat.row_sum %row : tensor<0xf32>
  return
}

// -----

// (C1) dynamic
func.func @dynamic(%row: tensor<?xf32>) {
  // expected-error @+1 {{(C1) expected a row of static, positive size but got 'tensor<?xf32>'}}
  %t = goat.row_sum %row : tensor<?xf32>
  return
}
