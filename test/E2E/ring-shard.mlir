// RUN: goat-run %s --on=sim --compare --target=sm_80 --size B=1 --size Lq=70 --size Lk=90 --arg q_offset=100 --arg k_offset=64
// RUN: goat-run %s --on=sim --compare --target=sm_90 --size B=1 --size Lq=70 --size Lk=90 --arg q_offset=0 --arg k_offset=64

// A shard of a ring: this rank has queries from 100 on and is handed keys from 64
// on. Both offsets are run-time scalars.

func.func @ring_shard(%query: tensor<?x2x?x64xbf16>, %key: tensor<?x1x?x64xbf16>, %value: tensor<?x1x?x64xbf16>,
    %q_offset: i32, %k_offset: i32)
    -> (tensor<?x2x?x64xbf16> {goat.name = "out"}, tensor<?x2x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value
      q_offset(%q_offset : i32) k_offset(%k_offset : i32)
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    } : (tensor<?x2x?x64xbf16>, tensor<?x1x?x64xbf16>, tensor<?x1x?x64xbf16>)
     -> (tensor<?x2x?x64xbf16>, tensor<?x2x?xf32>)
  return %out, %lse : tensor<?x2x?x64xbf16>, tensor<?x2x?xf32>
}
