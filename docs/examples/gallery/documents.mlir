// Causal within a document; documents by id.
// From: attention-gym, masks/document_mask.
// Run: --size B=1 --size Lq=130 --size Lk=130 --arg ids=inputs/ids.npy

func.func @documents(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>, %ids: tensor<?xi32>)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %same = goat.document_mask sorted %ids, %ids at(%b, %i, %j) : tensor<?xi32>, tensor<?xi32>
      %past = goat.causal_mask %b, %i, %j
      %m = arith.andi %same, %past : i1
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
