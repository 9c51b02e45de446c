// RUN: goat-run %s --on=sim --compare --target=sm_80 --size B=2 --size Lq=67 --size Lk=67 --arg c=%S/Inputs/cumulative-gate.npy
// RUN: goat-run %s --on=sim --compare --target=sm_90 --size B=2 --size Lq=67 --size Lk=67 --arg c=%S/Inputs/cumulative-gate.npy

// FoX (forgetting attention): c_i − c_j with c the cumulative log forget gate, a
// term of the query and one of the key.

func.func @fox(%query: tensor<?x2x?x64xbf16>, %key: tensor<?x1x?x64xbf16>, %value: tensor<?x1x?x64xbf16>,
    %c: tensor<?x2x?xf32>)
    -> (tensor<?x2x?x64xbf16> {goat.name = "out"}, tensor<?x2x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %position = goat.query_position %b, %i
      %ci = tensor.extract %c[%b, %h, %position] : tensor<?x2x?xf32>
      %cj = tensor.extract %c[%b, %h, %j] : tensor<?x2x?xf32>
      %p = arith.subf %ci, %cj : f32
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    } mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    } : (tensor<?x2x?x64xbf16>, tensor<?x1x?x64xbf16>, tensor<?x1x?x64xbf16>)
     -> (tensor<?x2x?x64xbf16>, tensor<?x2x?xf32>)
  return %out, %lse : tensor<?x2x?x64xbf16>, tensor<?x2x?xf32>
}
