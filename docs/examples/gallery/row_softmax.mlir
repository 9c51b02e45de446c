// The softmax of the row's elements.
// From: method of the project.
// Run: --size B=1 --size Lq=130 --size Lk=130

func.func @row_softmax(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    } exclude {
    ^bb0(%y: tensor<64xf32>, %own: tensor<64xf32>, %b: index, %h: index, %i: index):
      %max = goat.row_max %y : tensor<64xf32>
      %m = tensor.splat %max : tensor<64xf32>
      %d = arith.subf %y, %m : tensor<64xf32>
      %e = math.exp %d : tensor<64xf32>
      %sum = goat.row_sum %e : tensor<64xf32>
      %w = tensor.splat %sum : tensor<64xf32>
      %z = arith.divf %e, %w : tensor<64xf32>
      goat.yield %z : tensor<64xf32>
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
