// Causal, and i − j ≤ 32, in plain ops.
// From: attention-gym, masks/sliding_window.
// Run: --size B=1 --size Lq=130 --size Lk=130

func.func @sliding_window_by_hand(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %w = arith.constant 32 : index
      %d = goat.distance %b, %i, %j
      %near = arith.cmpi sle, %d, %w : index
      %past = goat.causal_mask %b, %i, %j
      %m = arith.andi %near, %past : i1
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
