// RUN: goat-run %s --on=sim --compare --target=sm_80 --size B=1 --size Lq=72 --size Lk=72
// RUN: goat-run %s --on=sim --compare --target=sm_90 --size B=1 --size Lq=135 --size Lk=135 --seed 1

// GOAT on an image 9 wide: a Fourier prior per axis.

func.func @image(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x4x?x64xbf16>, %value: tensor<?x4x?x64xbf16>,
    %alpha_y: tensor<4x2xf32>, %beta_y: tensor<4x2xf32>,
    %alpha_x: tensor<4x2xf32>, %beta_x: tensor<4x2xf32>, %omega: tensor<2xf32>)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %width = arith.constant 9 : index
      %yi = arith.divui %i, %width : index
      %yj = arith.divui %j, %width : index
      %xi = arith.remui %i, %width : index
      %xj = arith.remui %j, %width : index
      %dy = arith.subi %yi, %yj : index
      %dx = arith.subi %xi, %xj : index
      %py = goat.fourier_prior %alpha_y, %beta_y, %omega at (%b, %h) distance %dy
        : tensor<4x2xf32>, tensor<4x2xf32>, tensor<2xf32>
      %px = goat.fourier_prior %alpha_x, %beta_x, %omega at (%b, %h) distance %dx
        : tensor<4x2xf32>, tensor<4x2xf32>, tensor<2xf32>
      %p = arith.addf %py, %px : f32
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    } : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
     -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
