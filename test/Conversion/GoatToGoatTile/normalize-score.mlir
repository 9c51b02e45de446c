// RUN: goat-opt %s --goat-normalize-score | FileCheck %s
// Score regions as sums, the terms of each kind together.

// A difference, minus a difference, a factor per head.
// CHECK-LABEL: func.func @differences
// CHECK:       ^bb0(%[[S:.*]]: f32, %[[B:.*]]: index, %[[H:.*]]: index, %[[I:.*]]: index, %[[J:.*]]: index):
// CHECK-DAG:     %[[CI:.*]] = tensor.extract %{{.*}}[%[[I]]]
// CHECK-DAG:     %[[CJ:.*]] = tensor.extract %{{.*}}[%[[J]]]
// CHECK-DAG:     %[[M:.*]] = tensor.extract %{{.*}}[%[[H]]]
// CHECK-DAG:     %[[MINUS:.*]] = arith.negf %[[CJ]]
// CHECK-DAG:     %[[MI:.*]] = arith.mulf %[[M]], %[[CI]]
// CHECK-DAG:     %[[MJ:.*]] = arith.mulf %[[M]], %[[MINUS]]
// CHECK:         %[[SJ:.*]] = arith.addf %[[S]], %[[MJ]]
// CHECK:         %[[SIJ:.*]] = arith.addf %[[SJ]], %[[MI]]
// CHECK:         goat.yield %[[SIJ]]
func.func @differences(%q: tensor<1x4x8x64xbf16>, %c: tensor<8xf32>, %m: tensor<4xf32>) -> tensor<1x4x8x64xbf16> {
  %0 = goat.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %ci = tensor.extract %c[%i] : tensor<8xf32>
    %cj = tensor.extract %c[%j] : tensor<8xf32>
    %f = tensor.extract %m[%h] : tensor<4xf32>
    %p = arith.subf %ci, %cj : f32
    %g = arith.mulf %f, %p : f32
    %t = arith.addf %s, %g : f32
    goat.yield %t : f32
  } : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// A constant factor of the score becomes scale; 1/8 · 4.
// CHECK-LABEL: func.func @factor
// CHECK:       ^bb0(%[[S:.*]]: f32,
// CHECK-NOT:     arith.mulf
// CHECK:         %[[T:.*]] = arith.addf %[[S]], %{{.*}} : f32
// CHECK:         goat.yield %[[T]]
// CHECK:       static_scale = 5.000000e-01 : f32
func.func @factor(%q: tensor<1x4x8x64xbf16>, %c: tensor<8xf32>) -> tensor<1x4x8x64xbf16> {
  %0 = goat.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %four = arith.constant 4.0 : f32
    %x = arith.mulf %four, %s : f32
    %cj = tensor.extract %c[%j] : tensor<8xf32>
    %t = arith.addf %cj, %x : f32
    goat.yield %t : f32
  } : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// The order of a sum: the score, the distance, the key, the query.
// CHECK-LABEL: func.func @order
// CHECK:       ^bb0(%[[S:.*]]: f32,
// CHECK-DAG:     %[[I:.*]] = tensor.extract %arg1[%arg{{[0-9]+}}]
// CHECK:         %[[A:.*]] = arith.addf %[[S]], %[[REL:.*]] : f32
// CHECK:         %[[K:.*]] = arith.addf %[[A]], %{{.*}} : f32
// CHECK:         %[[Q:.*]] = arith.addf %[[K]], %{{.*}} : f32
// CHECK:         goat.yield %[[Q]]
func.func @order(%q: tensor<1x4x8x64xbf16>, %c: tensor<8xf32>) -> tensor<1x4x8x64xbf16> {
  %0 = goat.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %d = goat.distance %b, %i, %j
    %a = goat.alibi at (%h) distance %d
    %ci = tensor.extract %c[%i] : tensor<8xf32>
    %cj = tensor.extract %c[%j] : tensor<8xf32>
    %t0 = arith.addf %ci, %cj : f32
    %t1 = arith.addf %t0, %a : f32
    %t = arith.addf %t1, %s : f32
    goat.yield %t : f32
  } : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}
