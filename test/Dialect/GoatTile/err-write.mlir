// RUN: goat-opt %s -split-input-file -verify-diagnostics
// goat_tile.write refuses buffers of another shape.

func.func @write_c1(%b: !goat_tile.buffer<64xf32>, %v: tensor<63xf32, #goat_tile.linear<threads = 32>>) {
  // expected-error@+1 {{(C1) expected a vector with a goat_tile encoding and a buffer of its shape and element type but got}}
  goat_tile.write %v, %b : tensor<63xf32, #goat_tile.linear<threads = 32>>, !goat_tile.buffer<64xf32>
  return
}
