// The attention of an encoder layer, 12 heads of dimension 32, with what GOAT adds
// to it: a spectral prior of the distance and a bias per key. Every token sees every
// other one; then each row loses the component along its own value (XSA), so that
// what is left came from other tokens.
//
// Batch and length are dynamic: one kernel serves them all.
func.func @encoder_layer(
    %query: tensor<?x12x?x32xbf16>, %key: tensor<?x12x?x32xbf16>, %value: tensor<?x12x?x32xbf16>,
    %alpha: tensor<12x4xf32>, %beta: tensor<12x4xf32>, %omega: tensor<4xf32>,
    %bias: tensor<12x?xf32>)
    -> (tensor<?x12x?x32xbf16> {goat.name = "out"}) {
  %out = goat.attention %query, %key, %value
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %distance = goat.distance %b, %i, %j
      %relative = goat.fourier_prior %alpha, %beta, %omega at (%b, %h) distance %distance
          : tensor<12x4xf32>, tensor<12x4xf32>, tensor<4xf32>
      %sink = goat.key_prior %bias at (%b, %h, %j) : tensor<12x?xf32>
      %prior = arith.addf %relative, %sink : f32
      %t = arith.addf %s, %prior : f32
      goat.yield %t : f32
    } exclude {
    ^bb0(%y: tensor<32xf32>, %own: tensor<32xf32>, %b: index, %h: index, %i: index):
      %z = goat.xsa %y, %own : tensor<32xf32>
      goat.yield %z : tensor<32xf32>
    } : (tensor<?x12x?x32xbf16>, tensor<?x12x?x32xbf16>, tensor<?x12x?x32xbf16>)
      -> (tensor<?x12x?x32xbf16>)
  return %out : tensor<?x12x?x32xbf16>
}
