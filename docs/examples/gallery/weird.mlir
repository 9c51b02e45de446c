// s + bias[b, h, which, i], which captured as a tensor of rank 0.
// From: attention-gym, examples/learnable_bias, weird.
// Run: --size B=2 --size Lq=66 --size Lk=130 --arg which=inputs/one.npy

func.func @weird(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>, %bias: tensor<?x4x4x?xf32>, %which: tensor<i32>)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %n = tensor.extract %which[] : tensor<i32>
      %w = arith.index_cast %n : i32 to index
      %p = tensor.extract %bias[%b, %h, %w, %i] : tensor<?x4x4x?xf32>
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
