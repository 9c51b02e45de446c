// RUN: goat-opt %s -split-input-file -verify-diagnostics
// What goat.attention refuses, constraint by constraint.

// (C1) rank
func.func @rank(%q: tensor<2x4x8xf32>, %k: tensor<1x2x4x8xf32>) {
  // expected-error @+1 {{operand #0 must be 4D tensor of 16-bit float or bfloat16 type or 32-bit float values}}
  %0 = "goat.attention"(%q, %k, %k) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0>}> ({}, {}, {}, {}, {}, {}) : (tensor<2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return
}

// -----

// (C1) one element type
func.func @element(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x4x8xf16>) {
  // expected-error @+1 {{(C1) expected key to have query's element type 'f32' but got 'f16'}}
  %0 = goat.attention %q, %k, %k : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf16>, tensor<1x2x4x8xf16>) -> (tensor<1x2x4x8xf32>)
  return
}

// -----

// (C2) batch
func.func @batch(%q: tensor<2x2x4x8xf32>, %k: tensor<3x2x4x8xf32>) {
  // expected-error @+1 {{(C2) expected one batch size but got 2, 3 and 3}}
  %0 = goat.attention %q, %k, %k : (tensor<2x2x4x8xf32>, tensor<3x2x4x8xf32>, tensor<3x2x4x8xf32>) -> (tensor<2x2x4x8xf32>)
  return
}

// -----

// (C2) key and value
func.func @key_value(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x4x8xf32>, %v: tensor<1x2x5x8xf32>) {
  // expected-error @+1 {{(C2) expected key and value to have the same heads and length but got 2x4 and 2x5}}
  %0 = goat.attention %q, %k, %v : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x5x8xf32>) -> (tensor<1x2x4x8xf32>)
  return
}

// -----

