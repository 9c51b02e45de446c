// RUN: goat-opt %s -o /dev/null
// RUN: %python %S/Inputs/problems.py %s
// FoX, the forgetting transformer: the prior is c_i - c_j with c the running sum
// of the logarithms of the forget gates, in f32. c has one entry per token in the
// cache; a query finds its own at its position.
//
// ARGUMENT q = dense<[[[[-1.3125, -1.625], [-1.625, -1.0]], [[1.75, -0.1875], [-1.25, 1.625]]]]> : tensor<1x2x2x2xf32>
// ARGUMENT k = dense<[[[[0.625, 1.75], [0.9375, -1.9375], [1.0625, 1.875]]]]> : tensor<1x1x3x2xf32>
// ARGUMENT v = dense<[[[[0.03125, -0.53125], [0.78125, 0.96875], [0.3125, -0.21875]]]]> : tensor<1x1x3x2xf32>
// ARGUMENT c = dense<[[[-0.25, -0.5, -1.25], [-1.0, -1.125, -3.0]]]> : tensor<1x2x3xf32>
// EXPECT out = dense<[[[[0.770137687, 0.946525374], [0.682016701, 0.744629366]], [[0.579631965, 0.565513930], [0.272037937, -0.262491320]]]]> : tensor<1x2x2x2xf64>
// EXPECT lse = dense<[[[1.371135986, -0.269929205], [1.730076844, 1.376367145]]]> : tensor<1x2x2xf64>

func.func @fox(%q: tensor<1x2x2x2xf32>, %k: tensor<1x1x3x2xf32>, %v: tensor<1x1x3x2xf32>, %c: tensor<1x2x3xf32>) -> (tensor<1x2x2x2xf32>, tensor<1x2x2xf32>) {
  %out, %lse = goat.attention %q, %k, %v
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %position = goat.query_position %b, %i
      %ci = tensor.extract %c[%b, %h, %position] : tensor<1x2x3xf32>
      %cj = tensor.extract %c[%b, %h, %j] : tensor<1x2x3xf32>
      %p = arith.subf %ci, %cj : f32
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    }
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    } : (tensor<1x2x2x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>) -> (tensor<1x2x2x2xf32>, tensor<1x2x2xf32>)
  return %out, %lse : tensor<1x2x2x2xf32>, tensor<1x2x2xf32>
}
