// RUN: goat-opt %s -split-input-file -verify-diagnostics --convert-goat-tile-to-nvvm
// What the lowering refuses.

gpu.module @unplaced {
  gpu.func @kernel() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error@+2 {{expected an offset; run --goat-tile-place-buffers first}}
    // expected-error@+1 {{failed to legalize operation 'goat_tile.alloc'}}
    %b = goat_tile.alloc : !goat_tile.buffer<64xf32>
    gpu.return
  }
}

// -----

gpu.module @block_size {
  // expected-error@+1 {{expected a kernel with known_block_size [n, 1, 1]}}
  gpu.func @kernel() kernel {
    gpu.return
  }
}

// -----

gpu.module @argument {
  // expected-error@+2 {{expected argument 0 to be a pointer or a scalar with a width but got 'index'}}
  // expected-error@+1 {{failed to legalize operation 'gpu.func'}}
  gpu.func @kernel(%i: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    gpu.return
  }
}

// -----

gpu.module @constant {
  gpu.func @kernel() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error@+1 {{failed to legalize operation 'arith.constant'}}
    %c = arith.constant dense<[0, 1]> : tensor<2xi32, #goat_tile.linear<threads = 32>>
    gpu.return
  }
}
