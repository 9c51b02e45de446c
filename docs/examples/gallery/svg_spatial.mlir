// Sparse VideoGen, spatial head: the prompt, and |i − j| < width.
// From: attention-gym, masks/svg.
// Run: --size B=1 --size Lq=142 --size Lk=142

func.func @svg_spatial(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %prompt = arith.constant 2 : index
      %sink = arith.constant 16 : i32
      %near_most = arith.constant 27 : i32
      %first_row = arith.cmpi slt, %i, %prompt : index
      %first_column = goat.prefix_mask %b, %j length(%sink)
      %near = goat.window_mask %b, %i, %j left(%near_most) right(%near_most)
      %o = arith.ori %first_row, %first_column : i1
      %m = arith.ori %o, %near : i1
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
