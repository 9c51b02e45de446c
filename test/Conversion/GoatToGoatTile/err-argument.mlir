// RUN: goat-opt %s --goat-choose-schedule --convert-goat-to-goat-tile --split-input-file --verify-diagnostics
// Arguments that no launcher can pass.

// expected-error @below {{expected argument 1 to be a scalar or a tensor of f32, f16, bf16, i1, i8, i32 or i64 but got 'f64'; convert it before the call}}
func.func @layer(%q: tensor<1x4x8x64xbf16>, %x: f64) -> tensor<1x4x8x64xbf16> {
  %0 = goat.attention %q, %q, %q : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// -----

// expected-error @below {{expected argument 1 to be a scalar or a tensor of f32, f16, bf16, i1, i8, i32 or i64 but got 'i16'; convert it before the call}}
func.func @layer(%q: tensor<1x4x8x64xbf16>, %x: i16) -> tensor<1x4x8x64xbf16> {
  %0 = goat.attention %q, %q, %q : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// -----

// expected-error @below {{expected argument 1 to be a scalar or a tensor of f32, f16, bf16, i1, i8, i32 or i64 but got 'tensor<4xindex>'; convert it before the call}}
func.func @layer(%q: tensor<1x4x8x64xbf16>, %x: tensor<4xindex>) -> tensor<1x4x8x64xbf16> {
  %0 = goat.attention %q, %q, %q : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// -----

// expected-error @below {{expected argument 1 to be a scalar or a tensor of f32, f16, bf16, i1, i8, i32 or i64 but got 'tensor<*xf32>'; convert it before the call}}
func.func @layer(%q: tensor<1x4x8x64xbf16>, %x: tensor<*xf32>) -> tensor<1x4x8x64xbf16> {
  %0 = goat.attention %q, %q, %q : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// -----

// expected-error @below {{expected argument 1 to be a scalar or a tensor of f32, f16, bf16, i1, i8, i32 or i64 but got 'tensor<4xf64>'; convert it before the call}}
func.func @layer(%q: tensor<1x4x8x64xbf16>, %x: tensor<4xf64>) -> tensor<1x4x8x64xbf16> {
  %0 = goat.attention %q, %q, %q : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// -----

// expected-error @below {{expected sizes below 2^31 but got 4294967304 in argument 1; split the tensor into calls}}
func.func @size(%q: tensor<1x1x4x64xbf16>, %k: tensor<1x1x4294967304x64xbf16>) -> tensor<1x1x4x64xbf16> {
  %out = goat.attention %q, %k, %k attributes {goat_tile.schedule = #goat_tile.schedule<flash_mma, rows = 128, keys = 64, warps = 4, stages = 2>}
    : (tensor<1x1x4x64xbf16>, tensor<1x1x4294967304x64xbf16>, tensor<1x1x4294967304x64xbf16>) -> (tensor<1x1x4x64xbf16>)
  return %out : tensor<1x1x4x64xbf16>
}
