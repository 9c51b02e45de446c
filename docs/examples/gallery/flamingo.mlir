// Flamingo's cross-attention: a token of text sees the images whose interval it lies in.
// From: attention-gym, masks/flamingo.
// Run: --size B=1 --size Lq=70 --arg image=inputs/image.npy --arg intervals=inputs/intervals.npy

func.func @flamingo(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>, %image: tensor<?xi64>, %intervals: tensor<3x2xi64>)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %n = tensor.extract %image[%j] : tensor<?xi64>
      %at = arith.index_cast %n : i64 to index
      %begin = tensor.extract %intervals[%at, %zero] : tensor<3x2xi64>
      %end = tensor.extract %intervals[%at, %one] : tensor<3x2xi64>
      %q = arith.index_cast %i : index to i64
      %after = arith.cmpi sge, %q, %begin : i64
      %before = arith.cmpi slt, %q, %end : i64
      %m = arith.andi %after, %before : i1
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
