// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64 strip=tile key-terms=add" --convert-goat-to-goat-tile | FileCheck %s
// With an exclusion, sigmoid attention keeps the maximum to know which rows saw a
// key: any other is 0 whatever the exclusion makes of it.

// CHECK-LABEL: gpu.func @layer
// CHECK:       %[[START:.*]] = arith.constant dense<-8.50705917E+37> : tensor<128xf32
// CHECK:       scf.for
// CHECK:       %[[LOOP:.*]]:3 = scf.for
// CHECK:         goat_tile.reduce max
// CHECK:         scf.yield
// CHECK:       %[[SEES:.*]] = arith.cmpf ugt, %[[LOOP]]#1
// CHECK:       %[[COUNTS:.*]] = arith.andi %[[SEES]]
// CHECK:       %[[Z:.*]] = math.exp
// CHECK:       %[[EVERY:.*]] = goat_tile.expand %[[COUNTS]] axis = 1
// CHECK:       arith.select %[[EVERY]], %[[Z]]
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    }
    exclude {
    ^bb0(%y: tensor<64xf32>, %own: tensor<64xf32>, %b: index, %h: index, %i: index):
      %z = math.exp %y : tensor<64xf32>
      goat.yield %z : tensor<64xf32>
    }
    attributes {normalizer = #goat.normalizer<sigmoid>}
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
