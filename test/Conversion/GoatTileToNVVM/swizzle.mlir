// RUN: goat-opt %s --convert-goat-tile-to-nvvm | FileCheck %s
// The addresses of a swizzled operand differ from one address of the thread by
// an xor for each k-step and constants: four k-steps of B need three xors.

#mma = #goat_tile.mma<warps = 1>
#op = #goat_tile.mma_operand<warps = 1>

gpu.module @m {
  // CHECK-LABEL: llvm.func @swizzled
  // The lane's own row and chunk, permuted.
  // CHECK: %[[OWN:.*]] = arith.xori
  // CHECK: %[[LANE:.*]] = arith.addi %{{.*}}, %[[OWN]]
  // CHECK: %[[P0:.*]] = llvm.inttoptr %[[LANE]] : i32 to !llvm.ptr<3>
  // CHECK: nvvm.ldmatrix %[[P0]]
  // Sixteen rows of 128 bytes on.
  // CHECK: %[[Q0:.*]] = llvm.getelementptr %[[P0]][2048]
  // CHECK: nvvm.ldmatrix %[[Q0]]
  // CHECK: %[[C32:.*]] = arith.constant 32 : i32
  // CHECK: %[[X1:.*]] = arith.xori %[[LANE]], %[[C32]]
  // CHECK: %[[P1:.*]] = llvm.inttoptr %[[X1]]
  // CHECK: nvvm.ldmatrix %[[P1]]
  // CHECK: llvm.getelementptr %[[P1]][2048]
  // CHECK: %[[C64:.*]] = arith.constant 64 : i32
  // CHECK: arith.xori %[[LANE]], %[[C64]]
  // CHECK: %[[C96:.*]] = arith.constant 96 : i32
  // CHECK: arith.xori %[[LANE]], %[[C96]]
  // CHECK-NOT: arith.xori
  // CHECK: llvm.return
  gpu.func @swizzled(%x: bf16) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %a = goat_tile.splat %x : bf16 -> tensor<16x64xbf16, #op>
    %b = goat_tile.alloc {offset = 0} : !goat_tile.buffer<32x64xbf16, swizzled>
    %c = arith.constant dense<0.0> : tensor<16x32xf32, #mma>
    %r = goat_tile.mma %a, %b, %c {b_transposed} : tensor<16x64xbf16, #op>, !goat_tile.buffer<32x64xbf16, swizzled> -> tensor<16x32xf32, #mma>
    gpu.return
  }

  // Without a swizzle every step is a constant.
  // CHECK-LABEL: llvm.func @plain
  // CHECK-NOT: arith.xori
  // CHECK: llvm.return
  gpu.func @plain(%x: bf16) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %a = goat_tile.splat %x : bf16 -> tensor<16x64xbf16, #op>
    %b = goat_tile.alloc {offset = 0} : !goat_tile.buffer<32x64xbf16>
    %c = arith.constant dense<0.0> : tensor<16x32xf32, #mma>
    %r = goat_tile.mma %a, %b, %c {b_transposed} : tensor<16x64xbf16, #op>, !goat_tile.buffer<32x64xbf16> -> tensor<16x32xf32, #mma>
    gpu.return
  }
}
