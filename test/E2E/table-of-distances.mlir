// RUN: goat-run %s --on=sim --compare --target=sm_80 --size B=1 --size Lq=70 --size Lk=70 --size table.0=70

// A table of the distances that a causal mask lets pass: the others lead outside of
// it, and nothing outside is read.

func.func @table_of_distances(%query: tensor<?x2x?x64xbf16>, %key: tensor<?x2x?x64xbf16>, %value: tensor<?x2x?x64xbf16>,
    %table: tensor<?xf32>)
    -> (tensor<?x2x?x64xbf16> {goat.name = "out"}, tensor<?x2x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %d = goat.distance %b, %i, %j
      %p = tensor.extract %table[%d] : tensor<?xf32>
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    } mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    } : (tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>)
     -> (tensor<?x2x?x64xbf16>, tensor<?x2x?xf32>)
  return %out, %lse : tensor<?x2x?x64xbf16>, tensor<?x2x?xf32>
}
