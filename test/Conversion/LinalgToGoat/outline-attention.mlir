// RUN: goat-opt --goat-outline-attention %s | FileCheck %s

// An attention among other ops moves to a function of its own; scalar constants
// go with it, constant tensors are passed.
func.func @layer(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x4x8xf32>, %u: tensor<2x4xf32>) -> tensor<1x2x4x8xf32> {
  %bias = arith.constant dense<[[0.0, 1.0, 2.0, 3.0], [0.0, 2.0, 4.0, 6.0]]> : tensor<2x4xf32>
  %two = arith.constant 2.0 : f32
  %v = arith.addf %k, %k : tensor<1x2x4x8xf32>
  %y = goat.attention %q, %k, %v score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %x = tensor.extract %bias[%h, %j] : tensor<2x4xf32>
    %z = tensor.extract %u[%h, %j] : tensor<2x4xf32>
    %w = arith.mulf %x, %two : f32
    %t = arith.addf %s, %w : f32
    %r = arith.addf %t, %z : f32
    goat.yield %r : f32
  } : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> (tensor<1x2x4x8xf32>)
  return %y : tensor<1x2x4x8xf32>
}
// CHECK-LABEL: func.func @layer(
// CHECK-SAME:    %[[Q:.*]]: tensor<1x2x4x8xf32>, %[[K:.*]]: tensor<1x2x4x8xf32>, %[[U:[a-z0-9]*]]: tensor<2x4xf32>)
// CHECK:         %[[BIAS:.*]] = arith.constant dense<
// CHECK:         %[[V:.*]] = arith.addf
// CHECK:         %[[Y:.*]] = call @layer_attention_0(%[[Q]], %[[K]], %[[V]], %[[BIAS]], %[[U]])
// CHECK:         return %[[Y]]
// CHECK-LABEL: func.func @layer_attention_0(
// CHECK-SAME:    {goat.name = "query"}
// CHECK-SAME:    {goat.name = "key"}
// CHECK-SAME:    {goat.name = "value"}
// CHECK-SAME:    -> (tensor<1x2x4x8xf32> {goat.name = "out"})
// CHECK:         %[[TWO:.*]] = arith.constant 2.0
// CHECK:         goat.attention

// One that stands alone stays.
// CHECK-LABEL: func.func @alone(
// CHECK:         goat.attention
// CHECK-NOT:   func.func @alone_attention
func.func @alone(%q: tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32> {
  %y = goat.attention %q, %q, %q : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> (tensor<1x2x4x8xf32>)
  return %y : tensor<1x2x4x8xf32>
}

// A constant tensor is data: it becomes an argument, whatever else there is.
func.func @reads_a_constant(%q: tensor<1x2x8x8xf32>, %k: tensor<1x2x8x8xf32>, %v: tensor<1x2x8x8xf32>) -> tensor<1x2x8x8xf32> {
  %u = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %out = goat.attention %q, %k, %v score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %x = tensor.extract %u[%h] : tensor<2xf32>
    %t = arith.addf %s, %x : f32
    goat.yield %t : f32
  } : (tensor<1x2x8x8xf32>, tensor<1x2x8x8xf32>, tensor<1x2x8x8xf32>) -> (tensor<1x2x8x8xf32>)
  return %out : tensor<1x2x8x8xf32>
}
// CHECK-LABEL: func.func @reads_a_constant(
// CHECK:         %[[U:.*]] = arith.constant dense
// CHECK:         call @reads_a_constant_attention_0(%{{.*}}, %[[U]])
