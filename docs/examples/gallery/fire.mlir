// FIRE: an MLP of 8 units on log(c·δ + 1) / log(c·max(L, i) + 1).
// From: FIRE, arXiv 2310.04418.
// Run: --size B=1 --size Lq=130 --size Lk=130 --arg c=0.1 --arg L=64

func.func @fire(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>, %weight_in: tensor<8xf32>, %bias_in: tensor<8xf32>,
    %weight_out: tensor<4x8xf32>, %c: f32, %L: f32)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %zero = arith.constant 0.0 : f32
      %d = goat.distance %b, %i, %j
      %n = arith.index_cast %d : index to i32
      %f0 = arith.sitofp %n : i32 to f32
      %f = arith.maximumf %f0, %zero : f32
      %qi = goat.query_position %b, %i
      %qn = arith.index_cast %qi : index to i32
      %qf = arith.sitofp %qn : i32 to f32
      %q = arith.maximumf %qf, %L : f32
      %cd = arith.mulf %c, %f : f32
      %cq = arith.mulf %c, %q : f32
      %ld = math.log1p %cd : f32
      %lq = math.log1p %cq : f32
      %x = arith.divf %ld, %lq : f32
      %c0 = arith.constant 0 : index
      %w0 = tensor.extract %weight_in[%c0] : tensor<8xf32>
      %bb0 = tensor.extract %bias_in[%c0] : tensor<8xf32>
      %v0 = tensor.extract %weight_out[%h, %c0] : tensor<4x8xf32>
      %u0 = math.fma %w0, %x, %bb0 : f32
      %r0 = arith.maximumf %u0, %zero : f32
      %y0 = math.fma %v0, %r0, %zero : f32
      %c1 = arith.constant 1 : index
      %w1 = tensor.extract %weight_in[%c1] : tensor<8xf32>
      %bb1 = tensor.extract %bias_in[%c1] : tensor<8xf32>
      %v1 = tensor.extract %weight_out[%h, %c1] : tensor<4x8xf32>
      %u1 = math.fma %w1, %x, %bb1 : f32
      %r1 = arith.maximumf %u1, %zero : f32
      %y1 = math.fma %v1, %r1, %y0 : f32
      %c2 = arith.constant 2 : index
      %w2 = tensor.extract %weight_in[%c2] : tensor<8xf32>
      %bb2 = tensor.extract %bias_in[%c2] : tensor<8xf32>
      %v2 = tensor.extract %weight_out[%h, %c2] : tensor<4x8xf32>
      %u2 = math.fma %w2, %x, %bb2 : f32
      %r2 = arith.maximumf %u2, %zero : f32
      %y2 = math.fma %v2, %r2, %y1 : f32
      %c3 = arith.constant 3 : index
      %w3 = tensor.extract %weight_in[%c3] : tensor<8xf32>
      %bb3 = tensor.extract %bias_in[%c3] : tensor<8xf32>
      %v3 = tensor.extract %weight_out[%h, %c3] : tensor<4x8xf32>
      %u3 = math.fma %w3, %x, %bb3 : f32
      %r3 = arith.maximumf %u3, %zero : f32
      %y3 = math.fma %v3, %r3, %y2 : f32
      %c4 = arith.constant 4 : index
      %w4 = tensor.extract %weight_in[%c4] : tensor<8xf32>
      %bb4 = tensor.extract %bias_in[%c4] : tensor<8xf32>
      %v4 = tensor.extract %weight_out[%h, %c4] : tensor<4x8xf32>
      %u4 = math.fma %w4, %x, %bb4 : f32
      %r4 = arith.maximumf %u4, %zero : f32
      %y4 = math.fma %v4, %r4, %y3 : f32
      %c5 = arith.constant 5 : index
      %w5 = tensor.extract %weight_in[%c5] : tensor<8xf32>
      %bb5 = tensor.extract %bias_in[%c5] : tensor<8xf32>
      %v5 = tensor.extract %weight_out[%h, %c5] : tensor<4x8xf32>
      %u5 = math.fma %w5, %x, %bb5 : f32
      %r5 = arith.maximumf %u5, %zero : f32
      %y5 = math.fma %v5, %r5, %y4 : f32
      %c6 = arith.constant 6 : index
      %w6 = tensor.extract %weight_in[%c6] : tensor<8xf32>
      %bb6 = tensor.extract %bias_in[%c6] : tensor<8xf32>
      %v6 = tensor.extract %weight_out[%h, %c6] : tensor<4x8xf32>
      %u6 = math.fma %w6, %x, %bb6 : f32
      %r6 = arith.maximumf %u6, %zero : f32
      %y6 = math.fma %v6, %r6, %y5 : f32
      %c7 = arith.constant 7 : index
      %w7 = tensor.extract %weight_in[%c7] : tensor<8xf32>
      %bb7 = tensor.extract %bias_in[%c7] : tensor<8xf32>
      %v7 = tensor.extract %weight_out[%h, %c7] : tensor<4x8xf32>
      %u7 = math.fma %w7, %x, %bb7 : f32
      %r7 = arith.maximumf %u7, %zero : f32
      %y7 = math.fma %v7, %r7, %y6 : f32
      %t = arith.addf %s, %y7 : f32
      goat.yield %t : f32
    } mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
