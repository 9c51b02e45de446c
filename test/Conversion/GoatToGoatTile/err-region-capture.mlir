// RUN: goat-opt %s --goat-choose-schedule --convert-goat-to-goat-tile --split-input-file --verify-diagnostics
// Values from outside a region that a kernel does not have.

func.func @layer(%q: tensor<1x4x8x64xbf16>) -> tensor<1x4x8x64xbf16> {
  %table = arith.constant dense<[0.0, 1.0, 2.0, 3.0]> : tensor<4xf32>
  %0 = goat.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-error @below {{expected a captured tensor to be an argument of the function; pass what is computed outside as an argument}}
    %p = tensor.extract %table[%h] : tensor<4xf32>
    %t = arith.addf %s, %p : f32
    goat.yield %t : f32
  } : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// -----

func.func @layer(%q: tensor<1x4x8x64xbf16>) -> tensor<1x4x8x64xbf16> {
  %0 = goat.attention %q, %q, %q exclude {
  ^bb0(%y: tensor<64xf32>, %own: tensor<64xf32>, %b: index, %h: index, %i: index):
    %c0 = arith.constant 0 : index
    // expected-error @below {{expected a captured tensor to be an argument of the function; pass what is computed outside as an argument}}
    %x = tensor.extract %y[%c0] : tensor<64xf32>
    %z = tensor.splat %x : tensor<64xf32>
    goat.yield %z : tensor<64xf32>
  } : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// -----

func.func @layer(%q: tensor<1x4x8x64xbf16>) -> tensor<1x4x8x64xbf16> {
  // expected-error @below {{expected a value captured by a region to be an argument of the function or a scalar constant; pass what is computed outside as an argument}}
  %gain = arith.constant dense<2.0> : tensor<64xf32>
  %0 = goat.attention %q, %q, %q exclude {
  ^bb0(%y: tensor<64xf32>, %own: tensor<64xf32>, %b: index, %h: index, %i: index):
    %z = arith.mulf %y, %gain : tensor<64xf32>
    goat.yield %z : tensor<64xf32>
  } : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}
