// RUN: goat-opt %s --goat-verify-goat --split-input-file --verify-diagnostics
// What may not stand in a module to be compiled, one promise of the pass after another.

// expected-error @below {{(V1) expected nothing but functions in a file to compile but got gpu.module}}
gpu.module @layer {
}

// -----

// expected-error @below {{(V2) expected a function with a body; drop the declaration}}
func.func private @layer(tensor<1x4x8x64xbf16>) -> tensor<1x4x8x64xbf16>

// -----

// expected-error @below {{(V3) expected argument 1 to be a scalar or a tensor of f32, f16, bf16, i1, i8, i32 or i64 but got 'f64'; convert it before the call}}
func.func @layer(%q: tensor<1x4x8x64xbf16>, %x: f64) -> tensor<1x4x8x64xbf16> {
  %0 = goat.attention %q, %q, %q : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// -----

// expected-error @below {{(V4) expected a goat.attention in the function but got none}}
func.func @layer(%q: tensor<1x4x8x64xbf16>) -> tensor<1x4x8x64xbf16> {
  return %q : tensor<1x4x8x64xbf16>
}

// -----

func.func @layer(%q: tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) {
  %0 = goat.attention %q, %q, %q : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  // expected-error @below {{(V5) expected the function to return the results of its goat.attention, in order}}
  return %0, %0 : tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>
}

// -----

func.func @layer(%q: tensor<1x4x8x64xbf16>) -> tensor<1x4x8x64xbf16> {
  %s = arith.constant 0.5 : f32
  // expected-error @below {{(V6) expected the operands of goat.attention to be arguments of the function; pass a constant scale or offset as an attribute}}
  %0 = goat.attention %q, %q, %q scale(%s) : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// -----

// What may stand there passes without a word.
func.func @layer_1(%q: tensor<1x4x8x64xbf16>, %x: tensor<?xf32>, %y: i32) -> tensor<1x4x8x64xbf16> {
  %unused = arith.constant 0.5 : f32
  %0 = goat.attention %q, %q, %q : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}
