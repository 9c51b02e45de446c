// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64 strip=tile key-terms=add" --convert-goat-to-goat-tile | FileCheck %s
// A prefix language model sees the longer of its prefix and its past: one
// interval, from the first key on, and no index.

// CHECK-NOT:   mask_lists
// CHECK-LABEL: gpu.func @layer
// CHECK:       %[[LENGTH:.*]] = goat_tile.load %{{.*}}[{{.*}}] : <i32>, i32 -> i32
// CHECK:       scf.for
// CHECK-NOT:     arith.select {{.*}} : tensor<128x64xi1
// CHECK:         scf.yield
// CHECK:       scf.for
// CHECK:         arith.ori {{.*}} : tensor<128x64xi1
// CHECK-NOT:   scf.for
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %n: tensor<?xi32>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %k
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %length = tensor.extract %n[%b] : tensor<?xi32>
      %prefix = goat.prefix_mask %b, %j length(%length)
      %causal = goat.causal_mask %b, %i, %j
      %m = arith.ori %prefix, %causal : i1
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
