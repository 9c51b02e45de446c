// RUN: goat-opt %s --convert-goat-tile-to-nvvm | FileCheck %s
// A kernel keeps its attributes and those of its arguments, and says its block
// size; block indices are special registers.

gpu.module @m {
  // CHECK: llvm.mlir.global external @goat_shared() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<0 x i8>
  // CHECK:      llvm.func @kernel(
  // CHECK-SAME:   %{{.*}}: !llvm.ptr<1> {goat_tile.role = #goat_tile.output<0>}
  // CHECK-SAME:   %{{.*}}: i32 {goat_tile.role = #goat_tile.dim<0, 2>}
  // CHECK-SAME:   goat_tile.argument_names = ["query"]
  // CHECK-SAME:   goat_tile.shared_bytes = 0 : i32
  // CHECK-SAME:   nvvm.kernel
  // CHECK-SAME:   nvvm.reqntid = array<i32: 64, 1, 1>
  gpu.func @kernel(%out: !goat_tile.ptr<i32> {goat_tile.role = #goat_tile.output<0>},
                   %n: i32 {goat_tile.role = #goat_tile.dim<0, 2>}) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, goat_tile.argument_names = ["query"], goat_tile.shared_bytes = 0 : i32} {
    // CHECK: %[[Y:.*]] = nvvm.read.ptx.sreg.ctaid.y : i32
    // CHECK: %[[YI:.*]] = arith.index_cast %[[Y]] : i32 to index
    %y = gpu.block_id y
    %yi = arith.index_cast %y : index to i32
    // Read where it stands, which LLVM may not move.
    // CHECK: llvm.inline_asm has_side_effects "mov.u32 $0, %ctaid.z;", "=r"
    %z = goat_tile.block_index 2
    // One thread writes a scalar.
    // CHECK: %[[T:.*]] = nvvm.read.ptx.sreg.tid.x
    // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[T]], %{{.*}} : i32
    // CHECK: llvm.inline_asm has_side_effects "@$1 st.global.b32 [$0], $2;", "l,b,r,~{memory}" %{{.*}}, %[[FIRST]],
    goat_tile.store %n, %out[%yi] : i32, !goat_tile.ptr<i32>, i32
    // CHECK: llvm.return
    gpu.return
  }
}
