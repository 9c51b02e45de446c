// A layer for each mask of the dialect and for masks written by hand, with two
// query heads for a key head.

// The last w tokens and oneself.
func.func @window(%query: tensor<?x2x?x32xbf16>, %key: tensor<?x1x?x32xbf16>, %value: tensor<?x1x?x32xbf16>, %w: i32)
    -> (tensor<?x2x?x32xbf16> {goat.name = "out"}, tensor<?x2x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %c0 = arith.constant 0 : i32
      %m = goat.window_mask %b, %i, %j left(%w) right(%c0)
      goat.yield %m : i1
    } : (tensor<?x2x?x32xbf16>, tensor<?x1x?x32xbf16>, tensor<?x1x?x32xbf16>) -> (tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>)
  return %out, %lse : tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>
}

// The w tokens after oneself: the last row sees none.
func.func @ahead(%query: tensor<?x2x?x32xbf16>, %key: tensor<?x1x?x32xbf16>, %value: tensor<?x1x?x32xbf16>, %w: i32)
    -> (tensor<?x2x?x32xbf16> {goat.name = "out"}, tensor<?x2x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %behind = arith.constant -1 : i32
      %m = goat.window_mask %b, %i, %j left(%behind) right(%w)
      goat.yield %m : i1
    } : (tensor<?x2x?x32xbf16>, tensor<?x1x?x32xbf16>, tensor<?x1x?x32xbf16>) -> (tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>)
  return %out, %lse : tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>
}

// Every third of the last w tokens.
func.func @dilated(%query: tensor<?x2x?x32xbf16>, %key: tensor<?x1x?x32xbf16>, %value: tensor<?x1x?x32xbf16>, %w: i32)
    -> (tensor<?x2x?x32xbf16> {goat.name = "out"}, tensor<?x2x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %c0 = arith.constant 0 : i32
      %m = goat.window_mask %b, %i, %j left(%w) right(%c0) dilation 3
      goat.yield %m : i1
    } : (tensor<?x2x?x32xbf16>, tensor<?x1x?x32xbf16>, tensor<?x1x?x32xbf16>) -> (tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>)
  return %out, %lse : tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>
}

// StreamingLLM: the first tokens and a window.
func.func @sinks(%query: tensor<?x2x?x32xbf16>, %key: tensor<?x1x?x32xbf16>, %value: tensor<?x1x?x32xbf16>, %w: i32)
    -> (tensor<?x2x?x32xbf16> {goat.name = "out"}, tensor<?x2x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %c5 = arith.constant 5 : i32
      %c0 = arith.constant 0 : i32
      %sinks = goat.prefix_mask %b, %j length(%c5)
      %window = goat.window_mask %b, %i, %j left(%w) right(%c0)
      %causal = goat.causal_mask %b, %i, %j
      %either = arith.ori %sinks, %window : i1
      %m = arith.andi %either, %causal : i1
      goat.yield %m : i1
    } : (tensor<?x2x?x32xbf16>, tensor<?x1x?x32xbf16>, tensor<?x1x?x32xbf16>) -> (tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>)
  return %out, %lse : tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>
}

// A prefix language model, a prefix for each batch entry.
func.func @prefix(%query: tensor<?x2x?x32xbf16>, %key: tensor<?x1x?x32xbf16>, %value: tensor<?x1x?x32xbf16>, %lengths: tensor<?xi32>)
    -> (tensor<?x2x?x32xbf16> {goat.name = "out"}, tensor<?x2x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %length = tensor.extract %lengths[%b] : tensor<?xi32>
      %prefix = goat.prefix_mask %b, %j length(%length)
      %causal = goat.causal_mask %b, %i, %j
      %m = arith.ori %prefix, %causal : i1
      goat.yield %m : i1
    } : (tensor<?x2x?x32xbf16>, tensor<?x1x?x32xbf16>, tensor<?x1x?x32xbf16>) -> (tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>)
  return %out, %lse : tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>
}

// Packed documents in order.
func.func @documents(%query: tensor<?x2x?x32xbf16>, %key: tensor<?x1x?x32xbf16>, %value: tensor<?x1x?x32xbf16>, %query_ids: tensor<?x?xi32>, %key_ids: tensor<?x?xi32>)
    -> (tensor<?x2x?x32xbf16> {goat.name = "out"}, tensor<?x2x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %same = goat.document_mask sorted %query_ids, %key_ids at(%b, %i, %j) : tensor<?x?xi32>, tensor<?x?xi32>
      %causal = goat.causal_mask %b, %i, %j
      %m = arith.andi %same, %causal : i1
      goat.yield %m : i1
    } : (tensor<?x2x?x32xbf16>, tensor<?x1x?x32xbf16>, tensor<?x1x?x32xbf16>) -> (tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>)
  return %out, %lse : tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>
}

