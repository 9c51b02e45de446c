// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64 strip=tile key-terms=add mask-index=never" --convert-goat-to-goat-tile | FileCheck %s
// arith.andi of two masks: what both may see, and whole where both are whole.

// CHECK-LABEL: gpu.func @layer
// The causal bound still ends the loop,
// CHECK:       %[[KEPT:.*]] = arith.minsi %{{.*}} : i64
// CHECK:       %[[BOUND:.*]] = arith.trunci %[[KEPT]] : i64
// CHECK:       %[[UP:.*]] = arith.addi %[[BOUND]], %c63_i32
// CHECK:       %[[COUNT:.*]] = arith.divui %[[UP]], %c64_i32
// CHECK:       %[[END:.*]] = arith.maxsi %[[COUNT]]
// but no tile is known to be seen whole.
// CHECK:       scf.for %{{.*}} = %c0{{.*}} to %[[END]] step
// CHECK:         arith.cmpi sle
// CHECK:         scf.yield
// CHECK-NOT:   scf.for
// CHECK:       gpu.return
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m0 = goat.causal_mask %b, %i, %j
      %c2 = arith.constant 2 : index
      %r = arith.remui %j, %c2 : index
      %c0 = arith.constant 0 : index
      %m1 = arith.cmpi eq, %r, %c0 : index
      %m = arith.andi %m0, %m1 : i1
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
