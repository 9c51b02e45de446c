// RUN: goat-run %s --on=sim --compare --target=sm_80 --size B=1 --size Lq=65 --size Lk=65 --arg length=65
// RUN: goat-run %s --on=sim --compare --target=sm_90 --f32-product=tf32 --size B=2 --size Lq=70 --size Lk=70 --seed 1 --arg length=70

// Sigmoid attention with the bias −log n, of f32.

func.func @sigmoid(%query: tensor<?x4x?x64xf32>, %key: tensor<?x2x?x64xf32>, %value: tensor<?x2x?x64xf32>,
    %length: f32)
    -> (tensor<?x4x?x64xf32> {goat.name = "out"}) {
  %out = goat.attention %query, %key, %value
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %bias = math.log %length : f32
      %t = arith.subf %s, %bias : f32
      goat.yield %t : f32
    } mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    } attributes {normalizer = #goat.normalizer<sigmoid>} : (tensor<?x4x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x64xf32>)
     -> (tensor<?x4x?x64xf32>)
  return %out : tensor<?x4x?x64xf32>
}
