// RUN: goat-opt %s --goat-choose-schedule --convert-goat-to-goat-tile | FileCheck %s --check-prefixes=CHECK,EXACT
// RUN: goat-opt %s --goat-choose-schedule="f32-product=tf32" --convert-goat-to-goat-tile | FileCheck %s --check-prefixes=CHECK,TF32
// Attention of f32, exact unless tf32 is asked for: weights stay f32 and as they
// are, and are summed in f32 though no LSE is wanted. For tf32 a tile is rounded
// once it is there, and rows of value are stored padded to 128 bytes; columns in
// memory are as many as there are.

// CHECK-LABEL: gpu.func @layer
// EXACT-SAME:  f32_product = "exact", schedule = #goat_tile.schedule<flash_mma, rows = {{[0-9]+}}, keys = {{[0-9]+}}, warps = {{[0-9]+}}, stages = {{[0-9]+}}>
// TF32-SAME:   f32_product = "tf32", schedule = #goat_tile.schedule<flash_mma, {{.*}}, f32_product = tf32>
// CHECK:       goat_tile.alloc : <{{[0-9]+}}x40xf32, swizzled>
// CHECK:       goat_tile.alloc : <{{[0-9]+}}x{{[0-9]+}}x40xf32, swizzled>
// EXACT:       %[[V:.*]] = goat_tile.alloc : <{{[0-9]+}}x{{[0-9]+}}x40xf32, swizzled>
// TF32:        %[[V:.*]] = goat_tile.alloc : <{{[0-9]+}}x{{[0-9]+}}x64xf32, swizzled>
// CHECK:       goat_tile.copy_async {{.*}} {columns = 36 : i64}
// TF32:        goat_tile.wait
// TF32-NEXT:   goat_tile.round_tf32 %{{.*}} : <{{[0-9]+}}x40xf32, swizzled>
// EXACT-NOT:   goat_tile.round_tf32
// CHECK:       scf.for
// CHECK:         goat_tile.wait
// TF32:          goat_tile.round_tf32 %{{.*}} : <{{[0-9]+}}x40xf32, swizzled>
// TF32:          goat_tile.round_tf32 %{{.*}} : <{{[0-9]+}}x64xf32, swizzled>
// EXACT-NOT:     goat_tile.round_tf32
// CHECK:         goat_tile.barrier
// EXACT:         goat_tile.mma {{.*}} {b_transposed, f32_product = #goat_tile.f32_product<exact>}
// TF32:          goat_tile.mma {{.*}} {b_transposed, f32_product = #goat_tile.f32_product<tf32>, rounded}
// CHECK-NOT:     arith.truncf
// CHECK:         goat_tile.fold
// CHECK-NOT:     goat_tile.mma_row_sum
// EXACT:         goat_tile.mma {{.*}} {f32_product = #goat_tile.f32_product<exact>} : tensor<{{.*}}xf32, #goat_tile.mma<warps = {{[0-9]+}}>>, <{{[0-9]+}}x40xf32, swizzled> -> tensor<{{[0-9]+}}x40xf32,
// TF32:          goat_tile.mma {{.*}} {f32_product = #goat_tile.f32_product<tf32>, rounded} : tensor<{{.*}}xf32, #goat_tile.mma<warps = {{[0-9]+}}>>, <{{[0-9]+}}x64xf32, swizzled> -> tensor<{{[0-9]+}}x40xf32,
// CHECK:         scf.yield
// CHECK-NOT:   arith.truncf
// CHECK:       goat_tile.store_rows {{.*}} {columns = 36 : i64} : tensor<{{[0-9]+}}x40xf32,
func.func @layer(%q: tensor<?x4x?x36xf32>, %k: tensor<?x4x?x36xf32>, %v: tensor<?x4x?x36xf32>) -> tensor<?x4x?x36xf32> {
  %out = goat.attention %q, %k, %v : (tensor<?x4x?x36xf32>, tensor<?x4x?x36xf32>, tensor<?x4x?x36xf32>) -> (tensor<?x4x?x36xf32>)
  return %out : tensor<?x4x?x36xf32>
}

// The option leaves 16-bit elements as they are.
// CHECK-LABEL: gpu.func @narrow
// CHECK-NOT:   f32_product
func.func @narrow(%q: tensor<?x4x?x32xbf16>) -> tensor<?x4x?x32xbf16> {
  %out = goat.attention %q, %q, %q : (tensor<?x4x?x32xbf16>, tensor<?x4x?x32xbf16>, tensor<?x4x?x32xbf16>) -> (tensor<?x4x?x32xbf16>)
  return %out : tensor<?x4x?x32xbf16>
}
