// RUN: goat-opt %s --convert-goat-tile-to-nvvm | FileCheck %s
// A reduction folds registers first, then the lanes that share what is left.

#mma = #goat_tile.mma<warps = 1>
#row = #goat_tile.slice<axis = 1, #mma>
#col = #goat_tile.slice<axis = 0, #mma>

gpu.module @m {
  // Two rows of four registers; lanes 1 and 2 apart share a row.
  // CHECK-LABEL: llvm.func @max
  // CHECK-COUNT-6: arith.maxnumf
  // CHECK-NOT:     arith.maxnumf
  // CHECK:         llvm.mlir.constant(1 : i32)
  // CHECK:         nvvm.shfl.sync bfly
  // CHECK:         arith.maxnumf
  // CHECK:         nvvm.shfl.sync bfly
  // CHECK:         arith.maxnumf
  // CHECK:         llvm.mlir.constant(2 : i32)
  // CHECK:         nvvm.shfl.sync bfly
  // CHECK:         arith.maxnumf
  // CHECK:         nvvm.shfl.sync bfly
  // CHECK:         arith.maxnumf
  // CHECK-NOT:     nvvm.shfl
  // CHECK:         llvm.return
  gpu.func @max(%t: f32, %out: !goat_tile.ptr<f32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = goat_tile.splat %t : f32 -> tensor<16x16xf32, #mma>
    %r = goat_tile.reduce max %x axis = 1 : tensor<16x16xf32, #mma> -> tensor<16xf32, #row>
    gpu.return
  }

  // Four columns of two registers; lanes 4, 8 and 16 apart share a column.
  // CHECK-LABEL: llvm.func @sum
  // CHECK-COUNT-4:  arith.addf
  // CHECK-COUNT-12: nvvm.shfl.sync bfly
  // CHECK-NOT:      nvvm.shfl
  // CHECK:          llvm.return
  gpu.func @sum(%t: f32, %out: !goat_tile.ptr<f32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = goat_tile.splat %t : f32 -> tensor<16x16xf32, #mma>
    %r = goat_tile.reduce sum %x axis = 0 : tensor<16x16xf32, #mma> -> tensor<16xf32, #col>
    gpu.return
  }

  // Two rows of eight registers each: seven additions for each, and no other
  // lane.
  // CHECK-LABEL:   llvm.func @fold
  // CHECK-COUNT-14: arith.addf
  // CHECK-NOT:      arith.addf
  // CHECK-NOT:      nvvm.shfl
  // CHECK:          llvm.return
  gpu.func @fold(%a: f32, %b: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %i = goat_tile.iota : tensor<32xi32, #col>
    %f = arith.sitofp %i : tensor<32xi32, #col> to tensor<32xf32, #col>
    %x = goat_tile.expand %f axis = 0 : tensor<32xf32, #col> -> tensor<16x32xf32, #mma>
    %j = goat_tile.iota : tensor<16xi32, #row>
    %g = arith.sitofp %j : tensor<16xi32, #row> to tensor<16xf32, #row>
    %y = goat_tile.expand %g axis = 1 : tensor<16xf32, #row> -> tensor<16x32xf32, #mma>
    %z = arith.mulf %x, %y : tensor<16x32xf32, #mma>
    %r = goat_tile.fold %z : tensor<16x32xf32, #mma> -> tensor<16x4xf32, #goat_tile.mma_partial<warps = 1>>
    gpu.return
  }

  // The registers of a thread, then one vote of the warp.
  // CHECK-LABEL:   llvm.func @any
  // CHECK:          %[[HERE:.*]] = arith.ori
  // CHECK:          nvvm.vote.sync any %{{.*}}, %[[HERE]] -> i1
  // CHECK-NOT:      nvvm.vote.sync
  // CHECK:          llvm.return
  gpu.func @any(%p: !goat_tile.ptr<f32>, %n: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %i = goat_tile.iota : tensor<16xi32, #row>
    %s = goat_tile.splat %n : i32 -> tensor<16xi32, #row>
    %c = arith.cmpi eq, %i, %s : tensor<16xi32, #row>
    %r = goat_tile.warp_any %c : tensor<16xi1, #row>
    scf.if %r {
      goat_tile.barrier
    }
    gpu.return
  }
}
