// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64" --convert-goat-to-goat-tile | FileCheck %s
// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64 key-terms=add" --convert-goat-to-goat-tile | FileCheck %s --check-prefix=ADD
// A kernel before writes the values over the keys to a workspace, as bf16 parts or, to be
// added, as they are; the main kernel copies those of a tile beside its keys.

// One table for each head: the term does not vary with the batch entry.
// CHECK:       affine_map<()[s0, s1, s2] -> ((s1 ceildiv 64) * 4096)>
// CHECK:       gpu.func @layer_key_table({{.*}}%[[W:[a-z0-9]+]]: !goat_tile.ptr<bf16> {goat_tile.role = #goat_tile.workspace<0>}
// CHECK:       goat_tile.store_parts %{{.*}}, %{{.*}}[%{{.*}}] masked(%{{.*}}) : tensor<128xf32, #goat_tile.linear<threads = 128>>, <bf16>
// CHECK:       gpu.return

// CHECK:       gpu.func @layer(
// CHECK-SAME:  key_terms = "vector over the keys in bf16 parts, added by the multiply, copied from a table that a kernel before writes"
// CHECK:       %[[RING:.*]] = goat_tile.alloc : <2x64x8xbf16>
// CHECK-NOT:   goat_tile.write
// CHECK:       %[[FIRST:.*]] = goat_tile.stage %[[RING]]
// CHECK:       goat_tile.copy_async {{.*}} into %[[FIRST]]
// CHECK:       scf.for
// CHECK:         %[[NEXT:.*]] = goat_tile.stage %[[RING]]
// CHECK:         goat_tile.copy_async {{.*}} into %[[NEXT]]
// CHECK:         %[[THIS:.*]] = goat_tile.stage %[[RING]]
// CHECK:         goat_tile.mma_ones %[[THIS]]

// ADD:         affine_map<()[s0, s1, s2] -> ((s1 ceildiv 64) * 1024)>
// ADD:         gpu.func @layer_key_table(
// ADD:         goat_tile.store %{{.*}} : tensor<128xf32, #goat_tile.linear<threads = 128>>, <f32>
// ADD:         gpu.func @layer(
// ADD:         %[[RING:.*]] = goat_tile.alloc : <2x1x64xf32>
// ADD:         scf.for
// ADD:           %[[NEXT:.*]] = goat_tile.stage %[[RING]]
// ADD:           goat_tile.copy_async {{.*}} into %[[NEXT]]
// ADD:           %[[THIS:.*]] = goat_tile.stage %[[RING]]
// ADD:           %[[ROW:.*]] = goat_tile.stage %[[THIS]]
// ADD-NEXT:      goat_tile.read %[[ROW]]
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>,
    %u: tensor<4x?xf32>, %lengths: tensor<?xi32>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v k_lengths(%lengths : tensor<?xi32>)
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %p = goat.key_prior %u at (%b, %h, %j) : tensor<4x?xf32>
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
