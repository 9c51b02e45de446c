// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64 strip=tile key-terms=add" --convert-goat-to-goat-tile --split-input-file --verify-diagnostics
// Head dimensions that flash_mma has no tile for.

func.func @layer(%q: tensor<1x4x8x257xbf16>, %v: tensor<1x4x8x64xbf16>) -> tensor<1x4x8x64xbf16> {
  // expected-error @below {{expected a head dimension of at most 256 for the schedule flash_mma but got 257 for query and key; split the heads, or run the reference}}
  %0 = goat.attention %q, %q, %v : (tensor<1x4x8x257xbf16>, tensor<1x4x8x257xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// -----

func.func @layer(%q: tensor<1x4x8x64xbf16>, %v: tensor<1x4x8x272xbf16>) -> tensor<1x4x8x272xbf16> {
  // expected-error @below {{expected a head dimension of at most 256 for the schedule flash_mma but got 272 for value; split the heads, or run the reference}}
  %0 = goat.attention %q, %q, %v : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x272xbf16>) -> (tensor<1x4x8x272xbf16>)
  return %0 : tensor<1x4x8x272xbf16>
}
