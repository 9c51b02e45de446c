// RUN: goat-run %s --on=sim --compare --target=sm_80 --size B=2 --size Lq=3 --size Lk=70
// RUN: goat-run %s --on=sim --compare --target=sm_90 --size B=1 --size Lq=1 --size Lk=129 --seed 1

// Decode: few queries at the end of the keys, with a dense bias that is read
// element by element.

func.func @decode_dense_bias(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>, %value: tensor<?x2x?x64xbf16>,
    %bias: tensor<?x4x?x?xf32>)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %p = tensor.extract %bias[%b, %h, %i, %j] : tensor<?x4x?x?xf32>
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    } mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    } : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>)
     -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
