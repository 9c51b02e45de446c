// RUN: goat-opt %s -split-input-file -verify-diagnostics
// goat.causal_mask reads offsets, so there must be some.

// (C1) outside
func.func @outside(%i: index) {
  // expected-error @+1 {{(C1) expected to stand inside a region of goat.attention, whose offsets it reads}}
  %t = goat.causal_mask %i, %i, %i
  return
}
