// A causal layer with everything on that a mutant can break.
func.func @layer(%query: tensor<?x6x?x64xbf16>, %key: tensor<?x2x?x64xbf16>, %value: tensor<?x2x?x64xbf16>,
                 %alpha: tensor<2x4xf32>, %beta: tensor<2x4xf32>, %omega: tensor<4xf32>,
                 %u: tensor<2x?xf32>, %sink: tensor<6xf32>)
    -> (tensor<?x6x?x64xbf16> {goat.name = "out"}, tensor<?x6x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value sink(%sink : tensor<6xf32>)
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %delta = goat.distance %b, %i, %j
      %relative = goat.fourier_prior %alpha, %beta, %omega at (%b, %h) distance %delta
        : tensor<2x4xf32>, tensor<2x4xf32>, tensor<4xf32>
      %perKey = goat.key_prior %u at (%b, %h, %j) : tensor<2x?xf32>
      %prior = arith.addf %relative, %perKey : f32
      %t = arith.addf %s, %prior : f32
      goat.yield %t : f32
    } mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    } exclude {
    ^bb0(%y: tensor<64xf32>, %own: tensor<64xf32>, %b: index, %h: index, %i: index):
      %z = goat.xsa %y, %own : tensor<64xf32>
      goat.yield %z : tensor<64xf32>
    } : (tensor<?x6x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>)
     -> (tensor<?x6x?x64xbf16>, tensor<?x6x?xf32>)
  return %out, %lse : tensor<?x6x?x64xbf16>, tensor<?x6x?xf32>
}
