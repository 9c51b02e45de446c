// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64 strip=tile key-terms=add" --convert-goat-to-goat-tile --split-input-file --verify-diagnostics
// Schedules of the user that flash_mma cannot build.

func.func @layer(%q: tensor<1x4x8x64xbf16>) -> tensor<1x4x8x64xbf16> {
  // expected-error @below {{expected a schedule with 1, 2, 4 or 8 warps of 16 or 32 rows each but got 4 warps for 40 rows}}
  %0 = goat.attention %q, %q, %q attributes {goat_tile.schedule = #goat_tile.schedule<flash_mma, rows = 40, keys = 64, warps = 4, stages = 2>}
    : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// -----

func.func @layer(%q: tensor<1x4x8x64xbf16>) -> tensor<1x4x8x64xbf16> {
  // expected-error @below {{expected a schedule with 1, 2, 4 or 8 warps of 16 or 32 rows each but got 3 warps for 96 rows}}
  %0 = goat.attention %q, %q, %q attributes {goat_tile.schedule = #goat_tile.schedule<flash_mma, rows = 96, keys = 64, warps = 3, stages = 2>}
    : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// -----

func.func @layer(%q: tensor<1x4x8x64xbf16>) -> tensor<1x4x8x64xbf16> {
  // expected-error @below {{expected a schedule with 1, 2, 4 or 8 warps of 16 or 32 rows each but got 0 warps for 0 rows}}
  %0 = goat.attention %q, %q, %q attributes {goat_tile.schedule = #goat_tile.schedule<flash_mma, rows = 0, keys = 64, warps = 0, stages = 2>}
    : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// -----

func.func @layer(%q: tensor<1x4x8x64xbf16>) -> tensor<1x4x8x64xbf16> {
  // expected-error @below {{expected a schedule with 1, 2, 4 or 8 warps of 16 or 32 rows each but got 16 warps for 512 rows}}
  %0 = goat.attention %q, %q, %q attributes {goat_tile.schedule = #goat_tile.schedule<flash_mma, rows = 512, keys = 64, warps = 16, stages = 2>}
    : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// -----

func.func @layer(%q: tensor<1x4x8x64xbf16>) -> tensor<1x4x8x64xbf16> {
  // expected-error @below {{expected a schedule with a multiple of 16 keys, at most 128, but got 40}}
  %0 = goat.attention %q, %q, %q attributes {goat_tile.schedule = #goat_tile.schedule<flash_mma, rows = 128, keys = 40, warps = 4, stages = 2>}
    : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// -----

func.func @layer(%q: tensor<1x4x8x64xbf16>) -> tensor<1x4x8x64xbf16> {
  // expected-error @below {{expected a schedule with a multiple of 16 keys, at most 128, but got 0}}
  %0 = goat.attention %q, %q, %q attributes {goat_tile.schedule = #goat_tile.schedule<flash_mma, rows = 128, keys = 0, warps = 4, stages = 2>}
    : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// -----

func.func @layer(%q: tensor<1x4x8x64xbf16>) -> tensor<1x4x8x64xbf16> {
  // expected-error @below {{expected a schedule with a multiple of 16 keys, at most 128, but got 144}}
  %0 = goat.attention %q, %q, %q attributes {goat_tile.schedule = #goat_tile.schedule<flash_mma, rows = 128, keys = 144, warps = 4, stages = 2>}
    : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// -----

func.func @layer(%q: tensor<1x4x8x64xbf16>) -> tensor<1x4x8x64xbf16> {
  // expected-error @below {{expected a schedule with 2 to 4 stages but got 1}}
  %0 = goat.attention %q, %q, %q attributes {goat_tile.schedule = #goat_tile.schedule<flash_mma, rows = 128, keys = 64, warps = 4, stages = 1>}
    : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// -----

func.func @layer(%q: tensor<1x4x8x64xbf16>) -> tensor<1x4x8x64xbf16> {
  // expected-error @below {{expected a schedule with 2 to 4 stages but got 5}}
  %0 = goat.attention %q, %q, %q attributes {goat_tile.schedule = #goat_tile.schedule<flash_mma, rows = 128, keys = 64, warps = 4, stages = 5>}
    : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// -----

func.func @layer(%q: tensor<1x4x?x64xbf16>) -> tensor<1x4x?x64xbf16> {
  // expected-error @below {{expected a static number of keys for a schedule with strip = block but got a dynamic one; use strip = tile or strip = table}}
  %0 = goat.attention %q, %q, %q attributes {goat_tile.schedule = #goat_tile.schedule<flash_mma, rows = 128, keys = 64, warps = 4, stages = 2, strip = block>}
    : (tensor<1x4x?x64xbf16>, tensor<1x4x?x64xbf16>, tensor<1x4x?x64xbf16>) -> (tensor<1x4x?x64xbf16>)
  return %0 : tensor<1x4x?x64xbf16>
}
