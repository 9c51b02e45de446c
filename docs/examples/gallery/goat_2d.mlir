// GOAT on an image 12 wide: K_y(Δy) + K_x(Δx).
// From: GOAT, arXiv 2601.15380.
// Run: --size B=1 --size Lq=144 --size Lk=144

func.func @goat_2d(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>, %alpha_y: tensor<4x4xf32>, %beta_y: tensor<4x4xf32>,
    %alpha_x: tensor<4x4xf32>, %beta_x: tensor<4x4xf32>, %omega: tensor<4xf32>)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %w = arith.constant 12 : index
      %xi = arith.divui %i, %w : index
      %yi = arith.remui %i, %w : index
      %xj = arith.divui %j, %w : index
      %yj = arith.remui %j, %w : index
      %dx = arith.subi %xi, %xj : index
      %dy = arith.subi %yi, %yj : index
      %px = goat.fourier_prior %alpha_x, %beta_x, %omega at (%b, %h) distance %dx
      : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>
      %py = goat.fourier_prior %alpha_y, %beta_y, %omega at (%b, %h) distance %dy
      : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>
      %p = arith.addf %px, %py : f32
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
