// RUN: goat-opt %s -split-input-file -verify-diagnostics
// goat_tile.read_diagonal_quads refuses other tiles and strips too short for them.

func.func @read_diagonal_quads_c1(%s: !goat_tile.buffer<64x4xf32>) {
  // expected-error@+1 {{(C1) expected the result to be an f32 tile in #goat_tile.mma but got}}
  %t = goat_tile.read_diagonal_quads %s : !goat_tile.buffer<64x4xf32> -> tensor<16x16xf32, #goat_tile.mma_operand<warps = 1>>
  return
}

// -----

func.func @read_diagonal_quads_c2(%s: !goat_tile.buffer<30x4xf32>) {
  // expected-error@+1 {{(C2) expected a strip of at least 31x4xf32, not swizzled, but got}}
  %t = goat_tile.read_diagonal_quads %s : !goat_tile.buffer<30x4xf32> -> tensor<16x16xf32, #goat_tile.mma<warps = 1>>
  return
}
