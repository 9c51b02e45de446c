// Sandwich: Σ cos(ω_r δ) · H/(8(h + 1)), a Fourier prior.
// From: Sandwich, arXiv 2212.10356.
// Run: --size B=1 --size Lq=130 --size Lk=130

func.func @sandwich(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>, %alpha: tensor<4x4xf32>, %beta: tensor<4x4xf32>,
    %omega: tensor<4xf32>)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %d = goat.distance %b, %i, %j
      %p = goat.fourier_prior %alpha, %beta, %omega at (%b, %h) distance %d
      : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>
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
