// QK-norm and partial RoPE with YaRN's magnitude, by positions: a cache may hold rows
// before the ones here.
func.func @loads(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>, %value: tensor<?x2x?x64xbf16>,
    %wq: tensor<64xf32>, %wk: tensor<64xf32>, %omega: tensor<24xf32>, %q_offset: i32, %k_offset: i32)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value q_offset(%q_offset : i32) k_offset(%k_offset : i32)
    load_q {
    ^bb0(%row: tensor<64xf32>, %b: index, %h: index, %i: index):
      %p = goat.query_position %b, %i
      %n = goat.rms_norm %row weight(%wq : tensor<64xf32>) : tensor<64xf32>
      %r = goat.rope %n, %omega position %p {magnitude = 1.125 : f32} : tensor<64xf32>, tensor<24xf32>
      goat.yield %r : tensor<64xf32>
    } load_k {
    ^bb0(%row: tensor<64xf32>, %b: index, %h: index, %j: index):
      %p = goat.key_position %b, %j
      %n = goat.rms_norm %row weight(%wk : tensor<64xf32>) : tensor<64xf32>
      %r = goat.rope %n, %omega position %p {magnitude = 1.125 : f32} : tensor<64xf32>, tensor<24xf32>
      goat.yield %r : tensor<64xf32>
    } mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    } : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>)
     -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}

// Two dimensions: the columns of a row number, then those of a column number, in pairs of
// neighbours; a head dimension that is padded, strided keys, axes (B, L, H, D), key rows
// scaled by hand by a weight per key head.
func.func @image(%query: tensor<?x?x2x20xf16>, %key: tensor<?x?x2x20xf16> {goat.strided}, %value: tensor<?x?x2x24xf16>,
    %omega: tensor<5xf32>, %gain: tensor<2xf32>)
    -> (tensor<?x?x2x24xf16> {goat.name = "out"}, tensor<?x2x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value
    load_q {
    ^bb0(%row: tensor<20xf32>, %b: index, %h: index, %i: index):
      %side = arith.constant 7 : index
      %y = arith.divui %i, %side : index
      %x = arith.remui %i, %side : index
      %n = goat.l2_norm %row : tensor<20xf32>
      %r = goat.rope %n, %omega position %y {pairing = #goat.pairing<neighbours>} : tensor<20xf32>, tensor<5xf32>
      %s = goat.rope %r, %omega position %x {pairing = #goat.pairing<neighbours>, first = 10 : i64}
          : tensor<20xf32>, tensor<5xf32>
      goat.yield %s : tensor<20xf32>
    } load_k {
    ^bb0(%row: tensor<20xf32>, %b: index, %h: index, %j: index):
      %side = arith.constant 7 : index
      %y = arith.divui %j, %side : index
      %x = arith.remui %j, %side : index
      %g = tensor.extract %gain[%h] : tensor<2xf32>
      %w = tensor.splat %g : tensor<20xf32>
      %n = arith.mulf %row, %w : tensor<20xf32>
      %r = goat.rope %n, %omega position %y {pairing = #goat.pairing<neighbours>} : tensor<20xf32>, tensor<5xf32>
      %s = goat.rope %r, %omega position %x {pairing = #goat.pairing<neighbours>, first = 10 : i64}
          : tensor<20xf32>, tensor<5xf32>
      goat.yield %s : tensor<20xf32>
    } attributes {layout = #goat.layout<bshd>}
    : (tensor<?x?x2x20xf16>, tensor<?x?x2x20xf16>, tensor<?x?x2x24xf16>)
     -> (tensor<?x?x2x24xf16>, tensor<?x2x?xf32>)
  return %out, %lse : tensor<?x?x2x24xf16>, tensor<?x2x?xf32>
}

// RoPE of the query alone, by hand: columns, a captured row, and pairs of other columns;
// and a gate for each element of the finished row.
func.func @by_hand(%query: tensor<?x2x?x32xbf16>, %key: tensor<?x1x?x32xbf16>, %value: tensor<?x1x?x32xbf16>,
    %cos: tensor<32xf32>, %sin: tensor<32xf32>)
    -> (tensor<?x2x?x32xbf16> {goat.name = "out"}) {
  %out = goat.attention %query, %key, %value
    load_q {
    ^bb0(%row: tensor<32xf32>, %b: index, %h: index, %i: index):
      %c = goat.columns : tensor<32xi32>
      %half = arith.constant dense<16> : tensor<32xi32>
      %other = arith.xori %c, %half : tensor<32xi32>
      %pair = goat.gather_row %row[%other] : tensor<32xf32>, tensor<32xi32> -> tensor<32xf32>
      %x = arith.mulf %row, %cos : tensor<32xf32>
      %y = arith.mulf %pair, %sin : tensor<32xf32>
      %r = arith.addf %x, %y : tensor<32xf32>
      goat.yield %r : tensor<32xf32>
    } exclude {
    ^bb0(%y: tensor<32xf32>, %own: tensor<32xf32>, %b: index, %h: index, %i: index):
      %gated = arith.mulf %y, %cos : tensor<32xf32>
      goat.yield %gated : tensor<32xf32>
    } : (tensor<?x2x?x32xbf16>, tensor<?x1x?x32xbf16>, tensor<?x1x?x32xbf16>) -> (tensor<?x2x?x32xbf16>)
  return %out : tensor<?x2x?x32xbf16>
}
