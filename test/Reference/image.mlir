// RUN: goat-opt %s -o /dev/null
// RUN: %python %S/Inputs/problems.py %s
// GOAT on an image of 2 rows of 3 patches: a spectral prior per axis, whose
// distance is the difference of the patches' coordinates along that axis.
//
// ARGUMENT q = dense<[[[[-1.3125, -1.625], [-1.625, -1.0], [1.75, -0.1875], [-1.25, 1.625], [0.25, -0.6875], [-0.1875, -1.25]], [[-1.9375, -1.4375], [0.875, 1.625], [0.3125, 1.0625], [1.625, 1.4375], [-0.1875, 0.8125], [0.875, -1.0]]]]> : tensor<1x2x6x2xf32>
// ARGUMENT k = dense<[[[[0.625, 1.75], [0.9375, -1.9375], [1.0625, 1.875], [-1.375, 0.125], [-0.875, 0.5625], [-1.3125, -1.4375]]]]> : tensor<1x1x6x2xf32>
// ARGUMENT v = dense<[[[[0.03125, -0.53125], [0.78125, 0.96875], [0.3125, -0.21875], [0.1875, 0.03125], [-0.40625, 0.5625], [0.125, -0.3125]]]]> : tensor<1x1x6x2xf32>
// ARGUMENT alpha_y = dense<[[0.53125, -0.59375], [-0.25, 0.75]]> : tensor<2x2xf32>
// ARGUMENT beta_y = dense<[[0.15625, 0.8125], [0.46875, 0.75]]> : tensor<2x2xf32>
// ARGUMENT alpha_x = dense<[[-0.84375, 0.34375], [0.6875, 0.6875]]> : tensor<2x2xf32>
// ARGUMENT beta_x = dense<[[0.4375, 0.84375], [-0.5, -0.96875]]> : tensor<2x2xf32>
// ARGUMENT omega = dense<[1.0, 0.25]> : tensor<2xf32>
// EXPECT out = dense<[[[[0.220530147, -0.054283127], [0.171580296, 0.003792758], [0.355090770, 0.130420591], [0.071560357, -0.104314127], [0.338812577, 0.270639461], [0.420289422, 0.432630501]], [[0.178745575, -0.033442764], [0.256723972, -0.235990137], [0.256186156, -0.192817189], [0.206988749, -0.301333268], [0.183291243, -0.104791900], [0.575715092, 0.568822169]]]]> : tensor<1x2x6x2xf64>
// EXPECT lse = dense<[[[2.431725300, 2.163746272, 2.736354392, 2.344389461, 1.641570408, 2.820865004], [4.960976466, 5.210667786, 3.728228312, 6.047903846, 4.362068304, 3.905330193]]]> : tensor<1x2x6xf64>

func.func @image(%q: tensor<1x2x6x2xf32>, %k: tensor<1x1x6x2xf32>, %v: tensor<1x1x6x2xf32>, %alpha_y: tensor<2x2xf32>, %beta_y: tensor<2x2xf32>,
    %alpha_x: tensor<2x2xf32>, %beta_x: tensor<2x2xf32>, %omega: tensor<2xf32>) -> (tensor<1x2x6x2xf32>, tensor<1x2x6xf32>) {
  %out, %lse = goat.attention %q, %k, %v
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %width = arith.constant 3 : index
      %yi = arith.divui %i, %width : index
      %yj = arith.divui %j, %width : index
      %xi = arith.remui %i, %width : index
      %xj = arith.remui %j, %width : index
      %dy = arith.subi %yi, %yj : index
      %dx = arith.subi %xi, %xj : index
      %py = goat.fourier_prior %alpha_y, %beta_y, %omega at (%b, %h) distance %dy : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>
      %px = goat.fourier_prior %alpha_x, %beta_x, %omega at (%b, %h) distance %dx : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>
      %p = arith.addf %py, %px : f32
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    } : (tensor<1x2x6x2xf32>, tensor<1x1x6x2xf32>, tensor<1x1x6x2xf32>) -> (tensor<1x2x6x2xf32>, tensor<1x2x6xf32>)
  return %out, %lse : tensor<1x2x6x2xf32>, tensor<1x2x6xf32>
}
