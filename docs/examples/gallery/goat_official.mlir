// GOAT with its sink as the official module computes it: gain·MLP(features of the key's position) + bump at 0.
// From: GOAT, arXiv 2601.15380, package goat-attention 0.1.1.
// Run: --size B=1 --size Lq=130 --size Lk=130

func.func @goat_official(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>, %alpha: tensor<2x4xf32>, %beta: tensor<2x4xf32>,
    %omega: tensor<4xf32>, %gain: tensor<2xf32>, %bump: tensor<2xf32>, %w1: tensor<4x6xf32>,
    %b1: tensor<4xf32>, %w2: tensor<4xf32>, %b2: tensor<1xf32>, %omega_sink: tensor<2xf32>)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %d = goat.distance %b, %i, %j
      %k = goat.fourier_prior %alpha, %beta, %omega at (%b, %h) distance %d
      : tensor<2x4xf32>, tensor<2x4xf32>, tensor<4xf32>
      %at = goat.key_position %b, %j
      %length = arith.constant 1024.0 : f32
      %uj = goat.sink_prior %gain, %bump, mlp(%w1, %b1, %w2, %b2) frequencies %omega_sink length %length at (%h, %at)
      : tensor<2xf32>, tensor<2xf32>, tensor<4x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1xf32>, tensor<2xf32>
      %a = goat.alibi at (%h) distance %d
      %s1 = arith.addf %s, %k : f32
      %s2 = arith.addf %s1, %uj : f32
      %t = arith.addf %s2, %a : f32
      goat.yield %t : f32
    } mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
