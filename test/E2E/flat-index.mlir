// RUN: goat-run %s --on=sim --compare --target=sm_90 --size B=1 --size Lq=70 --size Lk=70

// A flattened index, larger than 2^31 before the remainder is taken, and a
// remainder of a difference that may be negative: indices have 64 bits.

func.func @flat_index(%query: tensor<?x2x?x64xbf16>, %key: tensor<?x2x?x64xbf16>, %value: tensor<?x2x?x64xbf16>,
    %table: tensor<7xf32>)
    -> (tensor<?x2x?x64xbf16> {goat.name = "out"}, tensor<?x2x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %large = arith.constant 300000007 : index
      %x = arith.muli %i, %large : index
      %y = arith.subi %x, %j : index
      %c7 = arith.constant 7 : index
      %r = arith.remui %y, %c7 : index
      %p = tensor.extract %table[%r] : tensor<7xf32>
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
