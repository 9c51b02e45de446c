// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64 strip=tile key-terms=add mask-index=never" --convert-goat-to-goat-tile | FileCheck %s
// A mask op on other operands than the query and the key of the region, in that
// order, has no bounds: every tile evaluates it.

// CHECK-LABEL: gpu.func @layer
// CHECK:       scf.for %{{.*}} = %c0{{.*}} to
// CHECK:         arith.cmpi sle, {{.*}} : tensor<128x64xi32
// CHECK:         scf.yield
// CHECK-NOT:   scf.for
// CHECK:       gpu.return
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %j, %i
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
