// RUN: goat-opt %s -o /dev/null
// RUN: %python %S/Inputs/problems.py %s
// Sigmoid attention: each weight is the logistic function of its own logit, less
// the logarithm of the length, so that the row's weights stay near a sum of one.
//
// ARGUMENT q = dense<[[[[-1.3125, -1.625], [-1.625, -1.0], [1.75, -0.1875]], [[-1.25, 1.625], [0.25, -0.6875], [-0.1875, -1.25]]]]> : tensor<1x2x3x2xf32>
// ARGUMENT k = dense<[[[[0.625, 1.75], [0.9375, -1.9375], [1.0625, 1.875]]]]> : tensor<1x1x3x2xf32>
// ARGUMENT v = dense<[[[[0.03125, -0.53125], [0.78125, 0.96875], [0.3125, -0.21875]]]]> : tensor<1x1x3x2xf32>
// EXPECT out = dense<[[[[0.000761737, -0.012949529], [0.242642296, 0.275205755], [0.617383095, 0.259757418]], [[0.018405966, -0.312901425], [0.396670670, 0.413675829], [0.502651937, 0.556617592]]]]> : tensor<1x2x3x2xf64>

func.func @sigmoid(%q: tensor<1x2x3x2xf32>, %k: tensor<1x1x3x2xf32>, %v: tensor<1x1x3x2xf32>) -> tensor<1x2x3x2xf32> {
  %out = goat.attention %q, %k, %v
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %length = arith.constant 3.0 : f32
      %bias = math.log %length : f32
      %t = arith.subf %s, %bias : f32
      goat.yield %t : f32
    }
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    } attributes {normalizer = #goat.normalizer<sigmoid>} : (tensor<1x2x3x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>) -> (tensor<1x2x3x2xf32>)
  return %out : tensor<1x2x3x2xf32>
}
