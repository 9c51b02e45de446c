// RUN: goat-opt %s --convert-goat-tile-to-nvvm | FileCheck %s
// Elements in global memory: an access whose mask may fail, or past the end of
// a vector, is predicated; what several threads hold is written by one.

#mma = #goat_tile.mma<warps = 2>
#row = #goat_tile.slice<axis = 1, #mma>
#linear = #goat_tile.linear<threads = 64>

gpu.module @m {
  // CHECK-LABEL: llvm.func @unmasked
  // CHECK-COUNT-2: llvm.load {{.*}} : !llvm.ptr<1> -> f32
  // CHECK-NOT:     inline_asm
  // CHECK-COUNT-2: llvm.store {{.*}} : f32, !llvm.ptr<1>
  // CHECK:         llvm.return
  gpu.func @unmasked(%p: !goat_tile.ptr<f32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = goat_tile.iota : tensor<128xi32, #linear>
    %x = goat_tile.load %p[%i] : !goat_tile.ptr<f32>, tensor<128xi32, #linear> -> tensor<128xf32, #linear>
    goat_tile.store %x, %p[%i] : tensor<128xf32, #linear>, !goat_tile.ptr<f32>, tensor<128xi32, #linear>
    gpu.return
  }

  // Of 100 elements on 64 threads the second register is there in 36.
  // CHECK-LABEL: llvm.func @tail
  // CHECK: llvm.load
  // CHECK: %[[C36:.*]] = arith.constant 36 : i32
  // CHECK: %[[IN:.*]] = arith.cmpi slt, %{{.*}}, %[[C36]]
  // CHECK: llvm.inline_asm has_side_effects "mov.b32 $0, 0;\0A\09@$2 ld.global.b32 $0, [$1];", "=&r,l,b,~{memory}" %{{.*}}, %[[IN]]
  // CHECK-NOT: ld.global
  // CHECK: llvm.return
  gpu.func @tail(%p: !goat_tile.ptr<f32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = goat_tile.iota : tensor<100xi32, #linear>
    %x = goat_tile.load %p[%i] : !goat_tile.ptr<f32>, tensor<100xi32, #linear> -> tensor<100xf32, #linear>
    gpu.return
  }

  // A row is held by four lanes; the first of them writes.
  // CHECK-LABEL: llvm.func @redundant
  // CHECK-SAME: %[[M:[a-z0-9]*]]: i1,
  // CHECK: %[[C3:.*]] = arith.constant 3 : i32
  // CHECK: %[[L:.*]] = arith.andi %{{.*}}, %[[C3]]
  // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[L]], %{{.*}}
  // CHECK: %[[W:.*]] = arith.andi %[[M]], %[[FIRST]] : i1
  // CHECK: llvm.inline_asm has_side_effects "@$1 st.global.b16 [$0], $2;", "l,b,h,~{memory}" %{{.*}}, %[[W]],
  gpu.func @redundant(%m: i1, %x: bf16, %p: !goat_tile.ptr<bf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = goat_tile.iota : tensor<32xi32, #row>
    %ms = goat_tile.splat %m : i1 -> tensor<32xi1, #row>
    %xs = goat_tile.splat %x : bf16 -> tensor<32xbf16, #row>
    goat_tile.store %xs, %p[%i] masked(%ms : tensor<32xi1, #row>) : tensor<32xbf16, #row>, !goat_tile.ptr<bf16>, tensor<32xi32, #row>
    gpu.return
  }

  // A scalar is read by every thread; 8-bit elements travel in 16 bits.
  // CHECK-LABEL: llvm.func @scalar
  // CHECK-SAME: %[[M:[a-z0-9]*]]: i1,
  // CHECK: %[[W:.*]] = llvm.inline_asm has_side_effects "mov.b16 $0, 0;\0A\09@$2 ld.global.u8 $0, [$1];", "=&h,l,b,~{memory}" %{{.*}}, %[[M]]
  // CHECK: llvm.trunc %[[W]] : i16 to i8
  gpu.func @scalar(%m: i1, %i: i64, %p: !goat_tile.ptr<i8>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %x = goat_tile.load %p[%i] masked(%m : i1) : !goat_tile.ptr<i8>, i64 -> i8
    gpu.return
  }
}
