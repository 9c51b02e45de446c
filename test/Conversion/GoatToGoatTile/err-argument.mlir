// RUN: goat-opt %s --goat-choose-schedule --convert-goat-to-goat-tile --split-input-file --verify-diagnostics
// Arguments that no launcher can pass.

// expected-error @below {{expected argument 1 to be a tensor of f32, f16, bf16 or i32, or an f32 or i32 scalar, but got 'f64'; convert it before the call}}
func.func @layer(%q: tensor<1x4x8x64xbf16>, %x: f64) -> tensor<1x4x8x64xbf16> {
  %0 = goat.attention %q, %q, %q : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// -----

// expected-error @below {{expected argument 1 to be a tensor of f32, f16, bf16 or i32, or an f32 or i32 scalar, but got 'index'; convert it before the call}}
func.func @layer(%q: tensor<1x4x8x64xbf16>, %x: index) -> tensor<1x4x8x64xbf16> {
  %0 = goat.attention %q, %q, %q : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// -----

// expected-error @below {{expected argument 1 to be a tensor of f32, f16, bf16 or i32, or an f32 or i32 scalar, but got 'i1'; convert it before the call}}
func.func @layer(%q: tensor<1x4x8x64xbf16>, %x: i1) -> tensor<1x4x8x64xbf16> {
  %0 = goat.attention %q, %q, %q : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// -----

// expected-error @below {{expected argument 1 to be a tensor of f32, f16, bf16 or i32, or an f32 or i32 scalar, but got 'tensor<4xi64>'; convert it before the call}}
func.func @layer(%q: tensor<1x4x8x64xbf16>, %x: tensor<4xi64>) -> tensor<1x4x8x64xbf16> {
  %0 = goat.attention %q, %q, %q : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// -----

// expected-error @below {{expected argument 1 to be a tensor of f32, f16, bf16 or i32, or an f32 or i32 scalar, but got 'tensor<*xf32>'; convert it before the call}}
func.func @layer(%q: tensor<1x4x8x64xbf16>, %x: tensor<*xf32>) -> tensor<1x4x8x64xbf16> {
  %0 = goat.attention %q, %q, %q : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}
