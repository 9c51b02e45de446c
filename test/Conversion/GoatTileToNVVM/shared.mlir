// RUN: goat-opt %s --convert-goat-tile-to-nvvm | FileCheck %s
// Buffers are i32 addresses; a thread accesses its elements by constant offsets
// from one address.

#mma = #goat_tile.mma<warps = 2>
#linear = #goat_tile.linear<threads = 64>

gpu.module @m {
  // A window of floats begins 4 bytes an element on.
  // CHECK-LABEL: llvm.func @window
  // CHECK-SAME: %[[I:[a-z0-9]*]]: i32
  // CHECK: %[[OFF:.*]] = arith.constant 512 : i32
  // CHECK: %[[B:.*]] = arith.addi %{{.*}}, %[[OFF]]
  // CHECK: %[[BYTES:.*]] = arith.constant 4 : i32
  // CHECK: %[[STEP:.*]] = arith.muli %[[I]], %[[BYTES]]
  // CHECK: arith.addi %[[B]], %[[STEP]]
  gpu.func @window(%i: i32, %x: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %b = goat_tile.alloc {offset = 512} : !goat_tile.buffer<384xf32>
    %w = goat_tile.window %b[%i] : !goat_tile.buffer<384xf32> -> !goat_tile.buffer<64xf32>
    %v = goat_tile.splat %x : f32 -> tensor<64xf32, #linear>
    goat_tile.write %v, %w : tensor<64xf32, #linear>, !goat_tile.buffer<64xf32>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @ring
  // CHECK-SAME: %[[I:[a-z0-9]*]]: i32
  // CHECK: %[[G:.*]] = llvm.mlir.addressof @goat_shared : !llvm.ptr<3>
  // CHECK: %[[GI:.*]] = llvm.ptrtoint %[[G]] : !llvm.ptr<3> to i32
  // A stage of 100 floats is 400 bytes.
  // CHECK: %[[BYTES:.*]] = arith.constant 400 : i32
  // CHECK: %[[STEP:.*]] = arith.muli %[[I]], %[[BYTES]]
  // What is constant in an address becomes an offset of the pointer.
  // CHECK: %[[S:.*]] = arith.addi %[[GI]], %[[STEP]]
  // CHECK: %[[A:.*]] = arith.addi %[[S]], %{{.*}}
  // CHECK: %[[R:.*]] = llvm.inttoptr %[[A]] : i32 to !llvm.ptr<3>
  // CHECK: %[[P:.*]] = llvm.getelementptr %[[R]][512] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  // CHECK: llvm.store %{{.*}}, %[[P]] {{.*}} : f32, !llvm.ptr<3>
  // CHECK: %[[PI:.*]] = llvm.ptrtoint %[[P]] : !llvm.ptr<3> to i32
  // CHECK: "@$1 st.shared.b32 [$0+256], $2;", "r,b,r,~{memory}" %[[PI]],
  // CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
  // CHECK: "mov.b32 $0, 0;\0A\09@$2 ld.shared.b32 $0, [$1+256];", "=&r,r,b,~{memory}"
  gpu.func @ring(%i: i32, %x: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %ring = goat_tile.alloc {offset = 512} : !goat_tile.buffer<2x100xf32>
    %s = goat_tile.stage %ring[%i] : !goat_tile.buffer<2x100xf32> -> !goat_tile.buffer<100xf32>
    %v = goat_tile.splat %x : f32 -> tensor<100xf32, #linear>
    goat_tile.write %v, %s : tensor<100xf32, #linear>, !goat_tile.buffer<100xf32>
    goat_tile.barrier
    %w = goat_tile.read %s : !goat_tile.buffer<100xf32> -> tensor<100xf32, #linear>
    gpu.return
  }

  // 32 registers of a 16×64 part of the tile hold 18 diagonals.
  // CHECK-LABEL: llvm.func @diagonals
  // CHECK: %[[D:.*]] = arith.subi
  // CHECK: %[[FOUR:.*]] = arith.constant 4 : i32
  // CHECK: arith.muli %[[D]], %[[FOUR]]
  // Row 0 and column 0 of the tile: element 63 of the strip.
  // CHECK: llvm.getelementptr %[[P:.*]][63] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32
  // CHECK: llvm.load
  // CHECK: llvm.getelementptr %[[P]][62]
  // CHECK: llvm.load
  // Rows 8 below.
  // CHECK: llvm.getelementptr %[[P]][71]
  // CHECK: llvm.load
  // CHECK: llvm.getelementptr %[[P]][70]
  // CHECK: llvm.load
  // The next column tile adds one diagonal for each of its columns.
  // CHECK: llvm.getelementptr %[[P]][55]
  // CHECK-COUNT-14: llvm.load
  // CHECK-NOT: llvm.load
  // CHECK: llvm.return
  gpu.func @diagonals() kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %strip = goat_tile.alloc {offset = 0} : !goat_tile.buffer<95xf32>
    %t = goat_tile.read_diagonals %strip : !goat_tile.buffer<95xf32> -> tensor<32x64xf32, #mma>
    gpu.return
  }
}
