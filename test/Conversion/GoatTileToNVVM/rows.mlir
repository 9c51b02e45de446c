// RUN: goat-opt %s --convert-goat-tile-to-nvvm | FileCheck %s
// Rows of a matrix: neighbouring columns of a thread in one access, one address
// for each row, columns by constants, products of row and stride in i64.

#mma = #goat_tile.mma<warps = 1>
#row = #goat_tile.slice<axis = 1, #mma>

gpu.module @m {
  // CHECK-LABEL: llvm.func @load
  // CHECK-SAME: %[[P:[a-z0-9]*]]: !llvm.ptr<1>, %[[S:[a-z0-9]*]]: i64, %[[M:[a-z0-9]*]]: i1
  // CHECK: %[[R:.*]] = arith.extsi %{{.*}} : i32 to i64
  // CHECK: %[[RS:.*]] = arith.muli %[[R]], %[[S]] : i64
  // CHECK: %[[A:.*]] = arith.addi %[[RS]], %{{.*}} : i64
  // CHECK: %[[ROW:.*]] = llvm.getelementptr %[[P]][%[[A]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, bf16
  // CHECK: %[[W:.*]] = llvm.inline_asm has_side_effects "mov.b32 $0, 0;\0A\09@$2 ld.global.b32 $0, [$1];", "=&r,l,b,~{memory}" %[[ROW]], %[[M]]
  // CHECK: llvm.bitcast %[[W]] : i32 to vector<2xbf16>
  // CHECK: "{{.*}}@$2 ld.global.b32 $0, [$1];"
  // CHECK: "{{.*}}@$2 ld.global.b32 $0, [$1+16];", {{.*}} %[[ROW]], %[[M]]
  // CHECK: "{{.*}}@$2 ld.global.b32 $0, [$1+16];"
  // CHECK-NOT: ld.global
  // CHECK: llvm.return
  gpu.func @load(%p: !goat_tile.ptr<bf16>, %s: i64, %m: i1) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %r = goat_tile.iota : tensor<16xi32, #row>
    %ms = goat_tile.splat %m : i1 -> tensor<16xi1, #row>
    %t = goat_tile.load_rows %p[%r] masked(%ms) stride(%s) : !goat_tile.ptr<bf16>, tensor<16xi32, #row>, tensor<16xi1, #row> -> tensor<16x16xbf16, #mma>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @store
  // CHECK-COUNT-2: "@$1 st.global.v2.b32 [$0], {$2, $3};", "l,b,r,r,~{memory}"
  // CHECK-COUNT-2: "@$1 st.global.v2.b32 [$0+32], {$2, $3};", "l,b,r,r,~{memory}"
  // CHECK-NOT:     st.global
  // CHECK:         llvm.return
  gpu.func @store(%p: !goat_tile.ptr<f32>, %s: i64, %m: i1, %x: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %r = goat_tile.iota : tensor<16xi32, #row>
    %ms = goat_tile.splat %m : i1 -> tensor<16xi1, #row>
    %t = goat_tile.splat %x : f32 -> tensor<16x16xf32, #mma>
    goat_tile.store_rows %t, %p[%r] masked(%ms) stride(%s) : tensor<16x16xf32, #mma>, !goat_tile.ptr<f32>, tensor<16xi32, #row>, tensor<16xi1, #row>
    gpu.return
  }

  // Columns that no thread has to access are left out, those that only some
  // have are predicated.
  // CHECK-LABEL: llvm.func @columns
  // CHECK-COUNT-2: "@$1 st.global.v2.b32 [$0], {$2, $3};"
  // CHECK-NOT:     st.global
  // CHECK: llvm.return
  gpu.func @columns(%p: !goat_tile.ptr<f32>, %s: i64, %m: i1, %x: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %r = goat_tile.iota : tensor<16xi32, #row>
    %ms = goat_tile.splat %m : i1 -> tensor<16xi1, #row>
    %t = goat_tile.splat %x : f32 -> tensor<16x16xf32, #mma>
    goat_tile.store_rows %t, %p[%r] masked(%ms) stride(%s) {columns = 8 : i64} : tensor<16x16xf32, #mma>, !goat_tile.ptr<f32>, tensor<16xi32, #row>, tensor<16xi1, #row>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @odd_columns
  // CHECK: llvm.getelementptr
  // CHECK: %[[C3:.*]] = arith.constant 3 : i32
  // CHECK: %[[IN:.*]] = arith.cmpi slt, %{{.*}}, %[[C3]] : i32
  // CHECK: %[[W:.*]] = arith.andi %{{.*}}, %[[IN]] : i1
  // CHECK: "@$1 st.global.b32 [$0], $2;", "l,b,r,~{memory}" %{{.*}}, %[[W]],
  gpu.func @odd_columns(%p: !goat_tile.ptr<f32>, %s: i64, %m: i1, %x: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %r = goat_tile.iota : tensor<16xi32, #row>
    %ms = goat_tile.splat %m : i1 -> tensor<16xi1, #row>
    %t = goat_tile.splat %x : f32 -> tensor<16x8xf32, #mma>
    goat_tile.store_rows %t, %p[%r] masked(%ms) stride(%s) {columns = 3 : i64} : tensor<16x8xf32, #mma>, !goat_tile.ptr<f32>, tensor<16xi32, #row>, tensor<16xi1, #row>
    gpu.return
  }
}