// (C3) static heads
func.func @dynamic_heads(%q: tensor<1x?x4x8xf32>, %k: tensor<1x2x4x8xf32>) {
  // expected-error @+1 {{(C3) expected query to have a static, positive head count but got ?}}
  %0 = goat.attention %q, %k, %k : (tensor<1x?x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> (tensor<1x?x4x8xf32>)
  return
}

// -----

// (C3) head dimension of at least one
func.func @no_lanes(%q: tensor<1x2x4x0xf32>, %k: tensor<1x2x4x0xf32>) {
  // expected-error @+1 {{(C3) expected query to have a static, positive head dimension but got 0}}
  %0 = goat.attention %q, %k, %k : (tensor<1x2x4x0xf32>, tensor<1x2x4x0xf32>, tensor<1x2x4x0xf32>) -> (tensor<1x2x4x0xf32>)
  return
}

// -----

// (C3) one head dimension
func.func @head_dimension(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x4x16xf32>) {
  // expected-error @+1 {{(C3) expected query and key to have one head dimension but got 8 and 16}}
  %0 = goat.attention %q, %k, %k : (tensor<1x2x4x8xf32>, tensor<1x2x4x16xf32>, tensor<1x2x4x16xf32>) -> (tensor<1x2x4x16xf32>)
  return
}

// -----

// (C4) 3 query heads on 2 key heads
func.func @ratio(%q: tensor<1x3x4x8xf32>, %k: tensor<1x2x4x8xf32>) {
  // expected-error @+1 {{(C4) expected the query heads to be a multiple of the key heads but got 3/2; repeat key and value heads to a count that divides}}
  %0 = goat.attention %q, %k, %k : (tensor<1x3x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> (tensor<1x3x4x8xf32>)
  return
}

// -----

// (C4) 33 query heads on 2 key heads
func.func @ratio33(%q: tensor<1x33x4x8xf32>, %k: tensor<1x2x4x8xf32>) {
  // expected-error @+1 {{(C4) expected the query heads to be a multiple of the key heads but got 33/2}}
  %0 = goat.attention %q, %k, %k : (tensor<1x33x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> (tensor<1x33x4x8xf32>)
  return
}

// -----

// (C5) shape of the result
func.func @out_shape(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x4x8xf32>, %v: tensor<1x2x4x16xf32>) {
  // expected-error @+1 {{(C5) expected dimension 3 of the result to be 16 but got 8}}
  %0 = goat.attention %q, %k, %v : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x16xf32>) -> (tensor<1x2x4x8xf32>)
  return
}

// -----

// (C5) element type of the result
func.func @out_element(%q: tensor<1x2x4x8xf16>) {
  // expected-error @+1 {{(C5) expected the result to have element type 'f16' but got 'f32'}}
  %0 = goat.attention %q, %q, %q : (tensor<1x2x4x8xf16>, tensor<1x2x4x8xf16>, tensor<1x2x4x8xf16>) -> (tensor<1x2x4x8xf32>)
  return
}

// -----

// (C6) shape of lse
func.func @lse_shape(%q: tensor<1x2x4x8xf32>) {
  // expected-error @+1 {{(C6) expected dimension 1 of lse to be 2 but got 1}}
  %0, %1 = goat.attention %q, %q, %q : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> (tensor<1x2x4x8xf32>, tensor<1x1x4xf32>)
  return
}

// -----

// (C7) scale once
func.func @scale_twice(%q: tensor<1x2x4x8xf32>, %s: f32) {
  // expected-error @+1 {{(C7) expected scale once but got an operand and static_scale; drop one}}
  %0 = goat.attention %q, %q, %q scale(%s) attributes {static_scale = 1.0 : f32} : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> (tensor<1x2x4x8xf32>)
  return
}

// -----

// (C7) finite
func.func @scale_infinite(%q: tensor<1x2x4x8xf32>) {
  // expected-error @+1 {{(C7) expected a finite scale}}
  %0 = goat.attention %q, %q, %q attributes {static_scale = 0x7F800000 : f32} : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> (tensor<1x2x4x8xf32>)
  return
}

// -----

// (C8) offsets once
func.func @offset_twice(%q: tensor<1x2x4x8xf32>, %o: i32) {
  // expected-error @+1 {{(C8) expected each offset once but got an operand and an attribute; drop one}}
  %0 = goat.attention %q, %q, %q k_offset(%o : i32) attributes {static_k_offset = 1 : i32} : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> (tensor<1x2x4x8xf32>)
  return
}

// -----

// (C9) one offset per batch entry
func.func @offset_count(%q: tensor<2x2x4x8xf32>, %o: tensor<3xi32>) {
  // expected-error @+1 {{(C9) expected q_offset to have one element per batch entry, 2, but got 3}}
  %0 = goat.attention %q, %q, %q q_offset(%o : tensor<3xi32>) : (tensor<2x2x4x8xf32>, tensor<2x2x4x8xf32>, tensor<2x2x4x8xf32>) -> (tensor<2x2x4x8xf32>)
  return
}

// -----

// (C9) one length per batch entry
func.func @length_count(%q: tensor<2x2x4x8xf32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{(C9) expected k_lengths to have one element per batch entry, 2, but got 1}}
  %0 = goat.attention %q, %q, %q k_lengths(%n : tensor<1xi32>) : (tensor<2x2x4x8xf32>, tensor<2x2x4x8xf32>, tensor<2x2x4x8xf32>) -> (tensor<2x2x4x8xf32>)
  return
}

// -----

// (C10) one sink per query head
func.func @sink_count(%q: tensor<1x2x4x8xf32>, %s: tensor<3xf32>) {
  // expected-error @+1 {{(C10) expected sink to have one element per query head, 2, but got 3}}
  %0 = goat.attention %q, %q, %q sink(%s : tensor<3xf32>) : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> (tensor<1x2x4x8xf32>)
  return
}

// -----

// (C10) no sink for sigmoid
func.func @sigmoid_sink(%q: tensor<1x2x4x8xf32>, %s: tensor<2xf32>) {
  // expected-error @+1 {{(C10) expected no sink with a sigmoid normaliser: it has no denominator for a sink to join}}
  %0 = goat.attention %q, %q, %q sink(%s : tensor<2xf32>) attributes {normalizer = #goat.normalizer<sigmoid>} : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> (tensor<1x2x4x8xf32>)
  return
}

// -----

// (C10) no lse for sigmoid
func.func @sigmoid_lse(%q: tensor<1x2x4x8xf32>) {
  // expected-error @+1 {{(C10) expected no lse with a sigmoid normaliser: it has no denominator to take the logarithm of}}
  %0, %1 = goat.attention %q, %q, %q attributes {normalizer = #goat.normalizer<sigmoid>} : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> (tensor<1x2x4x8xf32>, tensor<1x2x4xf32>)
  return
}

// -----

// (C11) arguments of the score region
func.func @score_arguments(%q: tensor<1x2x4x8xf32>) {
  // expected-error @+1 {{(C11) expected the score region to take ('f32', 'index', 'index', 'index', 'index') but got ('f32', 'index')}}
  %0 = goat.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index):
    goat.yield %s : f32
  } : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> (tensor<1x2x4x8xf32>)
  return
}

// -----

// (C11) the last op of a region
func.func @no_yield(%q: tensor<1x2x4x8xf32>) {
  // expected-error @+1 {{(C11) expected the score region to end with goat.yield}}
  %0 = goat.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    llvm.unreachable
  } : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> (tensor<1x2x4x8xf32>)
  return
}

// -----

