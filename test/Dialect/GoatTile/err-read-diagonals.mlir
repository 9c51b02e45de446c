// RUN: goat-opt %s -split-input-file -verify-diagnostics
// goat_tile.read_diagonals refuses strips that are too short or of other elements.

func.func @read_diagonals_c1(%b: !goat_tile.buffer<64xf32>) {
  // expected-error@+1 {{(C1) expected the result to be a tile of rank 2 of 'f32' but got}}
  %v = goat_tile.read_diagonals %b : !goat_tile.buffer<64xf32> -> tensor<16x8xf16, #goat_tile.mma<warps = 1>>
  return
}

// -----

func.func @read_diagonals_c2(%b: !goat_tile.buffer<22xf32>) {
  // expected-error@+1 {{(C2) expected a strip of rank 1 of at least 23 elements but got '!goat_tile.buffer<22xf32>'}}
  %v = goat_tile.read_diagonals %b : !goat_tile.buffer<22xf32> -> tensor<16x8xf32, #goat_tile.mma<warps = 1>>
  return
}
