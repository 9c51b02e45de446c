// Chunked streaming: keys up to the end of the query's chunk and a run-time look-ahead.
// From: streaming speech models.
// Run: --size B=1 --size Lq=130 --size Lk=130 --arg ahead=5

func.func @lookahead(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>, %ahead: i32)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %n = arith.constant 16 : i32
      %one = arith.constant 1 : i32
      %qi = goat.query_position %b, %i
      %kj = goat.key_position %b, %j
      %pi = arith.index_cast %qi : index to i32
      %pj = arith.index_cast %kj : index to i32
      %chunk = arith.floordivsi %pi, %n : i32
      %next = arith.addi %chunk, %one : i32
      %end = arith.muli %next, %n : i32
      %limit = arith.addi %end, %ahead : i32
      %m = arith.cmpi slt, %pj, %limit : i32
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
