// RUN: goat-opt %s --goat-tile-place-buffers | FileCheck %s
// Buffers follow one another at multiples of 128 bytes, also in branches, and
// the kernel knows their end.

gpu.module @m {
  // CHECK: gpu.func @kernel
  // CHECK-SAME: goat_tile.shared_bytes = 10496 : i32
  gpu.func @kernel(%c: i1) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // CHECK: goat_tile.alloc {offset = 0 : i64} : <191xf32>
    %a = goat_tile.alloc : !goat_tile.buffer<191xf32>
    // CHECK: goat_tile.alloc {offset = 768 : i64} : <64x64xbf16, swizzled>
    %b = goat_tile.alloc {offset = 5 : i64} : !goat_tile.buffer<64x64xbf16, swizzled>
    scf.if %c {
      // CHECK: goat_tile.alloc {offset = 8960 : i64} : <2x192xf32>
      %d = goat_tile.alloc : !goat_tile.buffer<2x192xf32>
    }
    gpu.return
  }

  // CHECK: gpu.func @none
  // CHECK-SAME: goat_tile.shared_bytes = 0 : i32
  gpu.func @none() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    gpu.return
  }
}
