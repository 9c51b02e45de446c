// KERPLE, power: −a·|δ|^p.
// From: KERPLE, arXiv 2205.09921.
// Run: --size B=1 --size Lq=130 --size Lk=130

func.func @kerple_power(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>, %p: tensor<4xf32>, %c: tensor<4xf32>)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %d = goat.distance %b, %i, %j
      %n = arith.index_cast %d : index to i32
      %f = arith.sitofp %n : i32 to f32
      %a = math.absf %f : f32
      %ph = tensor.extract %p[%h] : tensor<4xf32>
      %ch = tensor.extract %c[%h] : tensor<4xf32>
      %pp = math.absf %ph : f32
      %cc = math.absf %ch : f32
      %x = math.powf %a, %pp : f32
      %k = arith.mulf %cc, %x : f32
      %t = arith.subf %s, %k : f32
      goat.yield %t : f32
    } mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
