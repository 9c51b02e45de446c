// Sigmoid attention: σ(s + b_h), no row sum.
// From: arXiv 2409.04431.
// Run: --size B=1 --size Lq=130 --size Lk=130

func.func @sigmoid(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>, %bias: tensor<4xf32>)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}) {
  %out = goat.attention %query, %key, %value score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %p = tensor.extract %bias[%h] : tensor<4xf32>
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    }
    attributes {normalizer = #goat.normalizer<sigmoid>}
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
