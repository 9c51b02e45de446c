// RUN: goat-opt %s --goat-choose-schedule --convert-goat-to-goat-tile --split-input-file --verify-diagnostics
// Captured tensors that are too small for the coordinates that index them. The
// attention has one batch entry, four heads, and eight queries and keys.

func.func @layer(%q: tensor<1x4x8x64xbf16>, %x: tensor<2xf32>) -> tensor<1x4x8x64xbf16> {
  %0 = goat.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-error @below {{expected the index of dimension 0 to stay in [0, 2) but it goes up to 3; pass a captured tensor that covers it}}
    %p = tensor.extract %x[%h] : tensor<2xf32>
    %t = arith.addf %s, %p : f32
    goat.yield %t : f32
  } : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// -----

func.func @layer(%q: tensor<1x4x8x64xbf16>, %x: tensor<7xf32>) -> tensor<1x4x8x64xbf16> {
  %0 = goat.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-error @below {{expected the index of dimension 0 to stay in [0, 7) but it goes up to 7; pass a captured tensor that covers it}}
    %p = tensor.extract %x[%i] : tensor<7xf32>
    %t = arith.addf %s, %p : f32
    goat.yield %t : f32
  } : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// -----

func.func @layer(%q: tensor<1x4x8x64xbf16>, %x: tensor<4x7xf32>) -> tensor<1x4x8x64xbf16> {
  %0 = goat.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-error @below {{expected the index of dimension 1 to stay in [0, 7) but it goes up to 7; pass a captured tensor that covers it}}
    %p = tensor.extract %x[%h, %j] : tensor<4x7xf32>
    %t = arith.addf %s, %p : f32
    goat.yield %t : f32
  } : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// -----

func.func @layer(%q: tensor<1x4x8x64xbf16>, %x: tensor<0xf32>) -> tensor<1x4x8x64xbf16> {
  %0 = goat.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-error @below {{expected the index of dimension 0 to stay in [0, 0) but it goes up to 0; pass a captured tensor that covers it}}
    %p = tensor.extract %x[%b] : tensor<0xf32>
    %t = arith.addf %s, %p : f32
    goat.yield %t : f32
  } : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// -----

func.func @layer(%q: tensor<1x4x8x64xbf16>, %x: tensor<4xf32>) -> tensor<1x4x8x64xbf16> {
  %0 = goat.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %c4 = arith.constant 4 : index
    // expected-error @below {{expected the index of dimension 0 to stay in [0, 4) but it goes up to 4; pass a captured tensor that covers it}}
    %p = tensor.extract %x[%c4] : tensor<4xf32>
    %t = arith.addf %s, %p : f32
    goat.yield %t : f32
  } : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// -----

func.func @layer(%q: tensor<1x4x8x64xbf16>, %x: tensor<?xf32>) -> tensor<1x4x8x64xbf16> {
  %0 = goat.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %c = arith.constant -1 : index
    // expected-error @below {{expected an index of at least 0 but got -1}}
    %p = tensor.extract %x[%c] : tensor<?xf32>
    %t = arith.addf %s, %p : f32
    goat.yield %t : f32
  } : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}
