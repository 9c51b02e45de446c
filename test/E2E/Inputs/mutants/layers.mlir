// Small layers that together exercise what kernels are made of; faults are planted in
// each of them.

// No mask, no prior; the scale is a run-time value, so that scores may be large.
func.func @plain(%query: tensor<?x2x?x64xbf16>, %key: tensor<?x2x?x64xbf16>, %value: tensor<?x2x?x64xbf16>, %scale: f32)
    -> (tensor<?x2x?x64xbf16> {goat.name = "out"}, tensor<?x2x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value scale(%scale)
    : (tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x2x?x64xbf16>, tensor<?x2x?xf32>)
  return %out, %lse : tensor<?x2x?x64xbf16>, tensor<?x2x?xf32>
}

// A causal padded batch with three query heads for a key head.
func.func @ragged(%query: tensor<?x6x?x32xf16>, %key: tensor<?x2x?x32xf16>, %value: tensor<?x2x?x32xf16>,
    %q_lengths: tensor<?xi32>, %k_lengths: tensor<?xi32>)
    -> (tensor<?x6x?x32xf16> {goat.name = "out"}, tensor<?x6x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value
      q_lengths(%q_lengths : tensor<?xi32>) k_lengths(%k_lengths : tensor<?xi32>)
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    } : (tensor<?x6x?x32xf16>, tensor<?x2x?x32xf16>, tensor<?x2x?x32xf16>) -> (tensor<?x6x?x32xf16>, tensor<?x6x?xf32>)
  return %out, %lse : tensor<?x6x?x32xf16>, tensor<?x6x?xf32>
}

// GOAT's layer: a Fourier and a key prior, a sink, XSA. Its values over the distance
// come from a kernel before.
func.func @table(%query: tensor<?x4x?x32xbf16>, %key: tensor<?x2x?x32xbf16>, %value: tensor<?x2x?x32xbf16>,
    %alpha: tensor<4x3xf32>, %beta: tensor<4x3xf32>, %omega: tensor<3xf32>, %u: tensor<2x?xf32>, %sink: tensor<4xf32>)
    -> (tensor<?x4x?x32xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value sink(%sink : tensor<4xf32>)
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %d = goat.distance %b, %i, %j
      %relative = goat.fourier_prior %alpha, %beta, %omega at (%b, %h) distance %d
          : tensor<4x3xf32>, tensor<4x3xf32>, tensor<3xf32>
      %bias = goat.key_prior %u at (%b, %h, %j) : tensor<2x?xf32>
      %prior = arith.addf %relative, %bias : f32
      %t = arith.addf %s, %prior : f32
      goat.yield %t : f32
    } mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    } exclude {
    ^bb0(%y: tensor<32xf32>, %own: tensor<32xf32>, %b: index, %h: index, %i: index):
      %z = goat.xsa %y, %own : tensor<32xf32>
      goat.yield %z : tensor<32xf32>
    } : (tensor<?x4x?x32xbf16>, tensor<?x2x?x32xbf16>, tensor<?x2x?x32xbf16>) -> (tensor<?x4x?x32xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x32xbf16>, tensor<?x4x?xf32>
}

// A Fourier prior that each block computes, a key prior that is added element by
// element, and a soft cap over all.
func.func @strip(%query: tensor<?x2x?x16xbf16>, %key: tensor<?x1x?x16xbf16>, %value: tensor<?x1x?x16xbf16>,
    %alpha: tensor<2x2xf32>, %beta: tensor<2x2xf32>, %omega: tensor<2xf32>, %u: tensor<2x?xf32>, %cap: f32, %q_offset: i32)
    -> (tensor<?x2x?x16xbf16> {goat.name = "out"}, tensor<?x2x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value q_offset(%q_offset : i32)
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %d = goat.distance %b, %i, %j
      %relative = goat.fourier_prior %alpha, %beta, %omega at (%b, %h) distance %d
          : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>
      %bias = goat.key_prior %u at (%b, %h, %j) : tensor<2x?xf32>
      %a = arith.addf %s, %relative : f32
      %t = arith.addf %a, %bias : f32
      %c = goat.softcap %t, %cap
      goat.yield %c : f32
    } mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    } : (tensor<?x2x?x16xbf16>, tensor<?x1x?x16xbf16>, tensor<?x1x?x16xbf16>) -> (tensor<?x2x?x16xbf16>, tensor<?x2x?xf32>)
  return %out, %lse : tensor<?x2x?x16xbf16>, tensor<?x2x?xf32>
}

