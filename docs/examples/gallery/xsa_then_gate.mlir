// XSA, then σ(g) element by element.
// From: XSA, arXiv 2603.09078.
// Run: --size B=2 --size Lq=66 --size Lk=66

func.func @xsa_then_gate(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>, %gate: tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    } exclude {
    ^bb0(%y: tensor<64xf32>, %own: tensor<64xf32>, %b: index, %h: index, %i: index):
      %x = goat.xsa %y, %own : tensor<64xf32>
      %gn = tensor.extract_slice %gate[%b, %h, %i, 0] [1, 1, 1, 64] [1, 1, 1, 1]
      : tensor<?x4x?x64xbf16> to tensor<64xbf16>
      %g = arith.extf %gn : tensor<64xbf16> to tensor<64xf32>
      %one = arith.constant dense<1.0> : tensor<64xf32>
      %n = arith.negf %g : tensor<64xf32>
      %e = math.exp %n : tensor<64xf32>
      %d = arith.addf %one, %e : tensor<64xf32>
      %z = arith.divf %x, %d : tensor<64xf32>
      goat.yield %z : tensor<64xf32>
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
