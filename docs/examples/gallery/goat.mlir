// GOAT with a table of the sink: Fourier prior, u(j), ALiBi's slope, and XSA.
// From: GOAT, arXiv 2601.15380; XSA, arXiv 2603.09078.
// Run: --size B=1 --size Lq=130 --size Lk=130

func.func @goat(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>, %alpha: tensor<2x4xf32>, %beta: tensor<2x4xf32>,
    %omega: tensor<4xf32>, %u: tensor<4x?xf32>)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %d = goat.distance %b, %i, %j
      %k = goat.fourier_prior %alpha, %beta, %omega at (%b, %h) distance %d
      : tensor<2x4xf32>, tensor<2x4xf32>, tensor<4xf32>
      %uj = goat.key_prior %u at (%b, %h, %j) : tensor<4x?xf32>
      %a = goat.alibi at (%h) distance %d
      %s1 = arith.addf %s, %k : f32
      %s2 = arith.addf %s1, %uj : f32
      %t = arith.addf %s2, %a : f32
      goat.yield %t : f32
    } mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    } exclude {
    ^bb0(%y: tensor<64xf32>, %own: tensor<64xf32>, %b: index, %h: index, %i: index):
      %z = goat.xsa %y, %own : tensor<64xf32>
      goat.yield %z : tensor<64xf32>
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
