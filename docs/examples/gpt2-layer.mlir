// The attention of a layer of the size of GPT-2 small, 12 heads of dimension 64:
// causal, with GOAT's spectral prior of the distance (rank 4) and its bias per key,
// and XSA with a guarded norm. lse is what a backward pass, or the merging of
// partial results, needs.
func.func @gpt2_layer(
    %query: tensor<?x12x?x64xbf16>, %key: tensor<?x12x?x64xbf16>, %value: tensor<?x12x?x64xbf16>,
    %alpha: tensor<12x4xf32>, %beta: tensor<12x4xf32>, %omega: tensor<4xf32>,
    %u: tensor<12x?xf32>)
    -> (tensor<?x12x?x64xbf16> {goat.name = "out"}, tensor<?x12x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %distance = goat.distance %b, %i, %j
      %relative = goat.fourier_prior %alpha, %beta, %omega at (%b, %h) distance %distance
          : tensor<12x4xf32>, tensor<12x4xf32>, tensor<4xf32>
      %sink = goat.key_prior %u at (%b, %h, %j) : tensor<12x?xf32>
      %prior = arith.addf %relative, %sink : f32
      %t = arith.addf %s, %prior : f32
      goat.yield %t : f32
    } mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    } exclude {
    ^bb0(%y: tensor<64xf32>, %own: tensor<64xf32>, %b: index, %h: index, %i: index):
      %z = goat.xsa %y, %own {eps_mode = #goat.eps_mode<add>} : tensor<64xf32>
      goat.yield %z : tensor<64xf32>
    } : (tensor<?x12x?x64xbf16>, tensor<?x12x?x64xbf16>, tensor<?x12x?x64xbf16>)
      -> (tensor<?x12x?x64xbf16>, tensor<?x12x?xf32>)
  return %out, %lse : tensor<?x12x?x64xbf16>, tensor<?x12x?xf32>
}
