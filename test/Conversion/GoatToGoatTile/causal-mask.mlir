// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64 strip=tile key-terms=add" --convert-goat-to-goat-tile | FileCheck %s
// The mask op says which tiles every query of a block sees whole: they are worked
// on without the mask, and tiles past the diagonal are not worked on at all.

// CHECK-LABEL: gpu.func @layer
// CHECK:       %[[FULL:.*]]:5 = scf.for %{{.*}} = %{{.*}} to %[[FULL_END:.*]] step
// CHECK-NOT:     arith.select %{{.*}} : tensor<128x64xi1
// CHECK:         scf.yield
// CHECK:       scf.for %{{.*}} = %[[FULL_END]] to %{{.*}} step {{.*}} iter_args(%{{.*}} = %[[FULL]]#0,
// CHECK:         %[[SCORE:.*]] = goat_tile.mma {{.*}} {b_transposed}
// CHECK:         %[[CAUSAL:.*]] = arith.cmpi sle, {{.*}} : tensor<128x64xi32
// CHECK:         %[[ALLOWED:.*]] = arith.andi %{{.*}}, %[[CAUSAL]]
// CHECK:         %[[NEVER:.*]] = arith.constant dense<0xFF800000> : tensor<128x64xf32
// CHECK:         arith.select %[[ALLOWED]], %[[SCORE]], %[[NEVER]]
// CHECK:         scf.yield
// CHECK-NOT:   scf.for
// CHECK:       gpu.return
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
