// RUN: goat-opt %s -o /dev/null
// RUN: %python %S/Inputs/problems.py %s
// A left-padded batch with XSA. The second sequence has two tokens of padding, so
// its tokens' positions start at row 2: both offsets are minus the padding. Keys
// of negative position are padding; queries of negative position see no key and
// give 0. The own row is the row index again: position(i) less the key offset.
//
// ARGUMENT q = dense<[[[[-1.3125, -1.625], [-1.625, -1.0], [1.75, -0.1875], [-1.25, 1.625]]], [[[0.25, -0.6875], [-0.1875, -1.25], [-1.9375, -1.4375], [0.875, 1.625]]]]> : tensor<2x1x4x2xf32>
// ARGUMENT k = dense<[[[[0.625, 1.75], [0.9375, -1.9375], [1.0625, 1.875], [-1.375, 0.125]]], [[[-0.875, 0.5625], [-1.3125, -1.4375], [-0.8125, -1.6875], [-0.5, -1.875]]]]> : tensor<2x1x4x2xf32>
// ARGUMENT v = dense<[[[[0.03125, -0.53125], [0.78125, 0.96875], [0.3125, -0.21875], [0.1875, 0.03125]]], [[[-0.40625, 0.5625], [0.125, -0.3125], [-0.65625, 0.09375], [0.5, 0.8125]]]]> : tensor<2x1x4x2xf32>
// ARGUMENT offset = dense<[0, -2]> : tensor<2xi32>
// EXPECT out = dense<[[[[0.000000000, 0.000000000], [0.026596753, -0.021448994], [0.288739017, 0.412484309], [0.044415277, -0.266491663]]], [[[0.000000000, 0.000000000], [0.000000000, 0.000000000], [0.000000000, 0.000000000], [-0.261779553, 0.161095109]]]]> : tensor<2x1x4x2xf64>
// EXPECT lse = dense<[[[-2.590883440, 0.393147674, 2.168742632, 2.451854749]], [[0xFFF0000000000000, 0xFFF0000000000000, 2.828427125, -1.759568433]]]> : tensor<2x1x4xf64>

func.func @left_padded(%q: tensor<2x1x4x2xf32>, %k: tensor<2x1x4x2xf32>, %v: tensor<2x1x4x2xf32>, %offset: tensor<2xi32>) -> (tensor<2x1x4x2xf32>, tensor<2x1x4xf32>) {
  %out, %lse = goat.attention %q, %k, %v
      q_offset(%offset : tensor<2xi32>) k_offset(%offset : tensor<2xi32>)
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %causal = goat.causal_mask %b, %i, %j
      %position = goat.key_position %b, %j
      %zero = arith.constant 0 : index
      %real = arith.cmpi sge, %position, %zero : index
      %m = arith.andi %causal, %real : i1
      goat.yield %m : i1
    } exclude {
    ^bb0(%y: tensor<2xf32>, %own: tensor<2xf32>, %b: index, %h: index, %i: index):
      %z = goat.xsa %y, %own : tensor<2xf32>
      goat.yield %z : tensor<2xf32>
    } : (tensor<2x1x4x2xf32>, tensor<2x1x4x2xf32>, tensor<2x1x4x2xf32>) -> (tensor<2x1x4x2xf32>, tensor<2x1x4xf32>)
  return %out, %lse : tensor<2x1x4x2xf32>, tensor<2x1x4xf32>
}
