// RUN: goat-opt %s -split-input-file -verify-diagnostics
// goat.gather_row refuses columns that do not fit its result.

// (C1) no size
func.func @dynamic(%x: tensor<8xf32>, %c: tensor<?xi32>) {
  // expected-error @+1 {{(C1) expected a row of static, positive size but got 'tensor<?xf32>'}}
  %0 = goat.gather_row %x[%c] : tensor<8xf32>, tensor<?xi32> -> tensor<?xf32>
  return
}

// -----

// (C1) two sizes
func.func @sizes(%x: tensor<8xf32>, %c: tensor<4xi32>) {
  // expected-error @+1 {{(C1) expected columns and the result to have one size but got 'tensor<4xi32>' and 'tensor<8xf32>'}}
  %0 = goat.gather_row %x[%c] : tensor<8xf32>, tensor<4xi32> -> tensor<8xf32>
  return
}
