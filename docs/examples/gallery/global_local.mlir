// Longformer: a window, and tokens that see and are seen by all.
// From: Longformer, arXiv 2004.05150.
// Run: --size B=1 --size Lq=130 --size Lk=130 --arg is_global=inputs/is_global.npy

func.func @global_local(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>, %is_global: tensor<?xi1>)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %w = arith.constant 16 : i32
      %near = goat.window_mask %b, %i, %j left(%w) right(%w)
      %gi = tensor.extract %is_global[%i] : tensor<?xi1>
      %gj = tensor.extract %is_global[%j] : tensor<?xi1>
      %g = arith.ori %gi, %gj : i1
      %m = arith.ori %near, %g : i1
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
