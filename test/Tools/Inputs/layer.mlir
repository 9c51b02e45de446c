// A small causal layer with a key prior and XSA, of dynamic batch and lengths.
func.func @layer(%query: tensor<?x2x?x64xbf16>, %key: tensor<?x1x?x64xbf16>,
    %value: tensor<?x1x?x64xbf16>, %u: tensor<1x?xf32>)
    -> (tensor<?x2x?x64xbf16>, tensor<?x2x?xf32>) {
  %out, %lse = goat.attention %query, %key, %value
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %p = goat.key_prior %u at (%b, %h, %j) : tensor<1x?xf32>
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    } mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    } exclude {
    ^bb0(%y: tensor<64xf32>, %own: tensor<64xf32>, %b: index, %h: index, %i: index):
      %z = goat.xsa %y, %own : tensor<64xf32>
      goat.yield %z : tensor<64xf32>
    } : (tensor<?x2x?x64xbf16>, tensor<?x1x?x64xbf16>, tensor<?x1x?x64xbf16>) -> (tensor<?x2x?x64xbf16>, tensor<?x2x?xf32>)
  return %out, %lse : tensor<?x2x?x64xbf16>, tensor<?x2x?xf32>
}
