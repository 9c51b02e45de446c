// RUN: goat-opt %s -split-input-file --convert-goat-tile-to-nvvm | FileCheck %s
// Copies of 16 bytes, dealt out to the threads of the block; rows past the end
// read nothing and become zeros.

gpu.module @m {
  // 64 rows of 8 chunks on 128 threads: four copies each, 16 rows apart.
  // CHECK-LABEL: llvm.func @rows
  // CHECK-SAME: %[[P:[a-z0-9]*]]: !llvm.ptr<1>, %[[F:[a-z0-9]*]]: i32, %[[N:[a-z0-9]*]]: i32, %[[S:[a-z0-9]*]]: i64
  // CHECK: %[[R:.*]] = arith.shrui
  // CHECK: %[[ROW:.*]] = arith.addi %[[F]], %[[R]] : i32
  // CHECK: %[[WIDE:.*]] = arith.extsi %[[ROW]] : i32 to i64
  // CHECK: arith.muli %[[WIDE]], %[[S]] : i64
  // CHECK: %[[SRC:.*]] = llvm.getelementptr %[[P]]
  // CHECK: %[[IN:.*]] = arith.cmpi slt, %{{.*}}, %[[N]]
  // CHECK: %[[BYTES:.*]] = arith.select %[[IN]], %{{.*}}, %{{.*}} : i32
  // CHECK: nvvm.cp.async.shared.global %{{.*}}, %[[SRC]], 16, cache = cg, %[[BYTES]]
  // The next: 16 rows on in both memories, the swizzle stays.
  // CHECK: llvm.getelementptr %[[SRC]][%{{.*}}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, bf16
  // CHECK: %[[C2048:.*]] = arith.constant 2048 : i32
  // CHECK: arith.addi %{{.*}}, %[[C2048]]
  // CHECK: nvvm.cp.async.shared.global
  // CHECK-COUNT-2: nvvm.cp.async.shared.global
  // CHECK-NOT: nvvm.cp.async.shared.global
  // CHECK: nvvm.cp.async.commit.group
  gpu.func @rows(%p: !goat_tile.ptr<bf16>, %f: i32, %n: i32, %s: i64) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %b = goat_tile.alloc {offset = 0} : !goat_tile.buffer<64x64xbf16, swizzled>
    %t = goat_tile.copy_async %p[%f to %n] stride(%s) into %b : !goat_tile.ptr<bf16>, !goat_tile.buffer<64x64xbf16, swizzled>
    %g = goat_tile.commit %t
    gpu.return
  }

  // Columns past `columns` are zeros too.
  // CHECK-LABEL: llvm.func @columns
  // CHECK: %[[C48:.*]] = arith.constant 48 : i32
  // CHECK: %[[IN:.*]] = arith.cmpi slt, %{{.*}}, %[[C48]]
  // CHECK: %[[BOTH:.*]] = arith.andi %{{.*}}, %[[IN]] : i1
  // CHECK: arith.select %[[BOTH]]
  gpu.func @columns(%p: !goat_tile.ptr<bf16>, %f: i32, %n: i32, %s: i64) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %b = goat_tile.alloc {offset = 0} : !goat_tile.buffer<16x64xbf16, swizzled>
    %t = goat_tile.copy_async %p[%f to %n] stride(%s) into %b {columns = 48 : i64} : !goat_tile.ptr<bf16>, !goat_tile.buffer<16x64xbf16, swizzled>
    gpu.return
  }
}

// -----

