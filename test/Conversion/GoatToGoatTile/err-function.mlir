// RUN: goat-opt %s --goat-choose-schedule --convert-goat-to-goat-tile --split-input-file --verify-diagnostics
// Functions that are not one attention whose results they return.

// expected-error @below {{expected a function with a body; drop the declaration}}
func.func private @layer(tensor<1x4x8x64xbf16>) -> tensor<1x4x8x64xbf16>

// -----

// expected-error @below {{expected a function with one block but got 2; compute branches before the call}}
func.func @layer(%q: tensor<1x4x8x64xbf16>) -> tensor<1x4x8x64xbf16> {
  cf.br ^bb1
  ^bb1:
  %0 = goat.attention %q, %q, %q : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// -----

// expected-error @below {{expected a goat.attention in the function but got none}}
func.func @layer(%q: tensor<1x4x8x64xbf16>) -> tensor<1x4x8x64xbf16> {
  return %q : tensor<1x4x8x64xbf16>
}

// -----

func.func @layer(%q: tensor<1x4x8x64xbf16>) -> tensor<1x4x8x64xbf16> {
  // expected-note @below {{the first one}}
  %0 = goat.attention %q, %q, %q : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  // expected-error @below {{expected one goat.attention per function but got another; give each its own function, and its own kernel}}
  %1 = goat.attention %0, %q, %q : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %1 : tensor<1x4x8x64xbf16>
}

// -----

func.func @layer(%q: tensor<1x4x8x64xbf16>) -> tensor<1x4x8x64xbf16> {
  // expected-error @below {{expected only goat.attention in a function to be compiled but got arith.addf; compute it before the call}}
  %x = arith.addf %q, %q : tensor<1x4x8x64xbf16>
  %0 = goat.attention %x, %q, %q : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// -----

func.func @layer(%q: tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) {
  %0 = goat.attention %q, %q, %q : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  // expected-error @below {{expected the function to return the results of its goat.attention, in order}}
  return %0, %0 : tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>
}

// -----

func.func @layer(%q: tensor<1x4x8x64xbf16>) -> tensor<1x4x8x64xbf16> {
  %s = arith.constant 0.5 : f32
  // expected-error @below {{expected the operands of goat.attention to be arguments of the function; pass a constant scale or offset as an attribute}}
  %0 = goat.attention %q, %q, %q scale(%s) : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// -----

// expected-error @below {{expected a name of letters, digits and '_' but got 'a layer'; rename the function}}
func.func @"a layer"(%q: tensor<1x1x4x64xbf16>) -> tensor<1x1x4x64xbf16> {
  %out = goat.attention %q, %q, %q
    : (tensor<1x1x4x64xbf16>, tensor<1x1x4x64xbf16>, tensor<1x1x4x64xbf16>) -> (tensor<1x1x4x64xbf16>)
  return %out : tensor<1x1x4x64xbf16>
}
