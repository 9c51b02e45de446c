// Causal, and within the window or one of the first 4 keys.
// From: attention-gym, masks/sink_attn.
// Run: --size B=1 --size Lq=130 --size Lk=130

func.func @streaming_llm(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %w = arith.constant 32 : index
      %n = arith.constant 4 : index
      %d = goat.distance %b, %i, %j
      %near = arith.cmpi sle, %d, %w : index
      %first = arith.cmpi slt, %j, %n : index
      %either = arith.ori %near, %first : i1
      %past = goat.causal_mask %b, %i, %j
      %m = arith.andi %either, %past : i1
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
