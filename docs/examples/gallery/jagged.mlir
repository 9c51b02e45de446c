// Nested tensors: sequences one after the other, a window within each by its own positions.
// From: the FlexAttention blog, jagged sequences.
// Run: --size B=1 --size Lq=130 --size Lk=130 --arg ids=inputs/ids.npy --arg offsets=inputs/offsets.npy

func.func @jagged(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>, %ids: tensor<?xi32>, %offsets: tensor<6xi32>)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %di = tensor.extract %ids[%i] : tensor<?xi32>
      %dj = tensor.extract %ids[%j] : tensor<?xi32>
      %same = arith.cmpi eq, %di, %dj : i32
      %xi = arith.index_cast %di : i32 to index
      %xj = arith.index_cast %dj : i32 to index
      %oi = tensor.extract %offsets[%xi] : tensor<6xi32>
      %oj = tensor.extract %offsets[%xj] : tensor<6xi32>
      %ni = arith.index_cast %i : index to i32
      %nj = arith.index_cast %j : index to i32
      %pi = arith.subi %ni, %oi : i32
      %pj = arith.subi %nj, %oj : i32
      %inner = arith.cmpi sge, %pi, %pj : i32
      %m = arith.andi %same, %inner : i1
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
