// RUN: goat-opt %s --convert-goat-tile-to-nvvm | FileCheck %s
// Products of f32: in tf32 by mma.m16n8k8, exactly by fused multiply-adds.

#mma = #goat_tile.mma<warps = 1>

gpu.module @m {
  // Fragments of both operands by ldmatrix; every element is rounded.
  // CHECK-LABEL: llvm.func @tf32
  // CHECK: %[[A:.*]] = nvvm.ldmatrix %{{.*}} layout = #nvvm.mma_layout<row>, num = 4 : i32
  // CHECK: %[[A0:.*]] = llvm.extractvalue %[[A]][0]
  // CHECK: %[[F0:.*]] = llvm.bitcast %[[A0]] : i32 to f32
  // CHECK: %[[T0:.*]] = nvvm.convert.float.to.tf32 %[[F0]] {rnd = #nvvm.fp_rnd_mode<rna>}
  // CHECK: nvvm.ldmatrix %{{.*}} layout = #nvvm.mma_layout<row>, num = 4 : i32
  // CHECK-COUNT-4: nvvm.convert.float.to.tf32
  // CHECK: nvvm.mma.sync A[%[[T0]], %{{.*}}, %{{.*}}, %{{.*}}] B[%{{.*}}, %{{.*}}] C[
  // CHECK-SAME: multiplicandAPtxType = #nvvm.mma_type<tf32>
  // CHECK-SAME: shape = #nvvm.shape<m = 16, n = 8, k = 8>
  // CHECK: nvvm.mma.sync
  // CHECK: nvvm.ldmatrix
  // CHECK: nvvm.ldmatrix
  // CHECK-COUNT-2: nvvm.mma.sync
  // CHECK-NOT: nvvm.mma.sync
  // CHECK: llvm.return
  gpu.func @tf32() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %a = goat_tile.alloc {offset = 0} : !goat_tile.buffer<16x16xf32, swizzled>
    %b = goat_tile.alloc {offset = 1024} : !goat_tile.buffer<16x16xf32, swizzled>
    %c = arith.constant dense<0.0> : tensor<16x16xf32, #mma>
    %r = goat_tile.mma %a, %b, %c {b_transposed, f32_product = #goat_tile.f32_product<tf32>} : !goat_tile.buffer<16x16xf32, swizzled>, !goat_tile.buffer<16x16xf32, swizzled> -> tensor<16x16xf32, #mma>
    gpu.return
  }

  // An accumulator is an operand as it stands, for a b read in the same order of
  // the depth: two words for each column tile, and no shuffle.
  // CHECK-LABEL: llvm.func @tf32_registers
  // CHECK-NOT: nvvm.ldmatrix
  // CHECK-NOT: nvvm.shfl
  // CHECK-COUNT-4: nvvm.convert.float.to.tf32 %arg0
  // CHECK-COUNT-4: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
  // CHECK-COUNT-2: nvvm.mma.sync
  // CHECK-NOT: nvvm.mma.sync
  // CHECK: llvm.return
  gpu.func @tf32_registers(%x: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %a = goat_tile.splat %x : f32 -> tensor<16x8xf32, #mma>
    %b = goat_tile.alloc {offset = 0} : !goat_tile.buffer<8x32xf32, swizzled>
    %c = arith.constant dense<0.0> : tensor<16x16xf32, #mma>
    %r = goat_tile.mma %a, %b, %c {f32_product = #goat_tile.f32_product<tf32>} : tensor<16x8xf32, #mma>, !goat_tile.buffer<8x32xf32, swizzled> -> tensor<16x16xf32, #mma>
    gpu.return
  }

  // Four elements of the thread's two rows and of its two columns at a time.
  // CHECK-LABEL: llvm.func @exact
  // CHECK-COUNT-4: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<4xf32>
  // CHECK-COUNT-16: llvm.intr.fma
  // CHECK-COUNT-4: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<4xf32>
  // CHECK-COUNT-16: llvm.intr.fma
  // CHECK-NOT: {{llvm.intr.fma|nvvm.mma}}
  // CHECK: llvm.return
  gpu.func @exact() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %a = goat_tile.alloc {offset = 0} : !goat_tile.buffer<16x8xf32, swizzled>
    %b = goat_tile.alloc {offset = 1024} : !goat_tile.buffer<8x8xf32, swizzled>
    %c = arith.constant dense<0.0> : tensor<16x8xf32, #mma>
    %r = goat_tile.mma %a, %b, %c {b_transposed, f32_product = #goat_tile.f32_product<exact>} : !goat_tile.buffer<16x8xf32, swizzled>, !goat_tile.buffer<8x8xf32, swizzled> -> tensor<16x8xf32, #mma>
    gpu.return
  }

  // What the other threads of a row hold comes by shuffles within four lanes; 7199
  // is the clamp with groups of four.
  // CHECK-LABEL: llvm.func @exact_registers
  // CHECK: %[[GROUP:.*]] = llvm.mlir.constant(7199 : i32)
  // CHECK: nvvm.shfl.sync idx %{{.*}}, %arg0, %{{.*}}, %[[GROUP]] : f32 -> f32
  // CHECK-COUNT-4: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<2xf32>
  // CHECK-COUNT-16: llvm.intr.fma
  // CHECK-COUNT-4: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<2xf32>
  // CHECK-COUNT-16: llvm.intr.fma
  // CHECK-NOT: llvm.intr.fma
  // CHECK: llvm.return
  gpu.func @exact_registers(%x: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %a = goat_tile.splat %x : f32 -> tensor<16x8xf32, #mma>
    %b = goat_tile.alloc {offset = 0} : !goat_tile.buffer<8x8xf32, swizzled>
    %c = arith.constant dense<0.0> : tensor<16x8xf32, #mma>
    %r = goat_tile.mma %a, %b, %c {f32_product = #goat_tile.f32_product<exact>} : tensor<16x8xf32, #mma>, !goat_tile.buffer<8x8xf32, swizzled> -> tensor<16x8xf32, #mma>
    gpu.return
  }

  // A thread rounds the chunks it copies: here, 16 bytes of one row. What is
  // rounded already is multiplied as it is.
  // CHECK-LABEL: llvm.func @rounded
  // CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<4xf32>
  // CHECK-COUNT-4: nvvm.convert.float.to.tf32
  // CHECK: llvm.store %{{.*}} : vector<4xi32>, !llvm.ptr<3>
  // CHECK-NOT: nvvm.convert.float.to.tf32
  // CHECK: nvvm.mma.sync
  // CHECK-NOT: nvvm.convert.float.to.tf32
  // CHECK: llvm.return
  gpu.func @rounded() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %a = goat_tile.alloc {offset = 0} : !goat_tile.buffer<16x8xf32, swizzled>
    %b = goat_tile.alloc {offset = 1024} : !goat_tile.buffer<8x8xf32, swizzled>
    %c = arith.constant dense<0.0> : tensor<16x8xf32, #mma>
    goat_tile.round_tf32 %a : !goat_tile.buffer<16x8xf32, swizzled>
    %r = goat_tile.mma %a, %b, %c {b_transposed, f32_product = #goat_tile.f32_product<tf32>, rounded} : !goat_tile.buffer<16x8xf32, swizzled>, !goat_tile.buffer<8x8xf32, swizzled> -> tensor<16x8xf32, #mma>
    gpu.return
  }
}
