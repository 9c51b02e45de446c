// s + bias[offset[i]], an index out of a tensor.
// From: attention-gym, examples/learnable_bias, offset.
// Run: --size B=1 --size Lk=130 --size bias.0=130 --arg offset=inputs/offset.npy

func.func @offset(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>, %bias: tensor<?xf32>, %offset: tensor<?xi64>)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %n = tensor.extract %offset[%i] : tensor<?xi64>
      %at = arith.index_cast %n : i64 to index
      %p = tensor.extract %bias[%at] : tensor<?xf32>
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
