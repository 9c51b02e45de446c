// RUN: goat-opt %s --goat-choose-schedule --convert-goat-to-goat-tile | FileCheck %s
// Sigmoid weights need neither a maximum nor a sum.

// CHECK-LABEL: gpu.func @layer
// CHECK:       scf.for
// CHECK-NOT:     goat_tile.reduce
// CHECK:         %[[POWER:.*]] = math.exp2
// CHECK:         %[[SUM:.*]] = arith.addf %[[POWER]]
// CHECK:         arith.divf %{{.*}}, %[[SUM]] fastmath<afn>
// CHECK-NOT:     goat_tile.reduce
// CHECK:         scf.yield
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    attributes {normalizer = #goat.normalizer<sigmoid>}
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
