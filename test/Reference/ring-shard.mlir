// RUN: goat-opt %s -o /dev/null
// RUN: %python %S/Inputs/problems.py %s
// One step of ring attention: queries of positions 3, 4, 5 meet the shard that
// holds keys of positions 4 to 7. Both offsets are run-time values. The first
// query sees none of these keys: it gives 0 and an lse of -inf, which is what
// merging with the other shards needs.
//
// ARGUMENT q = dense<[[[[-1.3125, -1.625], [-1.625, -1.0], [1.75, -0.1875]]]]> : tensor<1x1x3x2xf32>
// ARGUMENT k = dense<[[[[0.625, 1.75], [0.9375, -1.9375], [1.0625, 1.875], [-1.375, 0.125]]]]> : tensor<1x1x4x2xf32>
// ARGUMENT v = dense<[[[[0.03125, -0.53125], [0.78125, 0.96875], [0.3125, -0.21875], [0.1875, 0.03125]]]]> : tensor<1x1x4x2xf32>
// ARGUMENT q_offset = dense<3> : tensor<i32>
// ARGUMENT k_offset = dense<4> : tensor<i32>
// EXPECT out = dense<[[[[0.000000000, 0.000000000], [0.031250000, -0.531250000], [0.560681747, 0.527613493]]]]> : tensor<1x1x3x2xf64>
// EXPECT lse = dense<[[[0xFFF0000000000000, -1.955592192, 1.765244650]]]> : tensor<1x1x3xf64>

func.func @ring_shard(%q: tensor<1x1x3x2xf32>, %k: tensor<1x1x4x2xf32>, %v: tensor<1x1x4x2xf32>, %q_offset: i32, %k_offset: i32) -> (tensor<1x1x3x2xf32>, tensor<1x1x3xf32>) {
  %out, %lse = goat.attention %q, %k, %v
      q_offset(%q_offset : i32) k_offset(%k_offset : i32)
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    } : (tensor<1x1x3x2xf32>, tensor<1x1x4x2xf32>, tensor<1x1x4x2xf32>) -> (tensor<1x1x3x2xf32>, tensor<1x1x3xf32>)
  return %out, %lse : tensor<1x1x3x2xf32>, tensor<1x1x3xf32>
}