// Segments in any order.
func.func @segments(%query: tensor<?x2x?x32xbf16>, %key: tensor<?x1x?x32xbf16>, %value: tensor<?x1x?x32xbf16>, %query_ids: tensor<?x?xi32>, %key_ids: tensor<?x?xi32>)
    -> (tensor<?x2x?x32xbf16> {goat.name = "out"}, tensor<?x2x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.document_mask %query_ids, %key_ids at(%b, %i, %j) : tensor<?x?xi32>, tensor<?x?xi32>
      goat.yield %m : i1
    } : (tensor<?x2x?x32xbf16>, tensor<?x1x?x32xbf16>, tensor<?x1x?x32xbf16>) -> (tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>)
  return %out, %lse : tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>
}

// Documents that continue one prefix.
func.func @shared_prefix(%query: tensor<?x2x?x32xbf16>, %key: tensor<?x1x?x32xbf16>, %value: tensor<?x1x?x32xbf16>, %query_ids: tensor<?x?xi32>, %key_ids: tensor<?x?xi32>, %lengths: tensor<?xi32>)
    -> (tensor<?x2x?x32xbf16> {goat.name = "out"}, tensor<?x2x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %length = tensor.extract %lengths[%b] : tensor<?xi32>
      %prefix = goat.prefix_mask %b, %j length(%length)
      %same = goat.document_mask sorted %query_ids, %key_ids at(%b, %i, %j) : tensor<?x?xi32>, tensor<?x?xi32>
      %either = arith.ori %prefix, %same : i1
      %causal = goat.causal_mask %b, %i, %j
      %m = arith.andi %either, %causal : i1
      goat.yield %m : i1
    } : (tensor<?x2x?x32xbf16>, tensor<?x1x?x32xbf16>, tensor<?x1x?x32xbf16>) -> (tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>)
  return %out, %lse : tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>
}

// Neighbourhoods on a grid of 14 by 15.
func.func @neighborhood(%query: tensor<?x2x?x32xbf16>, %key: tensor<?x1x?x32xbf16>, %value: tensor<?x1x?x32xbf16>)
    -> (tensor<?x2x?x32xbf16> {goat.name = "out"}, tensor<?x2x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.neighborhood_mask %b, %i, %j grid [14, 15] kernel [3, 7]
      goat.yield %m : i1
    } : (tensor<?x2x?x32xbf16>, tensor<?x1x?x32xbf16>, tensor<?x1x?x32xbf16>) -> (tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>)
  return %out, %lse : tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>
}

// The same on three axes.
func.func @neighborhood3(%query: tensor<?x2x?x32xbf16>, %key: tensor<?x1x?x32xbf16>, %value: tensor<?x1x?x32xbf16>)
    -> (tensor<?x2x?x32xbf16> {goat.name = "out"}, tensor<?x2x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.neighborhood_mask %b, %i, %j grid [5, 6, 7] kernel [3, 1, 5]
      goat.yield %m : i1
    } : (tensor<?x2x?x32xbf16>, tensor<?x1x?x32xbf16>, tensor<?x1x?x32xbf16>) -> (tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>)
  return %out, %lse : tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>
}

// Every token but oneself.
func.func @others(%query: tensor<?x2x?x32xbf16>, %key: tensor<?x1x?x32xbf16>, %value: tensor<?x1x?x32xbf16>)
    -> (tensor<?x2x?x32xbf16> {goat.name = "out"}, tensor<?x2x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %delta = goat.distance %b, %i, %j
      %c0 = arith.constant 0 : index
      %m = arith.cmpi ne, %delta, %c0 : index
      goat.yield %m : i1
    } : (tensor<?x2x?x32xbf16>, tensor<?x1x?x32xbf16>, tensor<?x1x?x32xbf16>) -> (tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>)
  return %out, %lse : tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>
}

// What a window does not see.
func.func @far(%query: tensor<?x2x?x32xbf16>, %key: tensor<?x1x?x32xbf16>, %value: tensor<?x1x?x32xbf16>, %w: i32)
    -> (tensor<?x2x?x32xbf16> {goat.name = "out"}, tensor<?x2x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %true = arith.constant true
      %near = goat.window_mask %b, %i, %j left(%w) right(%w)
      %m = arith.xori %near, %true : i1
      goat.yield %m : i1
    } : (tensor<?x2x?x32xbf16>, tensor<?x1x?x32xbf16>, tensor<?x1x?x32xbf16>) -> (tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>)
  return %out, %lse : tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>
}