// A causal layer whose rows have a gate per element after XSA with a strength per token;
// softmax off by one, and Dv is not D.
func.func @gate(%query: tensor<?x4x?x40xbf16>, %key: tensor<?x2x?x40xbf16>, %value: tensor<?x2x?x24xbf16>,
    %strength: tensor<?x4x?xf32>, %gate: tensor<?x4x?x24xf32>, %sink: tensor<4xf32>)
    -> (tensor<?x4x?x24xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value sink(%sink : tensor<4xf32>)
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    } exclude {
    ^bb0(%y: tensor<24xf32>, %own: tensor<24xf32>, %b: index, %h: index, %i: index):
      %a = tensor.extract %strength[%b, %h, %i] : tensor<?x4x?xf32>
      %z = goat.xsa %y, %own strength(%a) : tensor<24xf32>
      %g = tensor.extract_slice %gate[%b, %h, %i, 0] [1, 1, 1, 24] [1, 1, 1, 1] : tensor<?x4x?x24xf32> to tensor<24xf32>
      %r = arith.mulf %z, %g : tensor<24xf32>
      goat.yield %r : tensor<24xf32>
    } : (tensor<?x4x?x40xbf16>, tensor<?x2x?x40xbf16>, tensor<?x2x?x24xbf16>) -> (tensor<?x4x?x24xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x24xbf16>, tensor<?x4x?xf32>
}

// Documents and a mask of its own for each pair: a kernel before makes an index of the
// key tiles that a query tile sees.
func.func @pairs(%query: tensor<?x2x?x32xbf16>, %key: tensor<?x1x?x32xbf16>, %value: tensor<?x1x?x32xbf16>,
    %query_ids: tensor<?x?xi32>, %key_ids: tensor<?x?xi32>, %pairs: tensor<?x?xi1>)
    -> (tensor<?x2x?x32xbf16> {goat.name = "out"}, tensor<?x2x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %same = goat.document_mask %query_ids, %key_ids at(%b, %i, %j) : tensor<?x?xi32>, tensor<?x?xi32>
      %pair = tensor.extract %pairs[%i, %j] : tensor<?x?xi1>
      %m = arith.andi %same, %pair : i1
      goat.yield %m : i1
    } : (tensor<?x2x?x32xbf16>, tensor<?x1x?x32xbf16>, tensor<?x1x?x32xbf16>) -> (tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>)
  return %out, %lse : tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>
}

// StreamingLLM: the first tokens and a window, both of run-time size.
func.func @window(%query: tensor<?x2x?x32xbf16>, %key: tensor<?x1x?x32xbf16>, %value: tensor<?x1x?x32xbf16>,
    %first: i32, %left: i32)
    -> (tensor<?x2x?x32xbf16> {goat.name = "out"}, tensor<?x2x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %c0 = arith.constant 0 : i32
      %sinks = goat.prefix_mask %b, %j length(%first)
      %window = goat.window_mask %b, %i, %j left(%left) right(%c0)
      %causal = goat.causal_mask %b, %i, %j
      %either = arith.ori %sinks, %window : i1
      %m = arith.andi %either, %causal : i1
      goat.yield %m : i1
    } : (tensor<?x2x?x32xbf16>, tensor<?x1x?x32xbf16>, tensor<?x1x?x32xbf16>) -> (tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>)
  return %out, %lse : tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>
}

