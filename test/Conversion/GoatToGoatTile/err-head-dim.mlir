// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64 strip=tile key-terms=add" --convert-goat-to-goat-tile --split-input-file --verify-diagnostics
// Head dimensions that flash_mma has no tile for.

func.func @layer(%q: tensor<1x4x8x60xbf16>, %v: tensor<1x4x8x64xbf16>) -> tensor<1x4x8x64xbf16> {
  // expected-error @below {{expected a head dimension that is a multiple of 8, at most 256, for the schedule flash_mma but got 60 for query and key; pad with zeros to the next multiple of 8 and give the scale of the unpadded dimension as static_scale}}
  %0 = goat.attention %q, %q, %v : (tensor<1x4x8x60xbf16>, tensor<1x4x8x60xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// -----

func.func @layer(%q: tensor<1x4x8x264xbf16>, %v: tensor<1x4x8x64xbf16>) -> tensor<1x4x8x64xbf16> {
  // expected-error @below {{expected a head dimension that is a multiple of 8, at most 256, for the schedule flash_mma but got 264 for query and key; pad with zeros to the next multiple of 8 and give the scale of the unpadded dimension as static_scale}}
  %0 = goat.attention %q, %q, %v : (tensor<1x4x8x264xbf16>, tensor<1x4x8x264xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// -----

func.func @layer(%q: tensor<1x4x8x64xbf16>, %v: tensor<1x4x8x100xbf16>) -> tensor<1x4x8x100xbf16> {
  // expected-error @below {{expected a head dimension that is a multiple of 8, at most 256, for the schedule flash_mma but got 100 for value; pad with zeros to the next multiple of 8 and give the scale of the unpadded dimension as static_scale}}
  %0 = goat.attention %q, %q, %v : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x100xbf16>) -> (tensor<1x4x8x100xbf16>)
  return %0 : tensor<1x4x8x100xbf16>
}

// -----

func.func @layer(%q: tensor<1x4x8x64xbf16>, %v: tensor<1x4x8x272xbf16>) -> tensor<1x4x8x272xbf16> {
  // expected-error @below {{expected a head dimension that is a multiple of 8, at most 256, for the schedule flash_mma but got 272 for value; pad with zeros to the next multiple of 8 and give the scale of the unpadded dimension as static_scale}}
  %0 = goat.attention %q, %q, %v : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x272xbf16>) -> (tensor<1x4x8x272xbf16>)
  return %0 : tensor<1x4x8x272xbf16>
}
