// Grouped heads, a key prior, a relative prior, a causal mask, XSA; axes (B, L, H, D).
func.func @bshd(
    %query: tensor<?x?x6x40xbf16>, %key: tensor<?x?x2x40xbf16>, %value: tensor<?x?x2x24xbf16>,
    %u: tensor<2x?xf32>, %slope: tensor<6xf32>)
    -> (tensor<?x?x6x24xbf16> {goat.name = "out"}, tensor<?x6x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %bias = goat.key_prior %u at (%b, %h, %j) : tensor<2x?xf32>
      %d = goat.distance %b, %i, %j
      %n = arith.index_cast %d : index to i32
      %f = arith.sitofp %n : i32 to f32
      %m = tensor.extract %slope[%h] : tensor<6xf32>
      %r = arith.mulf %f, %m : f32
      %p = arith.addf %bias, %r : f32
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    } mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    } exclude {
    ^bb0(%y: tensor<24xf32>, %own: tensor<24xf32>, %b: index, %h: index, %i: index):
      %z = goat.xsa %y, %own : tensor<24xf32>
      goat.yield %z : tensor<24xf32>
    } attributes {layout = #goat.layout<bshd>}
    : (tensor<?x?x6x40xbf16>, tensor<?x?x2x40xbf16>, tensor<?x?x2x24xbf16>)
      -> (tensor<?x?x6x24xbf16>, tensor<?x6x?xf32>)
  return %out, %lse : tensor<?x?x6x24xbf16>, tensor<?x6x?xf32>
}
