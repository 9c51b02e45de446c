// A prefix all documents share, and causal within each.
// From: method of the project.
// Run: --size B=1 --size Lq=130 --size Lk=130 --arg ids=inputs/ids.npy

func.func @shared_prefix(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>, %ids: tensor<?xi32>)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %zero = arith.constant 0 : i32
      %same = goat.document_mask sorted %ids, %ids at(%b, %i, %j) : tensor<?xi32>, tensor<?xi32>
      %dj = tensor.extract %ids[%j] : tensor<?xi32>
      %prefix = arith.cmpi eq, %dj, %zero : i32
      %either = arith.ori %same, %prefix : i1
      %past = goat.causal_mask %b, %i, %j
      %m = arith.andi %either, %past : i1
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
