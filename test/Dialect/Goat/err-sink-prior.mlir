// RUN: goat-opt %s -split-input-file -verify-diagnostics
// What goat.sink_prior refuses, constraint by constraint.

// (C1) one_type
func.func @one_type(%q: tensor<2x4x8x16xf32>, %a0: tensor<4xf32>, %a1: tensor<1xf32>, %a2: tensor<4x6xf32>, %a3: tensor<4xf32>, %a4: tensor<4xf32>, %a5: tensor<1xf32>, %a6: tensor<2xf32>, %n: f32) {
  %0 = goat.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-error @+1 {{(C1) expected gain and bump to have one type but got 'tensor<4xf32>' and 'tensor<1xf32>'}}
    %t = goat.sink_prior %a0, %a1, mlp(%a2, %a3, %a4, %a5) frequencies %a6 length %n at (%h, %j) : tensor<4xf32>, tensor<1xf32>, tensor<4x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1xf32>, tensor<2xf32>
    goat.yield %t : f32
  } : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>)
  return
}

// -----

// (C1) heads
func.func @heads(%q: tensor<2x4x8x16xf32>, %a0: tensor<3xf32>, %a1: tensor<3xf32>, %a2: tensor<4x6xf32>, %a3: tensor<4xf32>, %a4: tensor<4xf32>, %a5: tensor<1xf32>, %a6: tensor<2xf32>, %n: f32) {
  // expected-note @+1 {{the attention it belongs to}}
  %0 = goat.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-error @+1 {{(C1) expected gain to have 1, 4 or 4 heads but got 'tensor<3xf32>'}}
    %t = goat.sink_prior %a0, %a1, mlp(%a2, %a3, %a4, %a5) frequencies %a6 length %n at (%h, %j) : tensor<3xf32>, tensor<3xf32>, tensor<4x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1xf32>, tensor<2xf32>
    goat.yield %t : f32
  } : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>)
  return
}

// -----

// (C2) features
func.func @features(%q: tensor<2x4x8x16xf32>, %a0: tensor<4xf32>, %a1: tensor<4xf32>, %a2: tensor<4x5xf32>, %a3: tensor<4xf32>, %a4: tensor<4xf32>, %a5: tensor<1xf32>, %a6: tensor<2xf32>, %n: f32) {
  %0 = goat.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-error @+1 {{(C2) expected hidden_weight to be 'tensor<4x6xf32>' but got 'tensor<4x5xf32>'}}
    %t = goat.sink_prior %a0, %a1, mlp(%a2, %a3, %a4, %a5) frequencies %a6 length %n at (%h, %j) : tensor<4xf32>, tensor<4xf32>, tensor<4x5xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1xf32>, tensor<2xf32>
    goat.yield %t : f32
  } : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>)
  return
}

// -----

// (C2) dynamic
func.func @dynamic(%q: tensor<2x4x8x16xf32>, %a0: tensor<4xf32>, %a1: tensor<4xf32>, %a2: tensor<4x6xf32>, %a3: tensor<4xf32>, %a4: tensor<4xf32>, %a5: tensor<1xf32>, %a6: tensor<?xf32>, %n: f32) {
  %0 = goat.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-error @+1 {{(C2) expected static shapes but got 'tensor<4x6xf32>' and 'tensor<?xf32>'}}
    %t = goat.sink_prior %a0, %a1, mlp(%a2, %a3, %a4, %a5) frequencies %a6 length %n at (%h, %j) : tensor<4xf32>, tensor<4xf32>, tensor<4x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1xf32>, tensor<?xf32>
    goat.yield %t : f32
  } : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>)
  return
}

// -----

// (C3) place
func.func @place(%h: index, %j: index, %a0: tensor<4xf32>, %a1: tensor<4xf32>, %a2: tensor<4x6xf32>, %a3: tensor<4xf32>, %a4: tensor<4xf32>, %a5: tensor<1xf32>, %a6: tensor<2xf32>, %n: f32) {
  // expected-error @+1 {{(C3) expected to stand inside a region of goat.attention, whose heads it reads}}
  %t = goat.sink_prior %a0, %a1, mlp(%a2, %a3, %a4, %a5) frequencies %a6 length %n at (%h, %j) : tensor<4xf32>, tensor<4xf32>, tensor<4x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1xf32>, tensor<2xf32>
  return
}
