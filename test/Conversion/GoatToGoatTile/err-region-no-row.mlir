// RUN: goat-opt %s --goat-choose-schedule --convert-goat-to-goat-tile --verify-diagnostics
// A score has no row whose elements could be summed.

func.func @score(%q: tensor<1x4x8x64xbf16>) -> tensor<1x4x8x64xbf16> {
  // expected-remark @below {{evaluates the score region element by element}}
  %0 = goat.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %row = tensor.splat %s : tensor<4xf32>
    // expected-error @below {{expected a row that varies over its elements}}
    %t = goat.row_sum %row : tensor<4xf32>
    goat.yield %t : f32
  } : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}
