// s + table[clamp(i − j + W, 0, 2W)].
// From: attention-gym, examples/learnable_bias, local_window.
// Run: --size B=1 --size Lq=130 --size Lk=130

func.func @local_window(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>, %table: tensor<33xf32>)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %w = arith.constant 16 : index
      %zero = arith.constant 0 : index
      %most = arith.constant 32 : index
      %d = arith.subi %i, %j : index
      %shifted = arith.addi %d, %w : index
      %low = arith.maxsi %shifted, %zero : index
      %at = arith.minsi %low, %most : index
      %p = tensor.extract %table[%at] : tensor<33xf32>
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
