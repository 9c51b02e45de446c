// |i − j| ≤ 24 and a multiple of 3.
// From: attention-gym, masks/dilated_sliding_window.
// Run: --size B=1 --size Lq=130 --size Lk=130

func.func @dilated_window(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %w = arith.constant 24 : i32
      %m = goat.window_mask %b, %i, %j left(%w) right(%w) dilation 3
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
