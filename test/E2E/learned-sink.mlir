// RUN: goat-run %s --on=sim --compare --target=sm_80 --size B=1 --size Lq=65 --size Lk=65
// RUN: goat-run %s --on=sim --compare --target=sm_90 --size B=2 --size Lq=128 --size Lk=128 --seed 1

// A learned sink logit per head, and a mask without the diagonal: the first row
// sees the sink alone.

func.func @learned_sink(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x4x?x64xbf16>, %value: tensor<?x4x?x64xbf16>,
    %sink: tensor<4xf32>)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value
      sink(%sink : tensor<4xf32>)
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = arith.cmpi slt, %j, %i : index
      goat.yield %m : i1
    } : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
     -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
