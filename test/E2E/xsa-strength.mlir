// RUN: goat-run %s --on=sim --compare --target=sm_80 --size B=2 --size Lq=66 --size Lk=66
// RUN: goat-run %s --on=sim --compare --target=sm_90 --size B=1 --size Lq=127 --size Lk=127

// XSA with a strength per head and token.

func.func @xsa_strength(%query: tensor<?x6x?x64xbf16>, %key: tensor<?x2x?x64xbf16>, %value: tensor<?x2x?x64xbf16>,
    %gate: tensor<?x6x?xf32>)
    -> (tensor<?x6x?x64xbf16> {goat.name = "out"}) {
  %out = goat.attention %query, %key, %value
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    } exclude {
    ^bb0(%y: tensor<64xf32>, %own: tensor<64xf32>, %b: index, %h: index, %i: index):
      %g = tensor.extract %gate[%b, %h, %i] : tensor<?x6x?xf32>
      %a = math.tanh %g : f32
      %z = goat.xsa %y, %own strength(%a) : tensor<64xf32>
      goat.yield %z : tensor<64xf32>
    } : (tensor<?x6x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>)
     -> (tensor<?x6x?x64xbf16>)
  return %out : tensor<?x6x?x64xbf16>
}
