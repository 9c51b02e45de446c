// RUN: goat-opt %s -split-input-file -verify-diagnostics
// What goat.alibi refuses, constraint by constraint.

// (C1) heads
func.func @heads(%q: tensor<2x4x8x16xf32>, %slopes: tensor<3xf32>) {
  // expected-note @+1 {{the attention it belongs to}}
  %0 = goat.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-error @+1 {{(C1) expected slopes to have 1, 4 or 4 heads but got 'tensor<3xf32>'}}
    %t = goat.alibi slopes(%slopes : tensor<3xf32>) at (%h) distance %i
    goat.yield %t : f32
  } : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>)
  return
}

// -----

// (C2) place
func.func @place(%h: index, %d: index) {
  // expected-error @+1 {{(C2) expected to stand inside a region of goat.attention, whose heads it reads}}
  %t = goat.alibi at (%h) distance %d
  return
}