// A window in plain arithmetic.
func.func @by_hand(%query: tensor<?x2x?x32xbf16>, %key: tensor<?x1x?x32xbf16>, %value: tensor<?x1x?x32xbf16>, %w: i32)
    -> (tensor<?x2x?x32xbf16> {goat.name = "out"}, tensor<?x2x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %delta = arith.subi %i, %j : index
      %distance = math.absi %delta : index
      %width = arith.index_cast %w : i32 to index
      %near = arith.cmpi slt, %distance, %width : index
      %past = arith.cmpi uge, %i, %j : index
      %m = arith.andi %near, %past : i1
      goat.yield %m : i1
    } : (tensor<?x2x?x32xbf16>, tensor<?x1x?x32xbf16>, tensor<?x1x?x32xbf16>) -> (tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>)
  return %out, %lse : tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>
}

// Chunks of 50 rows.
func.func @chunks(%query: tensor<?x2x?x32xbf16>, %key: tensor<?x1x?x32xbf16>, %value: tensor<?x1x?x32xbf16>)
    -> (tensor<?x2x?x32xbf16> {goat.name = "out"}, tensor<?x2x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %c50 = arith.constant 50 : index
      %x = arith.divui %i, %c50 : index
      %y = arith.divui %j, %c50 : index
      %m = arith.cmpi eq, %x, %y : index
      goat.yield %m : i1
    } : (tensor<?x2x?x32xbf16>, tensor<?x1x?x32xbf16>, tensor<?x1x?x32xbf16>) -> (tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>)
  return %out, %lse : tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>
}

// A window for each head, the other way round in odd batch entries.
func.func @windows(%query: tensor<?x2x?x32xbf16>, %key: tensor<?x1x?x32xbf16>, %value: tensor<?x1x?x32xbf16>, %widths: tensor<2xi32>)
    -> (tensor<?x2x?x32xbf16> {goat.name = "out"}, tensor<?x2x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %c1 = arith.constant 1 : index
      %odd = arith.andi %b, %c1 : index
      %is_odd = arith.cmpi eq, %odd, %c1 : index
      %width = tensor.extract %widths[%h] : tensor<2xi32>
      %c0 = arith.constant 0 : i32
      %before = goat.window_mask %b, %i, %j left(%width) right(%c0)
      %after = goat.window_mask %b, %i, %j left(%c0) right(%width)
      %m = arith.select %is_odd, %after, %before : i1
      goat.yield %m : i1
    } : (tensor<?x2x?x32xbf16>, tensor<?x1x?x32xbf16>, tensor<?x1x?x32xbf16>) -> (tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>)
  return %out, %lse : tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>
}

// Every third key is hidden: no tile is empty or full.
func.func @columns(%query: tensor<?x2x?x32xbf16>, %key: tensor<?x1x?x32xbf16>, %value: tensor<?x1x?x32xbf16>)
    -> (tensor<?x2x?x32xbf16> {goat.name = "out"}, tensor<?x2x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %c3 = arith.constant 3 : index
      %c0 = arith.constant 0 : index
      %rest = arith.remui %j, %c3 : index
      %m = arith.cmpi ne, %rest, %c0 : index
      goat.yield %m : i1
    } : (tensor<?x2x?x32xbf16>, tensor<?x1x?x32xbf16>, tensor<?x1x?x32xbf16>) -> (tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>)
  return %out, %lse : tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>
}

// No row sees anything.
func.func @nothing(%query: tensor<?x2x?x32xbf16>, %key: tensor<?x1x?x32xbf16>, %value: tensor<?x1x?x32xbf16>)
    -> (tensor<?x2x?x32xbf16> {goat.name = "out"}, tensor<?x2x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = arith.constant false
      goat.yield %m : i1
    } : (tensor<?x2x?x32xbf16>, tensor<?x1x?x32xbf16>, tensor<?x1x?x32xbf16>) -> (tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>)
  return %out, %lse : tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>
}

