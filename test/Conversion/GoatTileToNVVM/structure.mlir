// RUN: goat-opt %s --convert-goat-tile-to-nvvm | FileCheck %s
// scf carries the registers of tiles; tokens and groups leave nothing behind.

#linear = #goat_tile.linear<threads = 32>

gpu.module @m {
  // CHECK-LABEL: llvm.func @loop
  gpu.func @loop(%n: i32, %out: !goat_tile.ptr<i32>, %stride: i64) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %i = goat_tile.iota : tensor<64xi32, #linear>
    %b = goat_tile.alloc {offset = 0} : !goat_tile.buffer<8x16xi32>
    %t = goat_tile.copy_async %out[%c0 to %n] stride(%stride) into %b : !goat_tile.ptr<i32>, !goat_tile.buffer<8x16xi32>
    // CHECK: nvvm.cp.async.commit.group
    %g = goat_tile.commit %t
    // CHECK: %[[R:.*]]:3 = scf.for {{.*}} -> (i32, i32, i32)
    %r:3 = scf.for %k = %c0 to %n step %c1 iter_args(%x = %i, %h = %g, %s = %c0) -> (tensor<64xi32, #linear>, !goat_tile.group, i32) : i32 {
      // CHECK: nvvm.cp.async.wait.group 1
      goat_tile.wait %h pending = 1
      // CHECK: nvvm.barrier0
      goat_tile.barrier
      %h2 = goat_tile.commit %t
      %odd = arith.trunci %k : i32 to i1
      // CHECK: scf.if %{{.*}} -> (i32, i32)
      %y = scf.if %odd -> tensor<64xi32, #linear> {
        %z = arith.addi %x, %x : tensor<64xi32, #linear>
        scf.yield %z : tensor<64xi32, #linear>
      } else {
        scf.yield %x : tensor<64xi32, #linear>
      }
      // CHECK: scf.yield %{{.*}}, %{{.*}}, %{{.*}} : i32, i32, i32
      scf.yield %y, %h2, %k : tensor<64xi32, #linear>, !goat_tile.group, i32
    }
    goat_tile.store %r#0, %out[%i] : tensor<64xi32, #linear>, !goat_tile.ptr<i32>, tensor<64xi32, #linear>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @while
  // CHECK: scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : (i32, i32) -> (i32, i32)
  gpu.func @while(%n: i32, %out: !goat_tile.ptr<i32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %i = goat_tile.iota : tensor<64xi32, #linear>
    %c = arith.constant true
    %r = scf.while (%x = %i) : (tensor<64xi32, #linear>) -> tensor<64xi32, #linear> {
      scf.condition(%c) %x : tensor<64xi32, #linear>
    } do {
    ^bb0(%x: tensor<64xi32, #linear>):
      scf.yield %x : tensor<64xi32, #linear>
    }
    goat_tile.store %r, %out[%i] : tensor<64xi32, #linear>, !goat_tile.ptr<i32>, tensor<64xi32, #linear>
    gpu.return
  }
}
