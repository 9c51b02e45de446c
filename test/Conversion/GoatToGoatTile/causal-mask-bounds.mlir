// RUN: goat-opt %s --goat-choose-schedule="tile-rows=128 warps=4 tile-keys=64 strip=tile key-terms=add" --convert-goat-to-goat-tile --cse | FileCheck %s
// Bounds are in positions: row + offset, here len_k − len_q = 200.

// CHECK-LABEL: gpu.func @layer
// CHECK-DAG:   %[[FIRST:.*]] = arith.muli %{{.*}}, %c128_i32 : i32
// CHECK-DAG:   %[[LAST:.*]] = arith.minsi %{{.*}}, %c300_i32
// In 64 bits, so that nothing wraps.
// CHECK-DAG:   %[[FIRST64:.*]] = arith.extsi %[[FIRST]]
// CHECK-DAG:   %[[LAST64:.*]] = arith.extsi %[[LAST]]
// CHECK-DAG:   arith.addi %[[FIRST64]], %c200_i64
// CHECK-DAG:   arith.addi %[[LAST64]], %c200_i64
// The last query sees keys before its own position + 1: tiles up to ⌈end / 64⌉.
// CHECK:       %[[VISIBLE:.*]] = arith.addi %{{.*}}, %c63_i32
// CHECK:       arith.divui %[[VISIBLE]], %c64_i32
func.func @layer(%q: tensor<2x4x300x64xbf16>, %k: tensor<2x4x500x64xbf16>, %v: tensor<2x4x500x64xbf16>)
    -> tensor<2x4x300x64xbf16> {
  %out = goat.attention %q, %k, %v
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    }
    : (tensor<2x4x300x64xbf16>, tensor<2x4x500x64xbf16>, tensor<2x4x500x64xbf16>)
    -> (tensor<2x4x300x64xbf16>)
  return %out : tensor<2x4x300x64xbf16>
}
