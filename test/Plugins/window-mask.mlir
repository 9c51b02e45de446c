// RUN: goat-test-opt %s --goat-choose-schedule="tile-keys=64 strip=tile key-terms=add" --convert-goat-to-goat-tile | FileCheck %s
// A foreign mask that knows its range of keys: three loops, of which the middle one
// has no mask, and tiles outside the window are not worked on.

// CHECK-LABEL: gpu.func @layer
// CHECK-SAME:  %[[L:arg3]]: i32
// CHECK-SAME:  %[[R:arg4]]: i32
// CHECK:       %[[LEFT:.*]] = arith.extsi %[[L]] : i32
// CHECK:       %[[RIGHT:.*]] = arith.extsi %[[R]] : i32
// CHECK:       arith.subi %{{.*}}, %[[LEFT]] : i64
// CHECK:       arith.addi %{{.*}}, %[[RIGHT]] : i64
// Partly visible tiles before, whole ones, partly visible ones after.
// CHECK:       scf.for %{{.*}} = %[[BEGIN:.*]] to %[[FULL:.*]] step
// CHECK:         arith.cmpi sge, {{.*}} : tensor<128x64xi32
// CHECK:         scf.yield
// CHECK:       scf.for %{{.*}} = %[[FULL]] to %[[REST:.*]] step
// CHECK-NOT:     arith.select %{{.*}} : tensor<128x64xi1
// CHECK:         scf.yield
// CHECK:       scf.for %{{.*}} = %[[REST]] to
// CHECK:         arith.cmpi sge, {{.*}} : tensor<128x64xi32
// CHECK:         scf.yield
// CHECK-NOT:   scf.for
// CHECK:       gpu.return
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>,
    %l: i32, %r: i32)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = foreign.window_mask %l, %r at (%b, %i, %j)
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
