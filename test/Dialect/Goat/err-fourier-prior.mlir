// RUN: goat-opt %s -split-input-file -verify-diagnostics
// What goat.fourier_prior refuses, constraint by constraint.

// (C1) one type
func.func @types(%q: tensor<2x4x8x16xf32>, %alpha: tensor<4x3xf32>, %beta: tensor<1x3xf32>, %omega: tensor<3xf32>) {
  %0 = goat.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-error @+1 {{(C1) expected alpha and beta to have one type but got 'tensor<4x3xf32>' and 'tensor<1x3xf32>'}}
    %t = goat.fourier_prior %alpha, %beta, %omega at (%b, %h) distance %i : tensor<4x3xf32>, tensor<1x3xf32>, tensor<3xf32>
    goat.yield %t : f32
  } : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>)
  return
}

// -----

// (C1) static head count
func.func @dynamic_heads(%q: tensor<2x4x8x16xf32>, %alpha: tensor<?x3xf32>, %beta: tensor<?x3xf32>, %omega: tensor<3xf32>) {
  %0 = goat.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-error @+1 {{(C1) expected alpha to have a static head count and a static, positive number of harmonics but got 'tensor<?x3xf32>'}}
    %t = goat.fourier_prior %alpha, %beta, %omega at (%b, %h) distance %i : tensor<?x3xf32>, tensor<?x3xf32>, tensor<3xf32>
    goat.yield %t : f32
  } : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>)
  return
}

// -----

// (C1) at least one harmonic
func.func @no_harmonic(%q: tensor<2x4x8x16xf32>, %alpha: tensor<4x0xf32>, %beta: tensor<4x0xf32>, %omega: tensor<0xf32>) {
  %0 = goat.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-error @+1 {{(C1) expected alpha to have a static head count and a static, positive number of harmonics but got 'tensor<4x0xf32>'}}
    %t = goat.fourier_prior %alpha, %beta, %omega at (%b, %h) distance %i : tensor<4x0xf32>, tensor<4x0xf32>, tensor<0xf32>
    goat.yield %t : f32
  } : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>)
  return
}

// -----

// (C1) rank
func.func @rank(%q: tensor<2x4x8x16xf32>, %alpha: tensor<3xf32>, %beta: tensor<3xf32>, %omega: tensor<3xf32>) {
  %0 = goat.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-error @+1 {{operand #0 must be 2D/3D tensor of 32-bit float values}}
    %t = goat.fourier_prior %alpha, %beta, %omega at (%b, %h) distance %i : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
    goat.yield %t : f32
  } : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>)
  return
}

// -----

// (C2) one frequency per harmonic
func.func @frequencies(%q: tensor<2x4x8x16xf32>, %alpha: tensor<4x3xf32>, %beta: tensor<4x3xf32>, %omega: tensor<2xf32>) {
  %0 = goat.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-error @+1 {{(C2) expected omega to have 3 elements, one per harmonic, but got 2}}
    %t = goat.fourier_prior %alpha, %beta, %omega at (%b, %h) distance %i : tensor<4x3xf32>, tensor<4x3xf32>, tensor<2xf32>
    goat.yield %t : f32
  } : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>)
  return
}

// -----

// (C3) head count
func.func @heads(%q: tensor<2x4x8x16xf32>, %alpha: tensor<3x3xf32>, %beta: tensor<3x3xf32>, %omega: tensor<3xf32>) {
  // expected-note @+1 {{the attention it belongs to}}
  %0 = goat.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-error @+1 {{(C3) expected alpha to have 1, 4 or 4 heads but got 3}}
    %t = goat.fourier_prior %alpha, %beta, %omega at (%b, %h) distance %i : tensor<3x3xf32>, tensor<3x3xf32>, tensor<3xf32>
    goat.yield %t : f32
  } : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>)
  return
}

// -----

// (C3) batch
func.func @batch(%q: tensor<2x4x8x16xf32>, %alpha: tensor<3x4x3xf32>, %beta: tensor<3x4x3xf32>, %omega: tensor<3xf32>) {
  // expected-note @+1 {{the attention it belongs to}}
  %0 = goat.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-error @+1 {{(C3) expected alpha to have 2 batch entries but got 3}}
    %t = goat.fourier_prior %alpha, %beta, %omega at (%b, %h) distance %i : tensor<3x4x3xf32>, tensor<3x4x3xf32>, tensor<3xf32>
    goat.yield %t : f32
  } : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>)
  return
}

// -----

// (C4) outside
func.func @outside(%alpha: tensor<4x3xf32>, %omega: tensor<3xf32>, %i: index) {
  // expected-error @+1 {{(C4) expected to stand inside a region of goat.attention, whose offsets it reads}}
  %t = goat.fourier_prior %alpha, %alpha, %omega at (%i, %i) distance %i : tensor<4x3xf32>, tensor<4x3xf32>, tensor<3xf32>
  return
}
