// RUN: goat-opt %s --convert-goat-tile-to-nvvm | FileCheck %s
// The thread's part of a coordinate comes from fields of its index, each
// register adds a constant.

#mma = #goat_tile.mma<warps = 4>
#row = #goat_tile.slice<axis = 1, #mma>
#col = #goat_tile.slice<axis = 0, #mma>

gpu.module @m {
  // Row lane / 4 + 32 · warp, and 0, 8, 16, 24 more.
  // CHECK-LABEL: llvm.func @rows
  // CHECK: %[[T:.*]] = nvvm.read.ptx.sreg.tid.x
  // CHECK: %[[TWO:.*]] = arith.constant 2 : i32
  // CHECK: %[[S:.*]] = arith.shrui %[[T]], %[[TWO]]
  // CHECK: %[[SEVEN:.*]] = arith.constant 7 : i32
  // CHECK: %[[G:.*]] = arith.andi %[[S]], %[[SEVEN]]
  // CHECK: %[[FIVE:.*]] = arith.constant 5 : i32
  // CHECK: %[[W:.*]] = arith.shrui %[[T]], %[[FIVE]]
  // CHECK: %[[C32:.*]] = arith.constant 32 : i32
  // CHECK: %[[W32:.*]] = arith.muli %[[W]], %[[C32]]
  // CHECK: %[[BASE:.*]] = arith.xori %[[G]], %[[W32]]
  // CHECK: %[[C8:.*]] = arith.constant 8 : i32
  // CHECK: arith.addi %[[BASE]], %[[C8]]
  // CHECK: %[[C16:.*]] = arith.constant 16 : i32
  // CHECK: arith.addi %[[BASE]], %[[C16]]
  // CHECK: %[[C24:.*]] = arith.constant 24 : i32
  // CHECK: arith.addi %[[BASE]], %[[C24]]
  // CHECK: llvm.return
  gpu.func @rows() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %i = goat_tile.iota : tensor<128xi32, #row>
    gpu.return
  }

  // Column 2 · (lane mod 4), and 0, 1, 8, 9 more.
  // CHECK-LABEL: llvm.func @columns
  // CHECK: %[[T:.*]] = nvvm.read.ptx.sreg.tid.x
  // CHECK: %[[THREE:.*]] = arith.constant 3 : i32
  // CHECK: %[[L:.*]] = arith.andi %[[T]], %[[THREE]]
  // CHECK: %[[TWO:.*]] = arith.constant 2 : i32
  // CHECK: %[[BASE:.*]] = arith.muli %[[L]], %[[TWO]]
  // CHECK: %[[C1:.*]] = arith.constant 1 : i32
  // CHECK: arith.addi %[[BASE]], %[[C1]]
  // CHECK: %[[C8:.*]] = arith.constant 8 : i32
  // CHECK: arith.addi %[[BASE]], %[[C8]]
  // CHECK: %[[C9:.*]] = arith.constant 9 : i32
  // CHECK: arith.addi %[[BASE]], %[[C9]]
  // CHECK-NOT: arith.addi
  // CHECK: llvm.return
  gpu.func @columns() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %i = goat_tile.iota : tensor<16xi32, #col>
    gpu.return
  }
}
