// RUN: goat-opt %s -o /dev/null
// RUN: %python %S/Inputs/problems.py %s
// Decode with a dense bias: two new queries against a cache of four keys. The
// default offsets align the last query with the last key, so that the first new
// query sees three keys. The bias is the user's data: it is read at rows i and j,
// not at positions.
//
// ARGUMENT q = dense<[[[[-1.3125, -1.625], [-1.625, -1.0]], [[1.75, -0.1875], [-1.25, 1.625]]]]> : tensor<1x2x2x2xf32>
// ARGUMENT k = dense<[[[[0.625, 1.75], [0.9375, -1.9375], [1.0625, 1.875], [-1.375, 0.125]]]]> : tensor<1x1x4x2xf32>
// ARGUMENT v = dense<[[[[0.03125, -0.53125], [0.78125, 0.96875], [0.3125, -0.21875], [0.1875, 0.03125]]]]> : tensor<1x1x4x2xf32>
// ARGUMENT bias = dense<[[[[0.53125, -0.59375, -0.25, 0.75], [-0.90625, -0.875, -0.15625, -0.90625]], [[-1.0, 0.8125, -0.75, 0.0625], [0.875, -0.90625, -0.65625, -0.71875]]]]> : tensor<1x2x2x4xf32>
// EXPECT out = dense<[[[[0.732906917, 0.868409373], [0.321115708, 0.222842895]], [[0.682375471, 0.740646934], [0.088668601, -0.413769009]]]]> : tensor<1x2x2x2xf64>
// EXPECT lse = dense<[[[0.834963958, 0.907600110], [2.424716814, 2.637487960]]]> : tensor<1x2x2xf64>

func.func @decode(%q: tensor<1x2x2x2xf32>, %k: tensor<1x1x4x2xf32>, %v: tensor<1x1x4x2xf32>, %bias: tensor<1x2x2x4xf32>) -> (tensor<1x2x2x2xf32>, tensor<1x2x2xf32>) {
  %out, %lse = goat.attention %q, %k, %v
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %p = tensor.extract %bias[%b, %h, %i, %j] : tensor<1x2x2x4xf32>
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    }
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    } : (tensor<1x2x2x2xf32>, tensor<1x1x4x2xf32>, tensor<1x1x4x2xf32>) -> (tensor<1x2x2x2xf32>, tensor<1x2x2xf32>)
  return %out, %lse : tensor<1x2x2x2xf32>, tensor<1x2x2xf32>
}
