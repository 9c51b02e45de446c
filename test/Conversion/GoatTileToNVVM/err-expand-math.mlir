// RUN: goat-opt %s -split-input-file -verify-diagnostics --goat-expand-math
// Functions without a formula, and other types, are refused by name.

func.func @unknown(%x: f32) -> f32 {
  // expected-error@+1 {{'math.sincos' op has no lowering to PTX; write it with other ops of math}}
  %y, %z = math.sincos %x : f32
  return %y : f32
}

// -----

func.func @double(%x: f64) -> f64 {
  // expected-error@+1 {{'math.exp' op expected f32 but got 'f64'; convert with arith.extf or arith.truncf around the op}}
  %y = math.exp %x : f64
  return %y : f64
}
