// Causal, and within the window or one of the first 4 keys.
// From: attention-gym, masks/sink_attn.
// Run: --size B=1 --size Lq=130 --size Lk=130

func.func @streaming_llm(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %w = arith.constant 32 : i32
      %n = arith.constant 4 : i32
      %zero = arith.constant 0 : i32
      %first = goat.prefix_mask %b, %j length(%n)
      %near = goat.window_mask %b, %i, %j left(%w) right(%zero)
      %past = goat.causal_mask %b, %i, %j
      %either = arith.ori %first, %near : i1
      %m = arith.andi %either, %past : i1
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
