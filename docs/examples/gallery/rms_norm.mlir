// The RMS norm of each head's row, with a weight per element.
// From: sub-layer norm of differential attention and others.
// Run: --size B=1 --size Lq=130 --size Lk=130

func.func @rms_norm(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>, %weight: tensor<64xf32>)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    } exclude {
    ^bb0(%y: tensor<64xf32>, %own: tensor<64xf32>, %b: index, %h: index, %i: index):
      %eps = arith.constant 1.0e-6 : f32
      %n = arith.constant 0.015625 : f32
      %sq = arith.mulf %y, %y : tensor<64xf32>
      %sum = goat.row_sum %sq : tensor<64xf32>
      %mean = math.fma %sum, %n, %eps : f32
      %inv = math.rsqrt %mean : f32
      %w = tensor.splat %inv : tensor<64xf32>
      %x = arith.mulf %y, %w : tensor<64xf32>
      %z = arith.mulf %x, %weight : tensor<64xf32>
      goat.yield %z : tensor<64xf32>
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
