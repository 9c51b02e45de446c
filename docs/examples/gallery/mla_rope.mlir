// MLA's score: s + scale·(q_rope · k_rope), here of 4 elements.
// From: attention-gym, mods/latent_attention.
// Run: --size B=1 --size Lq=66 --size Lk=130 --arg rope_scale=0.5

func.func @mla_rope(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>, %query_rope: tensor<?x4x?x4xbf16>,
    %key_rope: tensor<?x1x?x4xbf16>, %rope_scale: f32)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %zero = arith.constant 0 : index
      %c0 = arith.constant 0 : index
      %qn0 = tensor.extract %query_rope[%b, %h, %i, %c0] : tensor<?x4x?x4xbf16>
      %kn0 = tensor.extract %key_rope[%b, %zero, %j, %c0] : tensor<?x1x?x4xbf16>
      %q0 = arith.extf %qn0 : bf16 to f32
      %k0 = arith.extf %kn0 : bf16 to f32
      %p0 = arith.mulf %q0, %k0 : f32
      %c1 = arith.constant 1 : index
      %qn1 = tensor.extract %query_rope[%b, %h, %i, %c1] : tensor<?x4x?x4xbf16>
      %kn1 = tensor.extract %key_rope[%b, %zero, %j, %c1] : tensor<?x1x?x4xbf16>
      %q1 = arith.extf %qn1 : bf16 to f32
      %k1 = arith.extf %kn1 : bf16 to f32
      %p1 = arith.mulf %q1, %k1 : f32
      %c2 = arith.constant 2 : index
      %qn2 = tensor.extract %query_rope[%b, %h, %i, %c2] : tensor<?x4x?x4xbf16>
      %kn2 = tensor.extract %key_rope[%b, %zero, %j, %c2] : tensor<?x1x?x4xbf16>
      %q2 = arith.extf %qn2 : bf16 to f32
      %k2 = arith.extf %kn2 : bf16 to f32
      %p2 = arith.mulf %q2, %k2 : f32
      %c3 = arith.constant 3 : index
      %qn3 = tensor.extract %query_rope[%b, %h, %i, %c3] : tensor<?x4x?x4xbf16>
      %kn3 = tensor.extract %key_rope[%b, %zero, %j, %c3] : tensor<?x1x?x4xbf16>
      %q3 = arith.extf %qn3 : bf16 to f32
      %k3 = arith.extf %kn3 : bf16 to f32
      %p3 = arith.mulf %q3, %k3 : f32
      %s1 = arith.addf %p0, %p1 : f32
      %s2 = arith.addf %p2, %p3 : f32
      %dot = arith.addf %s1, %s2 : f32
      %p = arith.mulf %rope_scale, %dot : f32
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
