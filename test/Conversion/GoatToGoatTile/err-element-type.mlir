// RUN: goat-opt %s --convert-goat-to-goat-tile --verify-diagnostics
// A way to multiply f32 for elements that are not.

func.func @layer(%q: tensor<1x4x8x64xbf16>) -> tensor<1x4x8x64xbf16> {
  // expected-error @below {{expected a schedule with f32_product = tf32 for an attention of f32 but got 'bf16'; leave it out, products of 'bf16' are exact in f32}}
  %0 = goat.attention %q, %q, %q attributes {goat_tile.schedule = #goat_tile.schedule<flash_mma, rows = 128, keys = 64, warps = 4, stages = 2, f32_product = tf32>} : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}
