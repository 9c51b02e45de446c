// RUN: goat-opt %s --convert-goat-tile-to-nvvm | FileCheck %s
// The product as ldmatrix and mma.sync: fragments in the order of the mma's
// operands, one k-step after another.

#mma = #goat_tile.mma<warps = 1>
#op = #goat_tile.mma_operand<warps = 1>

gpu.module @m {
  // CHECK-LABEL: llvm.func @transposed
  // CHECK-NOT: nvvm.mma.sync
  // The first k-step: A, then two column tiles of B by one load.
  // CHECK: %[[A:.*]] = nvvm.ldmatrix %{{.*}} {eltType = {{.*}}, layout = #nvvm.mma_layout<row>, num = 4 : i32, {{.*}}}
  // CHECK: %[[A0:.*]] = llvm.extractvalue %[[A]][0]
  // CHECK: %[[A1:.*]] = llvm.extractvalue %[[A]][1]
  // CHECK: %[[A2:.*]] = llvm.extractvalue %[[A]][2]
  // CHECK: %[[A3:.*]] = llvm.extractvalue %[[A]][3]
  // CHECK: %[[B:.*]] = nvvm.ldmatrix %{{.*}} {{{.*}}layout = #nvvm.mma_layout<row>, num = 4 : i32
  // CHECK: %[[B0:.*]] = llvm.extractvalue %[[B]][0]
  // CHECK: %[[B1:.*]] = llvm.extractvalue %[[B]][1]
  // CHECK: %[[B2:.*]] = llvm.extractvalue %[[B]][2]
  // CHECK: %[[B3:.*]] = llvm.extractvalue %[[B]][3]
  // CHECK: %[[D0:.*]] = nvvm.mma.sync A[%[[A0]], %[[A1]], %[[A2]], %[[A3]]] B[%[[B0]], %[[B1]]] C[
  // CHECK-SAME: multiplicandAPtxType = #nvvm.mma_type<bf16>
  // CHECK-SAME: shape = #nvvm.shape<m = 16, n = 8, k = 16>
  // CHECK: %[[C0:.*]] = llvm.extractvalue %[[D0]][0]
  // CHECK: nvvm.mma.sync A[%[[A0]], %[[A1]], %[[A2]], %[[A3]]] B[%[[B2]], %[[B3]]] C[
  // The second k-step adds to the first.
  // CHECK: nvvm.ldmatrix
  // CHECK: nvvm.ldmatrix
  // CHECK: nvvm.mma.sync {{.*}} C[%[[C0]],
  // CHECK: nvvm.mma.sync
  // CHECK-NOT: nvvm.mma.sync
  // CHECK: llvm.return
  gpu.func @transposed() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %a = goat_tile.alloc {offset = 0} : !goat_tile.buffer<16x32xbf16, swizzled>
    %b = goat_tile.alloc {offset = 1024} : !goat_tile.buffer<16x32xbf16, swizzled>
    %c = arith.constant dense<0.0> : tensor<16x16xf32, #mma>
    %r = goat_tile.mma %a, %b, %c {b_transposed} : !goat_tile.buffer<16x32xbf16, swizzled>, !goat_tile.buffer<16x32xbf16, swizzled> -> tensor<16x16xf32, #mma>
    gpu.return
  }

  // B as it is stored for P·V is transposed by ldmatrix; A in registers is
  // packed in pairs; an odd number of column tiles ends with two matrices.
  // CHECK-LABEL: llvm.func @registers
  // CHECK-COUNT-4: llvm.bitcast %{{.*}} : vector<2xbf16> to i32
  // CHECK: nvvm.ldmatrix %{{.*}} {{{.*}}layout = #nvvm.mma_layout<col>, num = 4 : i32
  // CHECK: nvvm.mma.sync
  // CHECK: nvvm.mma.sync
  // CHECK: nvvm.ldmatrix %{{.*}} {{{.*}}layout = #nvvm.mma_layout<col>, num = 2 : i32
  // CHECK: nvvm.mma.sync
  // CHECK-NOT: nvvm.mma.sync
  // CHECK: llvm.return
  gpu.func @registers(%x: bf16) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %a = goat_tile.splat %x : bf16 -> tensor<16x16xbf16, #op>
    %b = goat_tile.alloc {offset = 0} : !goat_tile.buffer<16x24xbf16>
    %c = arith.constant dense<0.0> : tensor<16x24xf32, #mma>
    %r = goat_tile.mma %a, %b, %c : tensor<16x16xbf16, #op>, !goat_tile.buffer<16x24xbf16> -> tensor<16x24xf32, #mma>
    gpu.return
  }

  // Two row tiles share each fragment of B.
  // CHECK-LABEL: llvm.func @rows
  // CHECK-COUNT-3: nvvm.ldmatrix
  // CHECK-NOT:     nvvm.ldmatrix
  // CHECK-COUNT-4: nvvm.mma.sync {{.*}}f16
  // CHECK-NOT:     nvvm.mma.sync
  // CHECK:         llvm.return
  gpu.func @rows() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %a = goat_tile.alloc {offset = 0} : !goat_tile.buffer<32x16xf16>
    %b = goat_tile.alloc {offset = 1024} : !goat_tile.buffer<16x16xf16>
    %c = arith.constant dense<0.0> : tensor<32x16xf32, #mma>
    %r = goat_tile.mma %a, %b, %c : !goat_tile.buffer<32x16xf16>, !goat_tile.buffer<16x16xf16> -> tensor<32x16xf32, #mma>
    gpu.return
  }
}
