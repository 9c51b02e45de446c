// The scale times log of the number of keys seen over log of the training length.
// From: Qwen, logn attention.
// Run: --size B=1 --size Lq=130 --size Lk=130 --arg length=64

func.func @log_length_scale(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>, %length: f32)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %one = arith.constant 1.0 : f32
      %two = arith.constant 2.0 : f32
      %q = goat.query_position %b, %i
      %n = arith.index_cast %q : index to i32
      %f = arith.sitofp %n : i32 to f32
      %f1 = arith.addf %f, %two : f32
      %l = math.log %f1 : f32
      %ln = math.log %length : f32
      %r = arith.divf %l, %ln : f32
      %c = arith.maximumf %r, %one : f32
      %t = arith.mulf %s, %c : f32
      goat.yield %t : f32
    } mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
