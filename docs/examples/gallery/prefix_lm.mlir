// Causal, or the key is in the prefix; its length is a run-time value.
// From: attention-gym, masks/prefix_lm.
// Run: --size B=1 --size Lq=130 --size Lk=130 --arg prefix=40

func.func @prefix_lm(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>, %prefix: i32)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %in = goat.prefix_mask %b, %j length(%prefix)
      %past = goat.causal_mask %b, %i, %j
      %m = arith.ori %in, %past : i1
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
