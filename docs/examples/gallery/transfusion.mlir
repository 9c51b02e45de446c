// Transfusion: causal, and all of an image for its own tokens.
// From: Transfusion, arXiv 2408.11039.
// Run: --size B=1 --size Lq=130 --size Lk=130 --arg image=inputs/transfusion.npy

func.func @transfusion(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>, %image: tensor<?xi8>)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %zero = arith.constant 0 : i8
      %di = tensor.extract %image[%i] : tensor<?xi8>
      %dj = tensor.extract %image[%j] : tensor<?xi8>
      %same = arith.cmpi eq, %di, %dj : i8
      %is = arith.cmpi ne, %di, %zero : i8
      %in = arith.andi %same, %is : i1
      %past = goat.causal_mask %b, %i, %j
      %m = arith.ori %in, %past : i1
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