// (C11) result of the mask region
func.func @mask_result(%q: tensor<1x2x4x8xf32>) {
  // expected-error @+1 {{(C11) expected the mask region to yield 'i1' but got 'index'}}
  %0 = goat.attention %q, %q, %q mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    goat.yield %i : index
  } : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> (tensor<1x2x4x8xf32>)
  return
}

// -----

// (C11) rows of the exclude region have value's head dimension
func.func @exclude_row(%q: tensor<1x2x4x8xf32>) {
  // expected-error @+1 {{(C11) expected the exclude region to take ('tensor<8xf32>', 'tensor<8xf32>', 'index', 'index', 'index') but got}}
  %0 = goat.attention %q, %q, %q exclude {
  ^bb0(%y: tensor<4xf32>, %own: tensor<4xf32>, %b: index, %h: index, %i: index):
    goat.yield %y : tensor<4xf32>
  } : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> (tensor<1x2x4x8xf32>)
  return
}

// -----

// (C11) result of the own region
func.func @own_result(%q: tensor<1x2x4x8xf32>) {
  // expected-error @+1 {{(C11) expected the own region to yield 'index' but got 'i32'}}
  %0 = goat.attention %q, %q, %q exclude {
  ^bb0(%y: tensor<8xf32>, %own: tensor<8xf32>, %b: index, %h: index, %i: index):
    goat.yield %y : tensor<8xf32>
  } own {
  ^bb0(%b: index, %h: index, %i: index):
    %n = arith.index_cast %i : index to i32
    goat.yield %n : i32
  } : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> (tensor<1x2x4x8xf32>)
  return
}

// -----

// (C12) no effects
func.func private @effect(index) -> f32
func.func @impure(%q: tensor<1x2x4x8xf32>) {
  // expected-error @+1 {{(C12) expected only pure ops in the score region but got func.call}}
  %0 = goat.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-note @+1 {{this op may have effects}}
    %t = func.call @effect(%i) : (index) -> f32
    goat.yield %t : f32
  } : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> (tensor<1x2x4x8xf32>)
  return
}

// -----

// (C12) one block
func.func @blocks(%q: tensor<1x2x4x8xf32>) {
  // expected-error @+1 {{region #0 ('score') failed to verify constraint: region with at most 1 blocks}}
  %0 = goat.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    goat.yield %s : f32
  ^bb1:
    %c = arith.constant 0.0 : f32
    goat.yield %c : f32
  } : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> (tensor<1x2x4x8xf32>)
  return
}

// -----

// (C13) own without exclude
func.func @own_alone(%q: tensor<1x2x4x8xf32>) {
  // expected-error @+1 {{(C13) expected an exclude region beside the own region, which says what row it gets}}
  %0 = goat.attention %q, %q, %q own {
  ^bb0(%b: index, %h: index, %i: index):
    goat.yield %i : index
  } : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> (tensor<1x2x4x8xf32>)
  return
}

// -----

// (C14) more queries than keys
func.func @cross_attention(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x3x8xf32>) {
  // expected-error @+1 {{(C14) expected every query row to have a value row of its own among the 3 but got own rows -1 to 2; cross-attention has none: drop the exclusion, or say which row it is in an own region}}
  %0 = goat.attention %q, %k, %k exclude {
  ^bb0(%y: tensor<8xf32>, %own: tensor<8xf32>, %b: index, %h: index, %i: index):
    %z = goat.xsa %y, %own : tensor<8xf32>
    goat.yield %z : tensor<8xf32>
  } : (tensor<1x2x4x8xf32>, tensor<1x2x3x8xf32>, tensor<1x2x3x8xf32>) -> (tensor<1x2x4x8xf32>)
  return
}

// -----

// (C14) static offsets that lead past the last key
func.func @past_the_end(%q: tensor<1x2x4x8xf32>) {
  // expected-error @+1 {{(C14) expected every query row to have a value row of its own among the 4 but got own rows 1 to 4}}
  %0 = goat.attention %q, %q, %q exclude {
  ^bb0(%y: tensor<8xf32>, %own: tensor<8xf32>, %b: index, %h: index, %i: index):
    %z = goat.xsa %y, %own : tensor<8xf32>
    goat.yield %z : tensor<8xf32>
  } attributes {static_q_offset = 1 : i32} : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> (tensor<1x2x4x8xf32>)
  return
}

// -----

// (C15) an offset that a distance could wrap with
func.func @offset(%q: tensor<1x1x4x8xf32>) -> tensor<1x1x4x8xf32> {
  // expected-error @+1 {{(C15) expected k_offset to lie in (-2^30, 2^30) but got -1073741824; shift both offsets, which changes no distance}}
  %0 = goat.attention %q, %q, %q attributes {static_k_offset = -1073741824 : i32}
    : (tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>) -> (tensor<1x1x4x8xf32>)
  return %0 : tensor<1x1x4x8xf32>
}
