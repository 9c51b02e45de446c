// RUN: goat-opt %s --goat-choose-schedule --convert-goat-to-goat-tile --split-input-file --verify-diagnostics
// Tensor cores of flash_mma take 16-bit elements.

func.func @layer(%q: tensor<1x4x8x64xf32>, %v: tensor<1x4x8x64xf32>) -> tensor<1x4x8x64xf32> {
  // expected-error @below {{expected bf16 or f16 for the schedule flash_mma but got 'f32'; cast query, key and value, or run the reference}}
  %0 = goat.attention %q, %q, %v : (tensor<1x4x8x64xf32>, tensor<1x4x8x64xf32>, tensor<1x4x8x64xf32>) -> (tensor<1x4x8x64xf32>)
  return %0 : tensor<1x4x8x64xf32>
}
