// Two kernels in one artifact: the first fills two regions of the workspace,
// ones and the squares from last to first, with 64 threads; the second, with 128
// threads and shared memory, multiplies one by the other.

// RUN: rm -rf %t && mkdir -p %t/both %t/alone
// RUN: goat-opt %s --goat-tile-to-nvvm -o %t/nvvm.mlir
// RUN: goat-translate %t/nvvm.mlir --nvvm-to-ptx --target=sm_80 -o %t/both/kernel.ptx
// RUN: goat-translate %t/nvvm.mlir --nvvm-to-kernel-json --target=sm_80 -o %t/both/kernel.json
// RUN: cp %S/Inputs/two-launches/source.mlir %t/both
// RUN: goat-run %t/both --compare --size x.0=300 --seed 1 | FileCheck %s
// RUN: goat-run %t/both --compare --size x.0=64 --seed 2 | FileCheck %s
// RUN: goat-run %t/both --compare --size x.0=0 | FileCheck %s
// CHECK: right
// CHECK: 0 findings

// Without its first launch the second one reads what nobody wrote.
// RUN: cp %t/both/kernel.ptx %t/both/source.mlir %t/alone
// RUN: %python %S/Inputs/two-launches/drop_first.py %t/both/kernel.json %t/alone/kernel.json
// RUN: not goat-run %t/alone --size x.0=300 | FileCheck %s --check-prefix=ALONE
// ALONE: uninitialised-memory at line {{.*}} in square: {{.*}} near 'workspace'

#one = #goat_tile.linear<threads = 64>
#two = #goat_tile.linear<threads = 128>

gpu.module @square {
  gpu.func @fill(
      %x: !goat_tile.ptr<f32> {goat_tile.role = #goat_tile.input<0>},
      %ones: !goat_tile.ptr<bf16> {goat_tile.role = #goat_tile.workspace<0>},
      %squares: !goat_tile.ptr<f32> {goat_tile.role = #goat_tile.workspace<1>},
      %n: i32 {goat_tile.role = #goat_tile.dim<0, 0>}) kernel attributes {
        known_block_size = array<i32: 64, 1, 1>,
        goat_tile.grid = affine_map<()[s0] -> (s0 ceildiv 64, 1, 1)>,
        goat_tile.grid_dims = [#goat_tile.dim<0, 0>]} {
    %c64 = arith.constant 64 : i32
    %block = goat_tile.block_index 0
    %first = arith.muli %block, %c64 : i32
    %firsts = goat_tile.splat %first : i32 -> tensor<64xi32, #one>
    %j = goat_tile.iota : tensor<64xi32, #one>
    %i = arith.addi %firsts, %j : tensor<64xi32, #one>
    %ns = goat_tile.splat %n : i32 -> tensor<64xi32, #one>
    %ok = arith.cmpi slt, %i, %ns : tensor<64xi32, #one>
    %v = goat_tile.load %x[%i] masked(%ok : tensor<64xi1, #one>) : !goat_tile.ptr<f32>, tensor<64xi32, #one> -> tensor<64xf32, #one>
    %square = arith.mulf %v, %v : tensor<64xf32, #one>
    %c1 = arith.constant dense<1> : tensor<64xi32, #one>
    %last = arith.subi %ns, %c1 : tensor<64xi32, #one>
    %reversed = arith.subi %last, %i : tensor<64xi32, #one>
    goat_tile.store %square, %squares[%reversed] masked(%ok : tensor<64xi1, #one>) : tensor<64xf32, #one>, !goat_tile.ptr<f32>, tensor<64xi32, #one>
    %one = arith.constant dense<1.0> : tensor<64xbf16, #one>
    goat_tile.store %one, %ones[%i] masked(%ok : tensor<64xi1, #one>) : tensor<64xbf16, #one>, !goat_tile.ptr<bf16>, tensor<64xi32, #one>
    gpu.return
  }

  gpu.func @square(
      %ones: !goat_tile.ptr<bf16> {goat_tile.role = #goat_tile.workspace<0>},
      %squares: !goat_tile.ptr<f32> {goat_tile.role = #goat_tile.workspace<1>},
      %y: !goat_tile.ptr<f32> {goat_tile.role = #goat_tile.output<0>},
      %n: i32 {goat_tile.role = #goat_tile.dim<0, 0>}) kernel attributes {
        known_block_size = array<i32: 128, 1, 1>,
        goat_tile.grid = affine_map<()[s0] -> (s0 ceildiv 128, 1, 1)>,
        goat_tile.grid_dims = [#goat_tile.dim<0, 0>],
        goat_tile.source = (tensor<?xf32>) -> tensor<?xf32>,
        goat_tile.argument_names = ["x"], goat_tile.result_names = ["y"],
        goat_tile.result_dims = [[#goat_tile.dim<0, 0>]],
        goat_tile.workspaces = [affine_map<()[s0] -> (s0 * 2)>, affine_map<()[s0] -> (s0 * 4)>],
        goat_tile.workspace_dims = [#goat_tile.dim<0, 0>]} {
    %c128 = arith.constant 128 : i32
    %block = goat_tile.block_index 0
    %first = arith.muli %block, %c128 : i32
    %firsts = goat_tile.splat %first : i32 -> tensor<128xi32, #two>
    %j = goat_tile.iota : tensor<128xi32, #two>
    %i = arith.addi %firsts, %j : tensor<128xi32, #two>
    %ns = goat_tile.splat %n : i32 -> tensor<128xi32, #two>
    %ok = arith.cmpi slt, %i, %ns : tensor<128xi32, #two>
    %c1 = arith.constant dense<1> : tensor<128xi32, #two>
    %last = arith.subi %ns, %c1 : tensor<128xi32, #two>
    %reversed = arith.subi %last, %i : tensor<128xi32, #two>
    %s = goat_tile.load %squares[%reversed] masked(%ok : tensor<128xi1, #two>) : !goat_tile.ptr<f32>, tensor<128xi32, #two> -> tensor<128xf32, #two>
    %buffer = goat_tile.alloc : !goat_tile.buffer<128xf32>
    goat_tile.write %s, %buffer : tensor<128xf32, #two>, !goat_tile.buffer<128xf32>
    goat_tile.barrier
    %t = goat_tile.read %buffer : !goat_tile.buffer<128xf32> -> tensor<128xf32, #two>
    %o = goat_tile.load %ones[%i] masked(%ok : tensor<128xi1, #two>) : !goat_tile.ptr<bf16>, tensor<128xi32, #two> -> tensor<128xbf16, #two>
    %f = arith.extf %o : tensor<128xbf16, #two> to tensor<128xf32, #two>
    %r = arith.mulf %t, %f : tensor<128xf32, #two>
    goat_tile.store %r, %y[%i] masked(%ok : tensor<128xi1, #two>) : tensor<128xf32, #two>, !goat_tile.ptr<f32>, tensor<128xi32, #two>
    gpu.return
  }
}
