// RUN: goat-opt %s -split-input-file -verify-diagnostics
// goat_tile.convert_layout refuses what would move elements between threads.

func.func @convert_c1(%t: tensor<16x16xf32, #goat_tile.mma<warps = 1>>) {
  // expected-error@+1 {{(C1) expected one shape and element type but got}}
  %r = goat_tile.convert_layout %t : tensor<16x16xf32, #goat_tile.mma<warps = 1>> -> tensor<16x16xbf16, #goat_tile.mma_operand<warps = 1>>
  return
}

// -----

func.func @convert_c2(%t: tensor<32xf32, #goat_tile.linear<threads = 32>>) {
  // expected-error@+1 {{(C2) expected every element to stay in its thread between}}
  %r = goat_tile.convert_layout %t : tensor<32xf32, #goat_tile.linear<threads = 32>> -> tensor<32xf32, #goat_tile.slice<axis = 1, #goat_tile.mma<warps = 1>>>
  return
}
