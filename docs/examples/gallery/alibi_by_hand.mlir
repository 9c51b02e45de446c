// ALiBi in plain ops, its slopes computed from the head.
// From: attention-gym, mods/alibi.
// Run: --size B=1 --size Lq=130 --size Lk=130

func.func @alibi_by_hand(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %one = arith.constant 1.0 : f32
      %c = arith.constant -2.0 : f32
      %hn = arith.index_cast %h : index to i32
      %hf = arith.sitofp %hn : i32 to f32
      %h1 = arith.addf %hf, %one : f32
      %e = arith.mulf %h1, %c : f32
      %slope = math.exp2 %e : f32
      %d = arith.subi %j, %i : index
      %n = arith.index_cast %d : index to i32
      %f = arith.sitofp %n : i32 to f32
      %p = arith.mulf %slope, %f : f32
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    } mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
