// RUN: goat-opt %s -split-input-file -verify-diagnostics
// What goat.key_prior refuses, constraint by constraint.

// (C1) static head count
func.func @dynamic_heads(%q: tensor<2x4x8x16xf32>, %table: tensor<?x8xf32>) {
  %0 = goat.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-error @+1 {{(C1) expected the table to have a static head count but got 'tensor<?x8xf32>'}}
    %t = goat.key_prior %table at (%b, %h, %j) : tensor<?x8xf32>
    goat.yield %t : f32
  } : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>)
  return
}

// -----

// (C1) rank
func.func @rank(%q: tensor<2x4x8x16xf32>, %table: tensor<8xf32>) {
  %0 = goat.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-error @+1 {{operand #0 must be 2D/3D tensor of 32-bit float values}}
    %t = goat.key_prior %table at (%b, %h, %j) : tensor<8xf32>
    goat.yield %t : f32
  } : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>)
  return
}

// -----

// (C2) length
func.func @length(%q: tensor<2x4x8x16xf32>, %table: tensor<4x7xf32>) {
  %0 = goat.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-error @+1 {{(C2) expected the table's last dimension to be the key length 8 but got 7}}
    %t = goat.key_prior %table at (%b, %h, %j) : tensor<4x7xf32>
    goat.yield %t : f32
  } : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>)
  return
}

// -----

// (C3) head count
func.func @heads(%q: tensor<2x4x8x16xf32>, %table: tensor<2x8xf32>) {
  // expected-note @+1 {{the attention it belongs to}}
  %0 = goat.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-error @+1 {{(C3) expected the table to have 1, 4 or 4 heads but got 2}}
    %t = goat.key_prior %table at (%b, %h, %j) : tensor<2x8xf32>
    goat.yield %t : f32
  } : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>)
  return
}

// -----

// (C3) batch
func.func @batch(%q: tensor<2x4x8x16xf32>, %table: tensor<3x4x8xf32>) {
  // expected-note @+1 {{the attention it belongs to}}
  %0 = goat.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-error @+1 {{(C3) expected the table to have 2 batch entries but got 3}}
    %t = goat.key_prior %table at (%b, %h, %j) : tensor<3x4x8xf32>
    goat.yield %t : f32
  } : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>)
  return
}

// -----

// (C4) outside
func.func @outside(%table: tensor<4x8xf32>, %i: index) {
  // expected-error @+1 {{(C4) expected to stand inside a region of goat.attention, whose offsets it reads}}
  %t = goat.key_prior %table at (%i, %i, %i) : tensor<4x8xf32>
  return
}
