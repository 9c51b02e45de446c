// s + bias[h, i, j].
// From: attention-gym, examples/learnable_bias, head_specific.
// Run: --size B=1 --size Lq=130 --size Lk=130

func.func @head_specific(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>, %bias: tensor<4x?x?xf32>)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %p = tensor.extract %bias[%h, %i, %j] : tensor<4x?x?xf32>
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
