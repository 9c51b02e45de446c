// RUN: goat-opt %s -split-input-file -verify-diagnostics
// goat.prefix_mask reads offsets, so there must be some.

// (C1) outside
func.func @outside(%i: index, %n: i32) {
  // expected-error @+1 {{(C1) expected to stand inside a region of goat.attention, whose offsets it reads}}
  %m = goat.prefix_mask %i, %i length(%n)
  return
}
