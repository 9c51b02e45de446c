// RUN: goat-opt %s -verify-diagnostics --goat-tile-place-buffers
// More shared memory than any chip lends to a block is refused.

gpu.module @m {
  // expected-error@+1 {{expected buffers of at most 232448 bytes together but got 262144; use smaller tiles or fewer stages}}
  gpu.func @kernel() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %a = goat_tile.alloc : !goat_tile.buffer<2x512x128xbf16, swizzled>
    gpu.return
  }
}
