// RUN: goat-run %s --on=sim --compare --target=sm_80 --size B=1 --size Lq=70 --size Lk=70

// A row that one additive mask hides whole and a second in part: both reach the
// clamp, and the row averages over all keys.

func.func @two_additive_masks(%query: tensor<?x2x?x64xbf16>, %key: tensor<?x2x?x64xbf16>, %value: tensor<?x2x?x64xbf16>,
    %unused: f32)
    -> (tensor<?x2x?x64xbf16> {goat.name = "out"}, tensor<?x2x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %lowest = arith.constant -3.4e38 : f32
      %zero = arith.constant 0.0 : f32
      %c3 = arith.constant 3 : index
      %row = arith.cmpi eq, %i, %c3 : index
      %byRow = arith.select %row, %lowest, %zero : f32
      %c20 = arith.constant 20 : index
      %early = arith.cmpi slt, %j, %c20 : index
      %byKey = arith.select %early, %lowest, %zero : f32
      %s1 = arith.addf %s, %byRow : f32
      %t = arith.addf %s1, %byKey : f32
      goat.yield %t : f32
    } : (tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>)
     -> (tensor<?x2x?x64xbf16>, tensor<?x2x?xf32>)
  return %out, %lse : tensor<?x2x?x64xbf16>, tensor<?x2x?xf32>
}
