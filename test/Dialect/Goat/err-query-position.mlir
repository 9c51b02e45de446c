// RUN: goat-opt %s -split-input-file -verify-diagnostics
// goat.query_position reads offsets, so there must be some.

// (C1) outside
func.func @outside(%i: index) {
  // expected-error @+1 {{(C1) expected to stand inside a region of goat.attention, whose offsets it reads}}
  %t = goat.query_position %i, %i
  return
}
