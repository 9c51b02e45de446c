// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64 strip=tile key-terms=add" --convert-goat-to-goat-tile --canonicalize --cse | FileCheck %s
// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64 mask-index=never" --convert-goat-to-goat-tile | FileCheck %s --check-prefix=NEVER
// Attention sinks and a window are two intervals: a kernel before lists the
// tiles of each, and the layer has one loop for each list.

// What is seen is told without evaluating the mask.
// CHECK-NOT:   mask_classes
// CHECK-LABEL: gpu.func @layer_mask_lists
// CHECK-SAME:  known_block_size = array<i32: 32, 1, 1>
// CHECK-NOT:   tensor<
// CHECK-LABEL: gpu.func @layer(
// CHECK:       %[[PARTIAL:.*]] = goat_tile.load %{{.*}}[%c0_i32] : <i32>, i32 -> i32
// CHECK:       %[[FULL:.*]] = goat_tile.load %{{.*}}[%c1_i32] : <i32>, i32 -> i32
// CHECK:       %[[ALL:.*]] = arith.addi %[[PARTIAL]], %[[FULL]]
// CHECK:       scf.for %{{.*}} = %c0_i32 to %[[PARTIAL]] step
// The tile after those under way is looked up a step before it is copied.
// CHECK:         goat_tile.load {{.*}} masked({{.*}}) : <i32>, i32 -> i32
// CHECK:         arith.select {{.*}} : tensor<128x64xi1
// CHECK:         scf.yield
// CHECK:       scf.for %{{.*}} = %[[PARTIAL]] to %[[ALL]] step
// CHECK-NOT:     arith.select {{.*}} : tensor<128x64xi1
// CHECK:         scf.yield
// CHECK-NOT:   scf.for
// CHECK:       gpu.return

// Without an index, everything between the first and the last key is seen.
// NEVER-NOT:   mask_lists
// NEVER-LABEL: gpu.func @layer(
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %w: i32)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %k
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %c4 = arith.constant 4 : i32
      %sinks = goat.prefix_mask %b, %j length(%c4)
      %window = goat.window_mask %b, %i, %j left(%w)
      %causal = goat.causal_mask %b, %i, %j
      %either = arith.ori %sinks, %window : i1
      %m = arith.andi %either, %causal : i1
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
