// RUN: goat-opt %s --goat-choose-schedule --convert-goat-to-goat-tile --split-input-file --verify-diagnostics
// A sum over elements that are all one value.

func.func @layer(%q: tensor<1x4x8x64xbf16>) -> tensor<1x4x8x64xbf16> {
  %0 = goat.attention %q, %q, %q exclude {
  ^bb0(%y: tensor<64xf32>, %own: tensor<64xf32>, %b: index, %h: index, %i: index):
    %c = arith.constant dense<2.0> : tensor<64xf32>
    // expected-error @below {{expected a row that varies over its elements}}
    %x = goat.row_sum %c : tensor<64xf32>
    %z = tensor.splat %x : tensor<64xf32>
    goat.yield %z : tensor<64xf32>
  } : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}