gpu.module @m {
  // Rows of three panels of 64 bytes: four threads copy a row of a panel, half of
  // the threads have one, and each copies the same place of all three.
  // CHECK-LABEL: llvm.func @uneven
  // CHECK: %[[C8:.*]] = arith.constant 8 : i32
  // CHECK: %[[IN:.*]] = arith.cmpi slt, %{{.*}}, %[[C8]]
  // CHECK: scf.if %[[IN]] {
  // CHECK-COUNT-3: nvvm.cp.async.shared.global
  // CHECK-NOT: nvvm.cp.async.shared.global
  // CHECK: llvm.return
  gpu.func @uneven(%p: !goat_tile.ptr<bf16>, %f: i32, %n: i32, %s: i64) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %b = goat_tile.alloc {offset = 0} : !goat_tile.buffer<8x96xbf16, swizzled>
    %t = goat_tile.copy_async %p[%f to %n] stride(%s) into %b : !goat_tile.ptr<bf16>, !goat_tile.buffer<8x96xbf16, swizzled>
    gpu.return
  }
}

// -----

gpu.module @m {
  // A condition holds for all of a copy, besides that of threads without a row: a
  // predicate.
  // CHECK-LABEL: llvm.func @if
  // CHECK-SAME: %[[C:[a-z0-9]*]]: i1
  // CHECK: llvm.inline_asm {{.*}}"@$3 cp.async.cg.shared.global [$0], [$1], 16, $2;", "r,l,r,b,~{memory}" %{{.*}}, %{{.*}}, %{{.*}}, %[[C]] :
  // CHECK-COUNT-3: "@$3 cp.async.cg.shared.global [$0], [$1], 16, $2;"{{.*}}, %[[C]] :
  // CHECK: %[[BOTH:.*]] = arith.andi %{{.*}}, %[[C]] : i1
  // CHECK: "@$3 cp.async.cg.shared.global [$0], [$1], 16, $2;"{{.*}}, %[[BOTH]] :
  gpu.func @if(%p: !goat_tile.ptr<bf16>, %f: i32, %n: i32, %s: i64, %c: i1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %b = goat_tile.alloc {offset = 0} : !goat_tile.buffer<72x64xbf16, swizzled>
    %t = goat_tile.copy_async %p[%f to %n] stride(%s) into %b if %c : !goat_tile.ptr<bf16>, !goat_tile.buffer<72x64xbf16, swizzled>
    gpu.return
  }

  // Where there is no asynchronous copy it holds for the store.
  // CHECK-LABEL: llvm.func @if_bytes
  // CHECK: "@$1 st.shared
  gpu.func @if_bytes(%p: !goat_tile.ptr<bf16>, %f: i32, %n: i32, %s: i64, %c: i1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %b = goat_tile.alloc {offset = 0} : !goat_tile.buffer<64x64xbf16, swizzled>
    %t = goat_tile.copy_async %p[%f to %n] stride(%s) into %b if %c {alignment = 2 : i64} : !goat_tile.ptr<bf16>, !goat_tile.buffer<64x64xbf16, swizzled>
    gpu.return
  }
}

// -----

gpu.module @two_sizes {
  // Each kernel's copies are dealt out to the threads of its own block.
  // CHECK-LABEL: llvm.func @wide
  // CHECK-COUNT-4: nvvm.cp.async.shared.global
  // CHECK-NOT: nvvm.cp.async.shared.global
  gpu.func @wide(%p: !goat_tile.ptr<bf16>, %n: i32, %s: i64) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %b = goat_tile.alloc {offset = 0} : !goat_tile.buffer<64x64xbf16, swizzled>
    %t = goat_tile.copy_async %p[%c0 to %n] stride(%s) into %b : !goat_tile.ptr<bf16>, !goat_tile.buffer<64x64xbf16, swizzled>
    gpu.return
  }
  // CHECK-LABEL: llvm.func @narrow
  // CHECK-COUNT-16: nvvm.cp.async.shared.global
  // CHECK-NOT: nvvm.cp.async.shared.global
  gpu.func @narrow(%p: !goat_tile.ptr<bf16>, %n: i32, %s: i64) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %b = goat_tile.alloc {offset = 0} : !goat_tile.buffer<64x64xbf16, swizzled>
    %t = goat_tile.copy_async %p[%c0 to %n] stride(%s) into %b : !goat_tile.ptr<bf16>, !goat_tile.buffer<64x64xbf16, swizzled>
    gpu.return
  }
}
