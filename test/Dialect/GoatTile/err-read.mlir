// RUN: goat-opt %s -split-input-file -verify-diagnostics
// goat_tile.read refuses results of another shape.

func.func @read_c1(%b: !goat_tile.buffer<64xf32>) {
  // expected-error@+1 {{(C1) expected a vector with a goat_tile encoding and a buffer of its shape and element type but got}}
  %v = goat_tile.read %b : !goat_tile.buffer<64xf32> -> tensor<64xf32>
  return
}
