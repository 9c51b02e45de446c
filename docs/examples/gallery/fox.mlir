// FoX: c_i − c_j with c the sum of the logarithms of the forget gates.
// From: Forgetting Transformer, arXiv 2503.02130.
// Run: --size B=1 --size Lq=130 --size Lk=130 --size c.2=130

func.func @fox(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>, %c: tensor<?x4x?xf32>)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %position = goat.query_position %b, %i
      %ci = tensor.extract %c[%b, %h, %position] : tensor<?x4x?xf32>
      %cj = tensor.extract %c[%b, %h, %j] : tensor<?x4x?xf32>
      %p = arith.subf %ci, %cj : f32
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    } mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
