// RUN: goat-opt %s -split-input-file -verify-diagnostics
// goat_tile.window refuses other rows, other elements and windows longer than the
// buffer.

func.func @window_c1_rank(%b: !goat_tile.buffer<4x16xf32>, %i: i32) {
  // expected-error@+1 {{(C1) expected vectors, or matrices of equal rows and not swizzled, of one element type but got}}
  %w = goat_tile.window %b[%i] : !goat_tile.buffer<4x16xf32> -> !goat_tile.buffer<16xf32>
  return
}

// -----

func.func @window_c1_element(%b: !goat_tile.buffer<64xf32>, %i: i32) {
  // expected-error@+1 {{(C1) expected vectors, or matrices of equal rows and not swizzled, of one element type but got}}
  %w = goat_tile.window %b[%i] : !goat_tile.buffer<64xf32> -> !goat_tile.buffer<16xi32>
  return
}

// -----

func.func @window_c2_length(%b: !goat_tile.buffer<64xf32>, %i: i32) {
  // expected-error@+1 {{(C2) expected a window of at most 64 elements or rows but got 65}}
  %w = goat_tile.window %b[%i] : !goat_tile.buffer<64xf32> -> !goat_tile.buffer<65xf32>
  return
}
