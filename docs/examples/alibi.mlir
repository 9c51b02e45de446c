// ALiBi on grouped heads, written out: the prior is a region of plain ops on one
// query and one key. The compiler sees that it depends on the distance alone.
func.func @alibi(%query: tensor<?x8x?x64xf16>, %key: tensor<?x2x?x64xf16>,
                 %value: tensor<?x2x?x64xf16>, %slope: tensor<8xf32>) -> tensor<?x8x?x64xf16> {
  %out = goat.attention %query, %key, %value score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %distance = goat.distance %b, %i, %j
    %d = arith.index_cast %distance : index to i32
    %f = arith.sitofp %d : i32 to f32
    %m = tensor.extract %slope[%h] : tensor<8xf32>
    %n = arith.negf %f : f32
    %p = arith.mulf %m, %n : f32
    %t = arith.addf %s, %p : f32
    goat.yield %t : f32
  } mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %sees = goat.causal_mask %b, %i, %j
    goat.yield %sees : i1
  } : (tensor<?x8x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>) -> (tensor<?x8x?x64xf16>)
  return %out : tensor<?x8x?x64xf16>
}
