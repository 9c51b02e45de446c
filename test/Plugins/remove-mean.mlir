// RUN: goat-test-opt %s --goat-choose-schedule="tile-keys=64 strip=tile key-terms=add" --convert-goat-to-goat-tile | FileCheck %s
// A foreign exclusion that does without the own value.

// CHECK-LABEL: gpu.func @layer
// CHECK:       scf.for
// CHECK:       %[[LOOP:.*]]:5 = scf.for
// CHECK:         scf.yield
// CHECK-NOT:   goat_tile.load_rows
// CHECK:       %[[Y:.*]] = arith.mulf %[[LOOP]]#0
// CHECK:       %[[SUM:.*]] = goat_tile.reduce sum %[[Y]]
// CHECK:       %[[MEAN:.*]] = arith.divf %[[SUM]]
// CHECK:       %[[ROWS:.*]] = goat_tile.expand %[[MEAN]] axis = 1
// CHECK:       arith.subf %[[Y]], %[[ROWS]]
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    exclude {
    ^bb0(%y: tensor<64xf32>, %own: tensor<64xf32>, %b: index, %h: index, %i: index):
      %z = foreign.remove_mean %y : tensor<64xf32>
      goat.yield %z : tensor<64xf32>
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