// Axes (B, L, H, D), strides of each call: a kernel that copies 16 bytes at a time and
// one that copies elements.
func.func @strided(%query: tensor<?x?x4x32xf16> {goat.strided}, %key: tensor<?x?x2x32xf16> {goat.strided},
    %value: tensor<?x?x2x32xf16> {goat.strided})
    -> (tensor<?x?x4x32xf16> {goat.name = "out", goat.strided}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    } attributes {layout = #goat.layout<bshd>}
    : (tensor<?x?x4x32xf16>, tensor<?x?x2x32xf16>, tensor<?x?x2x32xf16>) -> (tensor<?x?x4x32xf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x?x4x32xf16>, tensor<?x4x?xf32>
}

// QK-norm and RoPE, with positions of a cache.
func.func @rope(%query: tensor<?x4x?x32xbf16>, %key: tensor<?x2x?x32xbf16>, %value: tensor<?x2x?x32xbf16>,
    %wq: tensor<32xf32>, %wk: tensor<32xf32>, %omega: tensor<12xf32>, %q_offset: i32, %k_offset: i32)
    -> (tensor<?x4x?x32xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value q_offset(%q_offset : i32) k_offset(%k_offset : i32)
    load_q {
    ^bb0(%row: tensor<32xf32>, %b: index, %h: index, %i: index):
      %p = goat.query_position %b, %i
      %n = goat.rms_norm %row weight(%wq : tensor<32xf32>) : tensor<32xf32>
      %r = goat.rope %n, %omega position %p {magnitude = 1.125 : f32} : tensor<32xf32>, tensor<12xf32>
      goat.yield %r : tensor<32xf32>
    } load_k {
    ^bb0(%row: tensor<32xf32>, %b: index, %h: index, %j: index):
      %p = goat.key_position %b, %j
      %n = goat.rms_norm %row weight(%wk : tensor<32xf32>) : tensor<32xf32>
      %r = goat.rope %n, %omega position %p {magnitude = 1.125 : f32} : tensor<32xf32>, tensor<12xf32>
      goat.yield %r : tensor<32xf32>
    } mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    } : (tensor<?x4x?x32xbf16>, tensor<?x2x?x32xbf16>, tensor<?x2x?x32xbf16>) -> (tensor<?x4x?x32xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x32xbf16>, tensor<?x4x?xf32>
}

// f32, multiplied exactly, with the slopes of ALiBi and an additive mask of its own.
func.func @exact(%query: tensor<?x2x?x16xf32>, %key: tensor<?x1x?x16xf32>, %value: tensor<?x1x?x16xf32>,
    %slope: tensor<2xf32>, %bias: tensor<2x?x?xf32>)
    -> (tensor<?x2x?x16xf32> {goat.name = "out"}, tensor<?x2x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %d = goat.distance %b, %i, %j
      %n = arith.index_cast %d : index to i32
      %f = arith.sitofp %n : i32 to f32
      %m = tensor.extract %slope[%h] : tensor<2xf32>
      %r = arith.mulf %f, %m : f32
      %dense = tensor.extract %bias[%h, %i, %j] : tensor<2x?x?xf32>
      %a = arith.addf %s, %r : f32
      %t = arith.addf %a, %dense : f32
      goat.yield %t : f32
    } mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    } : (tensor<?x2x?x16xf32>, tensor<?x1x?x16xf32>, tensor<?x1x?x16xf32>) -> (tensor<?x2x?x16xf32>, tensor<?x2x?xf32>)
  return %out, %lse : tensor<?x2x?x16xf32>, tensor<?x2x?xf32>
}

// f32 in tf32, normalised by a sigmoid.
func.func @sigmoid(%query: tensor<?x2x?x32xf32>, %key: tensor<?x2x?x32xf32>, %value: tensor<?x2x?x32xf32>, %bias: f32)
    -> (tensor<?x2x?x32xf32> {goat.name = "out"}) {
  %out = goat.attention %query, %key, %value
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %t = arith.subf %s, %bias : f32
      goat.yield %t : f32
    } mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    } attributes {normalizer = #goat.normalizer<sigmoid>}
    : (tensor<?x2x?x32xf32>, tensor<?x2x?x32xf32>, tensor<?x2x?x32xf32>) -> (tensor<?x2x?x32xf32>)
  return %out : tensor<?x2x?x32xf32>
}
