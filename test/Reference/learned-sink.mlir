// RUN: goat-opt %s -o /dev/null
// RUN: %python %S/Inputs/problems.py %s
// A learned sink logit per head joins every row's denominator. No token attends to
// itself here, so that row 0 sees no key: it gives 0, and its lse is the sink.
//
// ARGUMENT q = dense<[[[[-1.3125, -1.625], [-1.625, -1.0], [1.75, -0.1875]], [[-1.25, 1.625], [0.25, -0.6875], [-0.1875, -1.25]]]]> : tensor<1x2x3x2xf32>
// ARGUMENT k = dense<[[[[0.625, 1.75], [0.9375, -1.9375], [1.0625, 1.875]], [[-1.375, 0.125], [-0.875, 0.5625], [-1.3125, -1.4375]]]]> : tensor<1x2x3x2xf32>
// ARGUMENT v = dense<[[[[0.03125, -0.53125], [0.78125, 0.96875], [0.3125, -0.21875]], [[0.1875, 0.03125], [-0.40625, 0.5625], [0.125, -0.3125]]]]> : tensor<1x2x3x2xf32>
// ARGUMENT sink = dense<[0.5, -1.0]> : tensor<2xf32>
// EXPECT out = dense<[[[[0.000000000, 0.000000000], [0.002469705, -0.041984987], [0.437291182, 0.411500338]], [[0.000000000, 0.000000000], [0.125125681, 0.020854280], [-0.035773025, 0.196573900]]]]> : tensor<1x2x3x2xf64>
// EXPECT lse = dense<[[[0.500000000, 0.582328429, 2.013798803], [-1.000000000, 0.100625217, 0.753957705]]]> : tensor<1x2x3xf64>

func.func @learned_sink(%q: tensor<1x2x3x2xf32>, %k: tensor<1x2x3x2xf32>, %v: tensor<1x2x3x2xf32>, %sink: tensor<2xf32>) -> (tensor<1x2x3x2xf32>, tensor<1x2x3xf32>) {
  %out, %lse = goat.attention %q, %k, %v sink(%sink : tensor<2xf32>)
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = arith.cmpi slt, %j, %i : index
      goat.yield %m : i1
    } : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> (tensor<1x2x3x2xf32>, tensor<1x2x3xf32>)
  return %out, %lse : tensor<1x2x3x2xf32>, tensor<1x2x3xf32>
}
