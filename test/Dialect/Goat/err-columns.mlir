// RUN: goat-opt %s -split-input-file -verify-diagnostics
// goat.columns refuses rows without a size.

// (C1)
func.func @c1() {
  // expected-error @+1 {{(C1) expected a row of static, positive size but got 'tensor<?xi32>'}}
  %0 = goat.columns : tensor<?xi32>
  return
}
