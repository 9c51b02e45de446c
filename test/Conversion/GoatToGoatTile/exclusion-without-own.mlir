// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64 strip=tile key-terms=add" --convert-goat-to-goat-tile | FileCheck %s
// An exclusion that does not read the own value runs on every row that saw a key;
// any other row is 0 whatever the exclusion makes of it.

// CHECK-LABEL: gpu.func @layer
// CHECK:       scf.for
// CHECK:       %[[LOOP:.*]]:5 = scf.for
// CHECK:         scf.yield
// CHECK:       %[[SUM:.*]] = goat_tile.reduce max %[[LOOP]]#2
// CHECK:       %[[NOT_EMPTY:.*]] = arith.cmpf une, %[[SUM]]
// CHECK:       %[[SEES:.*]] = arith.andi %[[NOT_EMPTY]]
// CHECK-NOT:   goat_tile.load_rows
// CHECK:       %[[Y:.*]] = arith.mulf %[[LOOP]]#0
// CHECK:       %[[Z:.*]] = arith.mulf %[[Y]], %[[Y]]
// CHECK:       %[[EVERY:.*]] = goat_tile.expand %[[SEES]] axis = 1
// CHECK:       %[[ZERO:.*]] = arith.constant dense<0.000000e+00>
// CHECK:       arith.select %[[EVERY]], %[[Z]], %[[ZERO]]
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    exclude {
    ^bb0(%y: tensor<64xf32>, %own: tensor<64xf32>, %b: index, %h: index, %i: index):
      %z = arith.mulf %y, %y : tensor<64xf32>
      goat.yield %z : tensor<64xf32>
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
