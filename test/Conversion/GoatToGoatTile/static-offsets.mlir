// RUN: goat-opt %s --goat-choose-schedule --convert-goat-to-goat-tile | FileCheck %s
// An offset may be an attribute.

// CHECK-LABEL: gpu.func @layer
// CHECK:       arith.addi %{{.*}}, %c7_i64{{.*}} : i64
// CHECK:       %[[K:.*]] = arith.constant -3 : i64
// CHECK:       arith.subi %{{.*}}, %[[K]] : i64
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    }
    attributes {static_q_offset = 7 : i32, static_k_offset = -3 : i32}
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
