// RUN: goat-opt %s --convert-goat-tile-to-nvvm | FileCheck %s
// An elementwise op on a tile is the same op on each register; what is one
// value in several registers is computed once.

#mma = #goat_tile.mma<warps = 1>
#row = #goat_tile.slice<axis = 1, #mma>
#col = #goat_tile.slice<axis = 0, #mma>

gpu.module @m {
  // CHECK-LABEL: llvm.func @elementwise(
  // CHECK-SAME:    %[[X:.*]]: f32, %[[OUT:.*]]: !llvm.ptr<1>)
  gpu.func @elementwise(%x: f32, %out: !goat_tile.ptr<f32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %z = arith.constant 0 : i32
    // A splat and a constant stand in one scalar each.
    // CHECK:     %[[TWO:.*]] = arith.constant 2.0{{.*}} : f32
    %two = arith.constant dense<2.0> : tensor<16xf32, #row>
    %xs = goat_tile.splat %x : f32 -> tensor<16xf32, #row>
    // CHECK:     %[[A:.*]] = arith.mulf %[[X]], %[[TWO]] fastmath<contract> : f32
    // CHECK-NOT: arith.mulf
    %a = arith.mulf %xs, %two fastmath<contract> : tensor<16xf32, #row>
    // A row's value is computed once for all its columns.
    // CHECK-COUNT-2: arith.sitofp
    // CHECK-NOT:     arith.sitofp
    %i = goat_tile.iota : tensor<16xi32, #row>
    %f = arith.sitofp %i : tensor<16xi32, #row> to tensor<16xf32, #row>
    %fe = goat_tile.expand %f axis = 1 : tensor<16xf32, #row> -> tensor<16x16xf32, #mma>
    // CHECK-COUNT-2: math.exp2
    // CHECK-NOT:     math.exp2
    %e = math.exp2 %fe : tensor<16x16xf32, #mma>
    // Eight registers hold the 16×16 tile: two rows of four columns.
    // CHECK-COUNT-4: arith.cmpi slt
    // CHECK-NOT:     arith.cmpi slt
    %j = goat_tile.iota : tensor<16xi32, #col>
    %js = arith.constant dense<9> : tensor<16xi32, #col>
    %c = arith.cmpi slt, %j, %js : tensor<16xi32, #col>
    %ce = goat_tile.expand %c axis = 0 : tensor<16xi1, #col> -> tensor<16x16xi1, #mma>
    // CHECK-COUNT-8: arith.select
    // CHECK-NOT:     arith.select
    %zero = arith.constant dense<0.0> : tensor<16x16xf32, #mma>
    %s = arith.select %ce, %e, %zero : tensor<16x16xi1, #mma>, tensor<16x16xf32, #mma>
    %m = goat_tile.reduce max %s axis = 1 : tensor<16x16xf32, #mma> -> tensor<16xf32, #row>
    %sum = arith.addf %m, %a : tensor<16xf32, #row>
    goat_tile.store %sum, %out[%i] : tensor<16xf32, #row>, !goat_tile.ptr<f32>, tensor<16xi32, #row>
    gpu.return
  }

  // A condition that is no tile chooses whole tiles.
  // CHECK-LABEL: llvm.func @scalar_condition(
  // CHECK-SAME:    %[[C:.*]]: i1,
  // CHECK-COUNT-2: arith.select %[[C]], %{{.*}}, %{{.*}} : f32
  // CHECK-NOT:     arith.select
  gpu.func @scalar_condition(%c: i1, %out: !goat_tile.ptr<f32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %i = goat_tile.iota : tensor<16xi32, #row>
    %f = arith.sitofp %i : tensor<16xi32, #row> to tensor<16xf32, #row>
    %g = arith.negf %f : tensor<16xf32, #row>
    %s = arith.select %c, %f, %g : tensor<16xf32, #row>
    goat_tile.store %s, %out[%i] : tensor<16xf32, #row>, !goat_tile.ptr<f32>, tensor<16xi32, #row>
    gpu.return
  }
}
