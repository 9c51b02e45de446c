// GOAT with its row gate: g_i multiplies the prior.
// From: GOAT, arXiv 2601.15380.
// Run: --size B=1 --size Lq=130 --size Lk=130

func.func @goat_row_gate(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>, %alpha: tensor<2x4xf32>, %beta: tensor<2x4xf32>,
    %omega: tensor<4xf32>, %u: tensor<2x?xf32>, %gate: tensor<?x4x?xf32>)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %d = goat.distance %b, %i, %j
      %k = goat.fourier_prior %alpha, %beta, %omega at (%b, %h) distance %d
      : tensor<2x4xf32>, tensor<2x4xf32>, tensor<4xf32>
      %uj = goat.key_prior %u at (%b, %h, %j) : tensor<2x?xf32>
      %g = tensor.extract %gate[%b, %h, %i] : tensor<?x4x?xf32>
      %sum = arith.addf %k, %uj : f32
      %p = arith.mulf %g, %sum : f32
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    } mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
