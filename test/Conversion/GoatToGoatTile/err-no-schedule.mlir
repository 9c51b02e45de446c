// RUN: goat-opt %s --convert-goat-to-goat-tile --verify-diagnostics
// The conversion builds what a schedule says and chooses none.

func.func @layer(%q: tensor<1x4x8x64xbf16>) -> tensor<1x4x8x64xbf16> {
  // expected-error @below {{expected the attribute goat_tile.schedule on goat.attention; run --goat-choose-schedule}}
  %0 = goat.attention %q, %q, %q : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}