// Sinks and a window with priors, a sink logit, lengths, offsets and XSA.
func.func @sinks_goat(%query: tensor<?x2x?x32xbf16>, %key: tensor<?x1x?x32xbf16>, %value: tensor<?x1x?x32xbf16>, %w: i32, %sink: tensor<2xf32>, %q_offset: tensor<?xi32>, %k_offset: tensor<?xi32>, %k_lengths: tensor<?xi32>, %alpha: tensor<1x2xf32>, %beta: tensor<1x2xf32>, %omega: tensor<2xf32>, %u: tensor<1x?xf32>)
    -> (tensor<?x2x?x32xbf16> {goat.name = "out"}, tensor<?x2x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value sink(%sink : tensor<2xf32>) q_offset(%q_offset : tensor<?xi32>)
      k_offset(%k_offset : tensor<?xi32>) k_lengths(%k_lengths : tensor<?xi32>)
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %delta = goat.distance %b, %i, %j
      %relative = goat.fourier_prior %alpha, %beta, %omega at (%b, %h) distance %delta : tensor<1x2xf32>, tensor<1x2xf32>, tensor<2xf32>
      %key_term = goat.key_prior %u at (%b, %h, %j) : tensor<1x?xf32>
      %p = arith.addf %relative, %key_term : f32
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    }
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %c5 = arith.constant 5 : i32
      %c0 = arith.constant 0 : i32
      %sinks = goat.prefix_mask %b, %j length(%c5)
      %window = goat.window_mask %b, %i, %j left(%w) right(%c0)
      %causal = goat.causal_mask %b, %i, %j
      %either = arith.ori %sinks, %window : i1
      %m = arith.andi %either, %causal : i1
      goat.yield %m : i1
    } exclude {
    ^bb0(%y: tensor<32xf32>, %own: tensor<32xf32>, %b: index, %h: index, %i: index):
      %z = goat.xsa %y, %own : tensor<32xf32>
      goat.yield %z : tensor<32xf32>
    } : (tensor<?x2x?x32xbf16>, tensor<?x1x?x32xbf16>, tensor<?x1x?x32xbf16>) -> (tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>)
  return %out, %lse : tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>
}

// A window with priors, offsets and XSA.
func.func @window_goat(%query: tensor<?x2x?x32xbf16>, %key: tensor<?x1x?x32xbf16>, %value: tensor<?x1x?x32xbf16>, %w: i32, %q_offset: tensor<?xi32>, %k_offset: tensor<?xi32>, %alpha: tensor<1x2xf32>, %beta: tensor<1x2xf32>, %omega: tensor<2xf32>, %u: tensor<1x?xf32>)
    -> (tensor<?x2x?x32xbf16> {goat.name = "out"}, tensor<?x2x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value q_offset(%q_offset : tensor<?xi32>)
      k_offset(%k_offset : tensor<?xi32>)
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %delta = goat.distance %b, %i, %j
      %relative = goat.fourier_prior %alpha, %beta, %omega at (%b, %h) distance %delta : tensor<1x2xf32>, tensor<1x2xf32>, tensor<2xf32>
      %key_term = goat.key_prior %u at (%b, %h, %j) : tensor<1x?xf32>
      %p = arith.addf %relative, %key_term : f32
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    }
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %c0 = arith.constant 0 : i32
      %m = goat.window_mask %b, %i, %j left(%w) right(%c0)
      goat.yield %m : i1
    } exclude {
    ^bb0(%y: tensor<32xf32>, %own: tensor<32xf32>, %b: index, %h: index, %i: index):
      %z = goat.xsa %y, %own : tensor<32xf32>
      goat.yield %z : tensor<32xf32>
    } : (tensor<?x2x?x32xbf16>, tensor<?x1x?x32xbf16>, tensor<?x1x?x32xbf16>) -> (tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>)
  return %out, %lse : tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>
}

// Segments with priors, lengths and XSA.
func.func @segments_goat(%query: tensor<?x2x?x32xbf16>, %key: tensor<?x1x?x32xbf16>, %value: tensor<?x1x?x32xbf16>, %query_ids: tensor<?x?xi32>, %key_ids: tensor<?x?xi32>, %k_lengths: tensor<?xi32>, %alpha: tensor<1x2xf32>, %beta: tensor<1x2xf32>, %omega: tensor<2xf32>, %u: tensor<1x?xf32>)
    -> (tensor<?x2x?x32xbf16> {goat.name = "out"}, tensor<?x2x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value k_lengths(%k_lengths : tensor<?xi32>)
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %delta = goat.distance %b, %i, %j
      %relative = goat.fourier_prior %alpha, %beta, %omega at (%b, %h) distance %delta : tensor<1x2xf32>, tensor<1x2xf32>, tensor<2xf32>
      %key_term = goat.key_prior %u at (%b, %h, %j) : tensor<1x?xf32>
      %p = arith.addf %relative, %key_term : f32
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    }
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.document_mask %query_ids, %key_ids at(%b, %i, %j) : tensor<?x?xi32>, tensor<?x?xi32>
      goat.yield %m : i1
    } exclude {
    ^bb0(%y: tensor<32xf32>, %own: tensor<32xf32>, %b: index, %h: index, %i: index):
      %z = goat.xsa %y, %own : tensor<32xf32>
      goat.yield %z : tensor<32xf32>
    } : (tensor<?x2x?x32xbf16>, tensor<?x1x?x32xbf16>, tensor<?x1x?x32xbf16>) -> (tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>)
  return %out, %lse : tensor<?x2x?x32xbf16>, tensor<?x2x?xf32>
}
