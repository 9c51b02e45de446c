// RUN: goat-opt %s -o /dev/null
// RUN: %python %S/Inputs/problems.py %s
// XSA with a strength per head and per token, tanh of a gate: a tensor that the
// exclusion region reads at its own coordinates.
//
// ARGUMENT q = dense<[[[[-1.3125, -1.625], [-1.625, -1.0], [1.75, -0.1875]], [[-1.25, 1.625], [0.25, -0.6875], [-0.1875, -1.25]]]]> : tensor<1x2x3x2xf32>
// ARGUMENT k = dense<[[[[0.625, 1.75], [0.9375, -1.9375], [1.0625, 1.875]]]]> : tensor<1x1x3x2xf32>
// ARGUMENT v = dense<[[[[0.03125, -0.53125], [0.78125, 0.96875], [0.3125, -0.21875]]]]> : tensor<1x1x3x2xf32>
// ARGUMENT gate = dense<[[[1.0625, -1.1875, -0.5], [1.5, -1.8125, -1.75]]]> : tensor<1x2x3xf32>
// EXPECT out = dense<[[[[0.006668162, -0.113358756], [1.276417669, 1.528328943], [0.565870561, 0.218492228]], [[0.002964117, -0.050389990], [1.287110546, 1.518426792], [0.817954780, 0.819806134]]]]> : tensor<1x2x3x2xf64>

func.func @xsa_strength(%q: tensor<1x2x3x2xf32>, %k: tensor<1x1x3x2xf32>, %v: tensor<1x1x3x2xf32>, %gate: tensor<1x2x3xf32>) -> tensor<1x2x3x2xf32> {
  %out = goat.attention %q, %k, %v
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    } exclude {
    ^bb0(%y: tensor<2xf32>, %own: tensor<2xf32>, %b: index, %h: index, %i: index):
      %g = tensor.extract %gate[%b, %h, %i] : tensor<1x2x3xf32>
      %a = math.tanh %g : f32
      %z = goat.xsa %y, %own strength(%a) : tensor<2xf32>
      goat.yield %z : tensor<2xf32>
    } : (tensor<1x2x3x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>) -> (tensor<1x2x3x2xf32>)
  return %out : tensor<1x2x3x2xf32>
}
