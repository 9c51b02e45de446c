// RUN: goat-test-opt %s --goat-choose-schedule --convert-goat-to-goat-tile | FileCheck %s
// The ranges of a foreign mask and of goat's own intersect.

// CHECK-LABEL: gpu.func @layer
// CHECK-SAME:  %[[L:arg3]]: i32
// CHECK-SAME:  %[[R:arg4]]: i32
// What the window sees ends at last + right, what the causal mask sees at last.
// CHECK:       %[[RIGHT:.*]] = arith.extsi %[[R]] : i32
// CHECK:       %[[WINDOW:.*]] = arith.addi %[[LAST:.*]], %[[RIGHT]] : i64
// CHECK:       arith.minsi %[[WINDOW]], %[[LAST]] : i64
// CHECK:       scf.for
// CHECK:         scf.yield
// CHECK:       scf.for
// CHECK-NOT:     arith.select %{{.*}} : tensor<128x64xi1
// CHECK:         scf.yield
// CHECK:       scf.for
// CHECK:         scf.yield
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>,
    %l: i32, %r: i32)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m0 = foreign.window_mask %l, %r at (%b, %i, %j)
      %m1 = goat.causal_mask %b, %i, %j
      %m = arith.andi %m0, %m1 : i1
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
