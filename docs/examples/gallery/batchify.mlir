// Causal within groups of 24 tokens.
// From: attention-gym, masks/batchify.
// Run: --size B=1 --size Lq=130 --size Lk=130

func.func @batchify(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %n = arith.constant 24 : index
      %bi = arith.divui %i, %n : index
      %bj = arith.divui %j, %n : index
      %ri = arith.remui %i, %n : index
      %rj = arith.remui %j, %n : index
      %same = arith.cmpi eq, %bi, %bj : index
      %past = arith.cmpi sge, %ri, %rj : index
      %m = arith.andi %same, %past : i1
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
