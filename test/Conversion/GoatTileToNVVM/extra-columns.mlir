// RUN: goat-opt %s --convert-goat-tile-to-nvvm | FileCheck %s
// What priors reach the accumulator by: quads of diagonals, vectors in bf16 parts, and
// sums by a multiply with ones.

#mma = #goat_tile.mma<warps = 1>
#op = #goat_tile.mma_operand<warps = 1>
#lin = #goat_tile.linear<threads = 32>

gpu.module @m {
  // Each part takes what the ones before left; four words of a row at once.
  // CHECK-LABEL:   llvm.func @write_parts
  // CHECK:          %[[HIGH:.*]] = arith.truncf %{{.*}} : f32 to bf16
  // CHECK:          %[[WIDE:.*]] = arith.extf %[[HIGH]]
  // CHECK:          %[[REST:.*]] = arith.subf %{{.*}}, %[[WIDE]]
  // CHECK:          %[[NUMBER:.*]] = arith.cmpf ord, %[[REST]], %[[REST]]
  // CHECK:          arith.select %[[NUMBER]], %[[REST]]
  // CHECK-COUNT-2:  arith.truncf
  // CHECK-NOT:      arith.truncf
  // CHECK:          llvm.store %{{.*}} : vector<4xi32>, !llvm.ptr<3>
  gpu.func @write_parts() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %b = goat_tile.alloc {offset = 0} : !goat_tile.buffer<32x8xbf16>
    %v = arith.constant dense<1.0> : tensor<32xf32, #lin>
    goat_tile.write_parts %v, %b : tensor<32xf32, #lin>, !goat_tile.buffer<32x8xbf16>
    gpu.return
  }

  // The same words, to global memory and under the mask.
  // CHECK-LABEL:   llvm.func @store_parts
  // CHECK-COUNT-3:  arith.truncf
  // CHECK:          llvm.inline_asm {{.*}}st.global.v4
  gpu.func @store_parts(%p: !goat_tile.ptr<bf16> {goat_tile.role = #goat_tile.workspace<0>}) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %v = arith.constant dense<1.0> : tensor<32xf32, #lin>
    %i = goat_tile.iota : tensor<32xi32, #lin>
    %n = arith.constant dense<20> : tensor<32xi32, #lin>
    %m = arith.cmpi slt, %i, %n : tensor<32xi32, #lin>
    goat_tile.store_parts %v, %p[%i] masked(%m) : tensor<32xf32, #lin>, !goat_tile.ptr<bf16>, tensor<32xi32, #lin>, tensor<32xi1, #lin>
    gpu.return
  }

  // The words of b for as many column tiles as one load brings, which both row tiles
  // share.
  // CHECK-LABEL:   llvm.func @mma_ones
  // CHECK:          nvvm.ldmatrix {{.*}} num = 2
  // CHECK-COUNT-4:  nvvm.mma.sync {{.*}}shape = #nvvm.shape<m = 16, n = 8, k = 8>
  // CHECK:          nvvm.ldmatrix {{.*}} num = 1
  // CHECK-COUNT-2:  nvvm.mma.sync {{.*}}shape = #nvvm.shape<m = 16, n = 8, k = 8>
  // CHECK-NOT:      nvvm.mma.sync
  // CHECK:          llvm.return
  gpu.func @mma_ones() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %b = goat_tile.alloc {offset = 0} : !goat_tile.buffer<24x8xbf16>
    %c = arith.constant dense<0.0> : tensor<32x24xf32, #mma>
    %r = goat_tile.mma_ones %b, %c : !goat_tile.buffer<24x8xbf16> -> tensor<32x24xf32, #mma>
    gpu.return
  }

  // Two steps of 16 columns into one fragment.
  // CHECK-LABEL:   llvm.func @mma_row_sum
  // CHECK-COUNT-2:  nvvm.mma.sync {{.*}}shape = #nvvm.shape<m = 16, n = 8, k = 16>
  // CHECK-NOT:      nvvm.mma.sync
  // CHECK:          llvm.return
  gpu.func @mma_row_sum() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %a = arith.constant dense<1.0> : tensor<16x32xbf16, #op>
    %c = arith.constant dense<0.0> : tensor<16x8xf32, #mma>
    %r = goat_tile.mma_row_sum %a, %c : tensor<16x32xbf16, #op> -> tensor<16x8xf32, #mma>
    gpu.return
  }

  // Distances 0, −8, 16 and 8 from the thread's own: a load of 16 bytes for each.
  // CHECK-LABEL:   llvm.func @quads
  // CHECK-COUNT-4:  llvm.load %{{.*}} -> vector<4xf32>
  // CHECK-NOT:      llvm.load
  // CHECK:          llvm.return
  gpu.func @quads() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %s = goat_tile.alloc {offset = 0} : !goat_tile.buffer<64x4xf32>
    %t = goat_tile.read_diagonal_quads %s : !goat_tile.buffer<64x4xf32> -> tensor<32x16xf32, #mma>
    gpu.return
  }
}
