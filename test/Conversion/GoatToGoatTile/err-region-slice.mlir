// RUN: goat-opt %s --goat-choose-schedule --convert-goat-to-goat-tile --split-input-file --verify-diagnostics
// Slices of captured tensors that are not one row.

func.func @half(%q: tensor<1x4x8x64xbf16>, %gate: tensor<1x4x8x64xf32>) -> tensor<1x4x8x64xbf16> {
  %0 = goat.attention %q, %q, %q exclude {
  ^bb0(%y: tensor<64xf32>, %own: tensor<64xf32>, %b: index, %h: index, %i: index):
    // expected-error @below {{expected a slice to be one row of 64 elements along the last dimension, with strides of 1, in an exclusion; read other elements with tensor.extract}}
    %s = tensor.extract_slice %gate[%b, %h, %i, 0] [1, 1, 1, 32] [1, 1, 1, 1] : tensor<1x4x8x64xf32> to tensor<32xf32>
    %x = goat.row_sum %s : tensor<32xf32>
    %z = tensor.splat %x : tensor<64xf32>
    goat.yield %z : tensor<64xf32>
  } : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// -----

func.func @outside(%q: tensor<1x4x8x64xbf16>, %gate: tensor<1x4x4x64xf32>) -> tensor<1x4x8x64xbf16> {
  %0 = goat.attention %q, %q, %q exclude {
  ^bb0(%y: tensor<64xf32>, %own: tensor<64xf32>, %b: index, %h: index, %i: index):
    // expected-error @below {{expected the index of dimension 2 to stay in [0, 4) but it goes up to 7; pass a captured tensor that covers it}}
    %s = tensor.extract_slice %gate[%b, %h, %i, 0] [1, 1, 1, 64] [1, 1, 1, 1] : tensor<1x4x4x64xf32> to tensor<64xf32>
    %z = arith.mulf %y, %s : tensor<64xf32>
    goat.yield %z : tensor<64xf32>
  } : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// -----

func.func @moving(%q: tensor<1x4x8x64xbf16>, %gate: tensor<1x4x8x128xf32>, %first: i32) -> tensor<1x4x8x64xbf16> {
  %0 = goat.attention %q, %q, %q exclude {
  ^bb0(%y: tensor<64xf32>, %own: tensor<64xf32>, %b: index, %h: index, %i: index):
    %f = arith.index_cast %first : i32 to index
    // expected-error @below {{expected the row of a slice to begin at a constant}}
    %s = tensor.extract_slice %gate[%b, %h, %i, %f] [1, 1, 1, 64] [1, 1, 1, 1] : tensor<1x4x8x128xf32> to tensor<64xf32>
    %z = arith.mulf %y, %s : tensor<64xf32>
    goat.yield %z : tensor<64xf32>
  } : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}
