// RUN: goat-opt %s --goat-tile-to-nvvm | goat-translate --nvvm-to-ptx --target=sm_80 2>&1 | FileCheck %s
// What LLVM makes of the lowered tiles: two floats round in one conversion, a
// thread's part of shared memory is one address and constants, exp2 is one
// instruction, and nothing warns about attributes of the kernel.

#mma = #goat_tile.mma<warps = 1>
#row = #goat_tile.slice<axis = 1, #mma>

gpu.module @m {
  // CHECK-NOT: warning
  // CHECK: .extern .shared .align 128 .b8 goat_shared[];
  // CHECK: .entry k(
  // CHECK: .reqntid 32
  // CHECK: ld.shared.b32 [[X:%r[0-9]+]], [[[P:%rd[0-9]+]]+28];
  // CHECK: ld.shared.b32 [[Y:%r[0-9]+]], [[[P]]+24];
  // CHECK-DAG: ex2.approx.ftz.f32 [[EX:%r[0-9]+]], [[X]];
  // CHECK-DAG: ex2.approx.ftz.f32 [[EY:%r[0-9]+]], [[Y]];
  // CHECK: cvt.rn.bf16x2.f32 [[W:%r[0-9]+]], [[EY]], [[EX]];
  // CHECK: @%p{{[0-9]+}} st.global.b32 [%rd{{[0-9]+}}], [[W]];
  gpu.func @k(%p: !goat_tile.ptr<bf16> {goat_tile.role = #goat_tile.output<0>},
              %n: i32 {goat_tile.role = #goat_tile.dim<0, 0>}) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %s = arith.constant 8 : i64
    %b = goat_tile.alloc : !goat_tile.buffer<23xf32>
    %t = goat_tile.read_diagonals %b : !goat_tile.buffer<23xf32> -> tensor<16x8xf32, #mma>
    %e = math.exp2 %t : tensor<16x8xf32, #mma>
    %h = arith.truncf %e : tensor<16x8xf32, #mma> to tensor<16x8xbf16, #mma>
    %r = goat_tile.iota : tensor<16xi32, #row>
    %ns = goat_tile.splat %n : i32 -> tensor<16xi32, #row>
    %ok = arith.cmpi slt, %r, %ns : tensor<16xi32, #row>
    goat_tile.store_rows %h, %p[%r] masked(%ok) stride(%s) : tensor<16x8xbf16, #mma>, !goat_tile.ptr<bf16>, tensor<16xi32, #row>, tensor<16xi1, #row>
    gpu.return
  }
}
