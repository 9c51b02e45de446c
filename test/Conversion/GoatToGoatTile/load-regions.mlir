// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64 load-q=kernel" --convert-goat-to-goat-tile | FileCheck %s
// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64" --convert-goat-to-goat-tile | FileCheck %s --check-prefix=BLOCK
// A kernel for each load region writes rows to a workspace, padded and rounded; the main
// kernel copies them from there. Another column of a row is read from memory.

// CHECK-LABEL: gpu.func @layer_load_query
// CHECK-SAME:    #goat_tile.workspace<0>
// CHECK:         %[[X:.*]] = goat_tile.load_rows {{.*}} -> tensor<64x48xbf16
// CHECK:         arith.extf %[[X]]
// CHECK:         goat_tile.reduce sum
// CHECK:         math.cos
// CHECK:         %[[OTHER:.*]] = goat_tile.load {{.*}} : <bf16>, tensor<64x48xi64, {{.*}} -> tensor<64x48xbf16
// CHECK-NOT:     goat_tile.reduce
// CHECK:         %[[Y:.*]] = arith.truncf
// CHECK:         goat_tile.store_rows %[[Y]], {{.*}} : tensor<64x48xbf16
// CHECK-LABEL: gpu.func @layer_load_key
// CHECK-SAME:    #goat_tile.workspace<1>
// CHECK-LABEL: gpu.func @layer(
// CHECK-SAME:    #goat_tile.workspace<0>
// CHECK-SAME:    #goat_tile.workspace<1>
// CHECK-NOT:     columns = 40
// CHECK:         goat_tile.copy_async {{.*}} <128x48xbf16, swizzled>
// CHECK:         goat_tile.copy_async {{.*}} <64x48xbf16, swizzled>

// A block transforms the rows of query that are its own, 16 of each warp at a time,
// while the first keys are under way.
// BLOCK-NOT:     gpu.func @layer_load_query
// BLOCK-LABEL: gpu.func @layer_load_key
// BLOCK-LABEL: gpu.func @layer(
// BLOCK-SAME:    load_k = "by a kernel before, which writes the rows"
// BLOCK-SAME:    load_q = "by each block for its own rows, before the first tile"
// BLOCK:         goat_tile.commit
// BLOCK:         goat_tile.load_rows {{.*}} -> tensor<64x48xbf16
// BLOCK:         goat_tile.reduce sum
// BLOCK:         math.cos
// BLOCK:         %[[Y:.*]] = arith.truncf
// BLOCK:         %[[COUNTED:.*]] = arith.select %{{.*}}, %[[Y]]
// BLOCK:         goat_tile.write_rows %[[COUNTED]], %{{.*}} : tensor<64x48xbf16, #goat_tile.mma<warps = 4>>, <128x48xbf16, swizzled>
// BLOCK:         goat_tile.write_rows {{.*}}first_row = 64
// BLOCK:         scf.for
func.func @layer(%q: tensor<?x4x?x40xbf16>, %k: tensor<?x2x?x40xbf16>, %v: tensor<?x2x?x64xbf16>, %omega: tensor<20xf32>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v load_q {
  ^bb0(%row: tensor<40xf32>, %b: index, %h: index, %i: index):
    %p = goat.query_position %b, %i
    %n = goat.rms_norm %row : tensor<40xf32>
    %r = goat.rope %n, %omega position %p : tensor<40xf32>, tensor<20xf32>
    goat.yield %r : tensor<40xf32>
  } load_k {
  ^bb0(%row: tensor<40xf32>, %b: index, %h: index, %j: index):
    %p = goat.key_position %b, %j
    %r = goat.rope %row, %omega position %p : tensor<40xf32>, tensor<20xf32>
    goat.yield %r : tensor<40xf32>
  } : (tensor<?x4x?x40xbf16>, tensor<?x2x?x40xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
