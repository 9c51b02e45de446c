// Sparse VideoGen, temporal head: near in the frame of 14 tokens.
// From: attention-gym, masks/svg.
// Run: --size B=1 --size Lq=142 --size Lk=142

func.func @svg_temporal(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %prompt = arith.constant 2 : i32
      %frame = arith.constant 14 : i32
      %zero = arith.constant 0 : i32
      %width = arith.constant 3 : i32
      %ni = arith.index_cast %i : index to i32
      %nj = arith.index_cast %j : index to i32
      %first_row = arith.cmpi slt, %ni, %prompt : i32
      %first_column = arith.cmpi slt, %nj, %prompt : i32
      %pi = arith.subi %ni, %prompt : i32
      %pj = arith.subi %nj, %prompt : i32
      %fi = arith.floordivsi %pi, %frame : i32
      %fj = arith.floordivsi %pj, %frame : i32
      %bi = arith.muli %fi, %frame : i32
      %bj = arith.muli %fj, %frame : i32
      %ti = arith.subi %pi, %bi : i32
      %tj = arith.subi %pj, %bj : i32
      %d = arith.subi %ti, %tj : i32
      %a = math.absi %d : i32
      %near = arith.cmpi slt, %a, %width : i32
      %o = arith.ori %first_row, %first_column : i1
      %m = arith.ori %o, %near : i1
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
