// RUN: goat-run %s --on=sim --compare --target=sm_80 --size B=1 --size Lq=70 --size Lk=70 --arg q_offset=131000 --arg omega=%S/Inputs/omega-0.1-and-1.npy
// RUN: goat-run %s --on=sim --compare --target=sm_90 --size B=1 --size Lq=1 --size Lk=1 --arg q_offset=131071 --arg omega=%S/Inputs/omega-0.1-and-1.npy

// The Fourier prior at distances up to 131072: the product of frequency and
// distance is kept in two floats, or lse would be off by 1e-4.

func.func @far_distances(%query: tensor<?x2x?x64xbf16>, %key: tensor<?x2x?x64xbf16>, %value: tensor<?x2x?x64xbf16>,
    %alpha: tensor<2x2xf32>, %beta: tensor<2x2xf32>, %omega: tensor<2xf32>, %q_offset: i32)
    -> (tensor<?x2x?x64xbf16> {goat.name = "out"}, tensor<?x2x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value q_offset(%q_offset : i32)
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %d = goat.distance %b, %i, %j
      %p = goat.fourier_prior %alpha, %beta, %omega at (%b, %h) distance %d
        : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    } : (tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>)
     -> (tensor<?x2x?x64xbf16>, tensor<?x2x?xf32>)
  return %out, %lse : tensor<?x2x?x64xbf16>, tensor<?x2x?xf32>
}
