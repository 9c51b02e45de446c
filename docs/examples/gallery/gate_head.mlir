// The row times σ(g) per token and head.
// From: Gated Attention, arXiv 2505.06708.
// Run: --size B=2 --size Lq=66 --size Lk=66

func.func @gate_head(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>, %gate: tensor<?x4x?xf32>)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    } exclude {
    ^bb0(%y: tensor<64xf32>, %own: tensor<64xf32>, %b: index, %h: index, %i: index):
      %g = tensor.extract %gate[%b, %h, %i] : tensor<?x4x?xf32>
      %one = arith.constant 1.0 : f32
      %n = arith.negf %g : f32
      %e = math.exp %n : f32
      %d = arith.addf %one, %e : f32
      %sg = arith.divf %one, %d : f32
      %w = tensor.splat %sg : tensor<64xf32>
      %z = arith.mulf %y, %w : tensor<64xf32>
      goat.yield %z : tensor<64xf32>
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
