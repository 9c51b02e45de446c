// RUN: goat-opt %s --goat-order-elements | FileCheck %s
// Ops marked as per element move to their first users, from the last op on, so that
// one element comes after the other; others stay where they are.

// CHECK-LABEL: func.func @two_elements
// CHECK-SAME:    %[[X0:.*]]: f32, %[[X1:.*]]: f32
// CHECK:         %[[KEPT:.*]] = arith.addf %[[X0]], %[[X1]]
// CHECK:         %[[A0:.*]] = arith.mulf %[[X0]], %[[X0]] : f32
// CHECK:         %[[B0:.*]] = arith.addf %[[A0]], %[[X0]] : f32
// CHECK:         %[[M0:.*]] = arith.maximumf %[[B0]], %[[KEPT]]
// CHECK:         %[[A1:.*]] = arith.mulf %[[X1]], %[[X1]] : f32
// CHECK:         %[[B1:.*]] = arith.addf %[[A1]], %[[X1]] : f32
// CHECK:         %[[M1:.*]] = arith.maximumf %[[B1]], %[[KEPT]]
// CHECK-NOT:     per_element
func.func @two_elements(%x0: f32, %x1: f32) -> (f32, f32) {
  %a0 = arith.mulf %x0, %x0 {goat_tile.per_element} : f32
  %a1 = arith.mulf %x1, %x1 {goat_tile.per_element} : f32
  %kept = arith.addf %x0, %x1 : f32
  %b0 = arith.addf %a0, %x0 {goat_tile.per_element} : f32
  %b1 = arith.addf %a1, %x1 {goat_tile.per_element} : f32
  %m0 = arith.maximumf %b0, %kept : f32
  %m1 = arith.maximumf %b1, %kept : f32
  return %m0, %m1 : f32, f32
}

// A user in a region counts where the region stands.
// CHECK-LABEL: func.func @nested
// CHECK:         cf.assert
// CHECK-NEXT:    arith.mulf
// CHECK-NEXT:    scf.if
func.func @nested(%x: f32, %c: i1) -> f32 {
  %a = arith.mulf %x, %x {goat_tile.per_element} : f32
  cf.assert %c, "here"
  %r = scf.if %c -> f32 {
    %b = arith.addf %a, %x : f32
    scf.yield %b : f32
  } else {
    scf.yield %a : f32
  }
  return %r : f32
}
