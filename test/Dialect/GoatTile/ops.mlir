// RUN: goat-opt %s | goat-opt | FileCheck %s
// RUN: goat-opt %s --emit-bytecode | goat-opt | FileCheck %s
// RUN: goat-opt %s --goat-verify-tile -o /dev/null
// A kernel with every op of the dialect survives printing and parsing, and
// bytecode, and is a tile kernel.

#mma = #goat_tile.mma<warps = 4>
#op = #goat_tile.mma_operand<warps = 4>
#row = #goat_tile.slice<axis = 1, #mma>
#col = #goat_tile.slice<axis = 0, #mma>
#linear = #goat_tile.linear<threads = 128>

gpu.module @layer {
  // CHECK-LABEL: gpu.func @layer
  // CHECK-SAME: {goat_tile.role = #goat_tile.input<0>}
  // CHECK-SAME: {goat_tile.role = #goat_tile.output<0>}
  // CHECK-SAME: {goat_tile.role = #goat_tile.dim<0, 2>}
  gpu.func @layer(%q: !goat_tile.ptr<bf16> {goat_tile.role = #goat_tile.input<0>},
                  %u: !goat_tile.ptr<f32> {goat_tile.role = #goat_tile.input<1>},
                  %out: !goat_tile.ptr<bf16> {goat_tile.role = #goat_tile.output<0>},
                  %lse: !goat_tile.ptr<f32> {goat_tile.role = #goat_tile.output<1>},
                  %lq: i32 {goat_tile.role = #goat_tile.dim<0, 2>}) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i64
    // CHECK: goat_tile.block_index 2
    %bz = goat_tile.block_index 2
    // CHECK: goat_tile.alloc : <2x64x64xbf16, swizzled>
    %ring = goat_tile.alloc : !goat_tile.buffer<2x64x64xbf16, swizzled>
    // CHECK: goat_tile.alloc {offset = 1024 : i64} : <128x64xbf16, swizzled>
    %qs = goat_tile.alloc {offset = 1024 : i64} : !goat_tile.buffer<128x64xbf16, swizzled>
    // CHECK: goat_tile.alloc : <2x191xf32>
    %strips = goat_tile.alloc : !goat_tile.buffer<2x191xf32>
    // CHECK: goat_tile.advance %{{.*}}, %{{.*}} : <bf16>
    %p = goat_tile.advance %q, %c64 : !goat_tile.ptr<bf16>
    // CHECK: goat_tile.stage %{{.*}}[%{{.*}}] : <2x64x64xbf16, swizzled> -> <64x64xbf16, swizzled>
    %k = goat_tile.stage %ring[%c0] : !goat_tile.buffer<2x64x64xbf16, swizzled> -> !goat_tile.buffer<64x64xbf16, swizzled>
    // CHECK: goat_tile.stage %{{.*}}[%{{.*}}] : <2x191xf32> -> <191xf32>
    %strip = goat_tile.stage %strips[%c0] : !goat_tile.buffer<2x191xf32> -> !goat_tile.buffer<191xf32>
    // CHECK: goat_tile.window %{{.*}}[%{{.*}}] : <191xf32> -> <64xf32>
    %part = goat_tile.window %strip[%c0] : !goat_tile.buffer<191xf32> -> !goat_tile.buffer<64xf32>
    // CHECK: goat_tile.copy_async %{{.*}}[%{{.*}} to %{{.*}}] stride(%{{.*}}) into %{{.*}} : <bf16>, <128x64xbf16, swizzled>
    %t0 = goat_tile.copy_async %p[%c0 to %lq] stride(%c64) into %qs : !goat_tile.ptr<bf16>, !goat_tile.buffer<128x64xbf16, swizzled>
    // CHECK: into %{{.*}} {columns = 48 : i64} :
    %t1 = goat_tile.copy_async %p[%c0 to %lq] stride(%c64) into %k {columns = 48 : i64} : !goat_tile.ptr<bf16>, !goat_tile.buffer<64x64xbf16, swizzled>
    // CHECK: into %{{.*}} if %{{.*}} :
    %often = arith.cmpi slt, %c0, %lq : i32
    %t2 = goat_tile.copy_async %p[%c0 to %lq] stride(%c64) into %k if %often : !goat_tile.ptr<bf16>, !goat_tile.buffer<64x64xbf16, swizzled>
    // CHECK: goat_tile.commit %{{.*}}, %{{.*}}
    %g = goat_tile.commit %t0, %t1
    // CHECK: goat_tile.iota : tensor<191xi32, #goat_tile.linear<threads = 128>>
    %i = goat_tile.iota : tensor<191xi32, #linear>
    %f = arith.sitofp %i : tensor<191xi32, #linear> to tensor<191xf32, #linear>
    // CHECK: goat_tile.write %{{.*}}, %{{.*}} : tensor<191xf32, #goat_tile.linear<threads = 128>>, <191xf32>
    goat_tile.write %f, %strip : tensor<191xf32, #linear>, !goat_tile.buffer<191xf32>
    // CHECK: goat_tile.wait %{{.*}} pending = 1
    goat_tile.wait %g pending = 1
    // CHECK: goat_tile.barrier
    goat_tile.barrier
    // CHECK: goat_tile.read %{{.*}} : <191xf32> -> tensor<191xf32, #goat_tile.linear<threads = 128>>
    %f1 = goat_tile.read %strip : !goat_tile.buffer<191xf32> -> tensor<191xf32, #linear>
    // CHECK: goat_tile.read_diagonals %{{.*}} : <191xf32> -> tensor<128x64xf32, #goat_tile.mma<warps = 4>>
    %init = goat_tile.read_diagonals %strip : !goat_tile.buffer<191xf32> -> tensor<128x64xf32, #mma>
    // CHECK: goat_tile.read_at %{{.*}}[%{{.*}}] : <191xf32>, tensor<128x64xi32, #goat_tile.mma<warps = 4>> -> tensor<128x64xf32, #goat_tile.mma<warps = 4>>
    %places = arith.constant dense<3> : tensor<128x64xi32, #mma>
    %gathered = goat_tile.read_at %strip[%places] : !goat_tile.buffer<191xf32>, tensor<128x64xi32, #mma> -> tensor<128x64xf32, #mma>
    // CHECK: goat_tile.write_rows %{{.*}}, %{{.*}} {first_row = 64 : i64} : tensor<64x64xbf16, #goat_tile.mma<warps = 4>>, <128x64xbf16, swizzled>
    %rows = arith.constant dense<1.0> : tensor<64x64xbf16, #mma>
    goat_tile.write_rows %rows, %qs {first_row = 64 : i64} : tensor<64x64xbf16, #mma>, !goat_tile.buffer<128x64xbf16, swizzled>
    // CHECK: goat_tile.mma %{{.*}}, %{{.*}}, %{{.*}} {b_transposed} : !goat_tile.buffer<128x64xbf16, swizzled>, <64x64xbf16, swizzled> -> tensor<128x64xf32, #goat_tile.mma<warps = 4>>
    %s = goat_tile.mma %qs, %k, %init {b_transposed} : !goat_tile.buffer<128x64xbf16, swizzled>, !goat_tile.buffer<64x64xbf16, swizzled> -> tensor<128x64xf32, #mma>
    // CHECK: goat_tile.reduce max %{{.*}} axis = 1 : tensor<128x64xf32, #goat_tile.mma<warps = 4>> -> tensor<128xf32, #goat_tile.slice<axis = 1, #goat_tile.mma<warps = 4>>>
    %m = goat_tile.reduce max %s axis = 1 : tensor<128x64xf32, #mma> -> tensor<128xf32, #row>
    // CHECK: goat_tile.fold %{{.*}} : tensor<128x64xf32, #goat_tile.mma<warps = 4>> -> tensor<128x4xf32, #goat_tile.mma_partial<warps = 4>>
    %folded = goat_tile.fold %s : tensor<128x64xf32, #mma> -> tensor<128x4xf32, #goat_tile.mma_partial<warps = 4>>
    // CHECK: goat_tile.write_parts %{{.*}}, %{{.*}} : tensor<64xf32, #goat_tile.linear<threads = 128>>, <64x8xbf16>
    %parts = goat_tile.alloc : !goat_tile.buffer<64x8xbf16>
    %u64 = arith.constant dense<1.0> : tensor<64xf32, #linear>
    goat_tile.write_parts %u64, %parts : tensor<64xf32, #linear>, !goat_tile.buffer<64x8xbf16>
    %i64 = goat_tile.iota : tensor<64xi32, #linear>
    %m64 = arith.cmpi slt, %i64, %i64 : tensor<64xi32, #linear>
    // CHECK: goat_tile.store_parts %{{.*}}, %{{.*}}[%{{.*}}] masked(%{{.*}}) : tensor<64xf32, #goat_tile.linear<threads = 128>>, <bf16>, tensor<64xi32, #goat_tile.linear<threads = 128>>, tensor<64xi1, #goat_tile.linear<threads = 128>>
    goat_tile.store_parts %u64, %p[%i64] masked(%m64) : tensor<64xf32, #linear>, !goat_tile.ptr<bf16>, tensor<64xi32, #linear>, tensor<64xi1, #linear>
    // CHECK: goat_tile.mma_ones %{{.*}}, %{{.*}} : <64x8xbf16> -> tensor<128x64xf32, #goat_tile.mma<warps = 4>>
    %ones = goat_tile.mma_ones %parts, %s : !goat_tile.buffer<64x8xbf16> -> tensor<128x64xf32, #mma>
    // CHECK: goat_tile.read_diagonal_quads %{{.*}} : <192x4xf32> -> tensor<128x64xf32, #goat_tile.mma<warps = 4>>
    %quads = goat_tile.alloc : !goat_tile.buffer<256x4xf32>
    %some = goat_tile.window %quads[%c0] : !goat_tile.buffer<256x4xf32> -> !goat_tile.buffer<192x4xf32>
    %diagonals = goat_tile.read_diagonal_quads %some : !goat_tile.buffer<192x4xf32> -> tensor<128x64xf32, #mma>
    // CHECK: goat_tile.warp_any %{{.*}} : tensor<128xi1, #goat_tile.slice<axis = 1, #goat_tile.mma<warps = 4>>>
    %rises = arith.cmpf ogt, %m, %m : tensor<128xf32, #row>
    %any = goat_tile.warp_any %rises : tensor<128xi1, #row>
    // CHECK: goat_tile.expand %{{.*}} axis = 1 :
    %me = goat_tile.expand %m axis = 1 : tensor<128xf32, #row> -> tensor<128x64xf32, #mma>
    %d = arith.subf %s, %me : tensor<128x64xf32, #mma>
    %w = arith.truncf %d : tensor<128x64xf32, #mma> to tensor<128x64xbf16, #mma>
    // CHECK: goat_tile.convert_layout %{{.*}} : tensor<128x64xbf16, #goat_tile.mma<warps = 4>> -> tensor<128x64xbf16, #goat_tile.mma_operand<warps = 4>>
    %a = goat_tile.convert_layout %w : tensor<128x64xbf16, #mma> -> tensor<128x64xbf16, #op>
    // CHECK: goat_tile.mma_row_sum %{{.*}}, %{{.*}} : tensor<128x64xbf16, #goat_tile.mma_operand<warps = 4>> -> tensor<128x8xf32, #goat_tile.mma<warps = 4>>
    %none = arith.constant dense<0.0> : tensor<128x8xf32, #mma>
    %sums = goat_tile.mma_row_sum %a, %none : tensor<128x64xbf16, #op> -> tensor<128x8xf32, #mma>
    // CHECK: goat_tile.mma %{{.*}}, %{{.*}}, %{{.*}} : tensor<128x64xbf16, #goat_tile.mma_operand<warps = 4>>,
    %o = goat_tile.mma %a, %k, %d : tensor<128x64xbf16, #op>, !goat_tile.buffer<64x64xbf16, swizzled> -> tensor<128x64xf32, #mma>
    // CHECK: goat_tile.load %{{.*}}[%{{.*}}] : <f32>, i32 -> f32
    %x = goat_tile.load %u[%c0] : !goat_tile.ptr<f32>, i32 -> f32
    // CHECK: goat_tile.round_tf32 %{{.*}} : <64x96xf32, swizzled>
    // CHECK: goat_tile.mma %{{.*}}, %{{.*}}, %{{.*}} {f32_product = #goat_tile.f32_product<tf32>, rounded} : tensor<128x64xf32, #goat_tile.mma<warps = 4>>, <64x96xf32, swizzled> ->
    %wide = goat_tile.alloc : !goat_tile.buffer<64x96xf32, swizzled>
    goat_tile.round_tf32 %wide : !goat_tile.buffer<64x96xf32, swizzled>
    %of = goat_tile.mma %d, %wide, %d {f32_product = #goat_tile.f32_product<tf32>, rounded} : tensor<128x64xf32, #mma>, !goat_tile.buffer<64x96xf32, swizzled> -> tensor<128x64xf32, #mma>
    // CHECK: goat_tile.splat %{{.*}} : f32 -> tensor<128x64xf32, #goat_tile.mma<warps = 4>>
    %xs = goat_tile.splat %x : f32 -> tensor<128x64xf32, #mma>
    %r = goat_tile.iota : tensor<128xi32, #row>
    %lqs = goat_tile.splat %lq : i32 -> tensor<128xi32, #row>
    %ok = arith.cmpi slt, %r, %lqs : tensor<128xi32, #row>
    // CHECK: goat_tile.load %{{.*}}[%{{.*}}] masked(%{{.*}} : tensor<128xi1, #goat_tile.slice<axis = 1, #goat_tile.mma<warps = 4>>>) :
    %y = goat_tile.load %u[%r] masked(%ok : tensor<128xi1, #row>) : !goat_tile.ptr<f32>, tensor<128xi32, #row> -> tensor<128xf32, #row>
    // CHECK: goat_tile.store %{{.*}}, %{{.*}}[%{{.*}}] masked(%{{.*}} :
    goat_tile.store %y, %lse[%r] masked(%ok : tensor<128xi1, #row>) : tensor<128xf32, #row>, !goat_tile.ptr<f32>, tensor<128xi32, #row>
    // CHECK: goat_tile.load_rows %{{.*}}[%{{.*}}] masked(%{{.*}}) stride(%{{.*}}) :
    %own = goat_tile.load_rows %q[%r] masked(%ok) stride(%c64) : !goat_tile.ptr<bf16>, tensor<128xi32, #row>, tensor<128xi1, #row> -> tensor<128x64xbf16, #mma>
    // CHECK: goat_tile.store_rows %{{.*}}, %{{.*}}[%{{.*}}] masked(%{{.*}}) stride(%{{.*}}) {columns = 48 : i64} :
    goat_tile.store_rows %own, %out[%r] masked(%ok) stride(%c64) {columns = 48 : i64} : tensor<128x64xbf16, #mma>, !goat_tile.ptr<bf16>, tensor<128xi32, #row>, tensor<128xi1, #row>
    // CHECK: goat_tile.store_rows %{{.*}}, %{{.*}}[%{{.*}}] masked(%{{.*}}) stride(%{{.*}}) column_stride(%{{.*}}) {alignment = 2 : i64} :
    goat_tile.store_rows %own, %out[%r] masked(%ok) stride(%c64) column_stride(%c64) {alignment = 2 : i64} : tensor<128x64xbf16, #mma>, !goat_tile.ptr<bf16>, tensor<128xi32, #row>, tensor<128xi1, #row>
    gpu.return
  }
}
