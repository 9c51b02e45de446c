// RUN: goat-opt %s --goat-choose-schedule --convert-goat-to-goat-tile --cse | FileCheck %s
// An offset is an i32, or one per batch entry.

// CHECK-LABEL: gpu.func @layer
// CHECK-SAME:  %[[QO:arg3]]: !goat_tile.ptr<i32>
// CHECK-SAME:  %[[KO:arg4]]: i32
// CHECK:       %[[Q:.*]] = goat_tile.load %[[QO]][%{{.*}}] : <i32>, i32 -> i32
// CHECK:       %[[Q64:.*]] = arith.extsi %[[Q]] : i32
// CHECK:       arith.addi %{{.*}}, %[[Q64]] : i64
// CHECK:       %[[END:.*]] = arith.addi %{{.*}}, %[[Q64]] : i64
// CHECK:       %[[K64:.*]] = arith.extsi %[[KO]] : i32
// CHECK:       arith.subi %[[END]], %[[K64]] : i64
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>,
    %qo: tensor<?xi32>, %ko: i32)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    q_offset(%qo : tensor<?xi32>) k_offset(%ko : i32)
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
