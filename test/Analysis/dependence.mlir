// RUN: goat-test-opt %s --test-dependence --split-input-file --verify-diagnostics
// What values in a region depend on: the coordinates they are computed from,
// the distance where only the difference of the two positions counts, and what a
// prior says of itself.

func.func @coordinates(%q: tensor<1x4x8x64xbf16>, %t: tensor<4xf32>, %x: f32, %n: i32) -> tensor<1x4x8x64xbf16> {
  %0 = goat.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-remark @below {{depends on nothing}}
    %c = arith.constant 1.0 : f32
    // expected-remark @below {{depends on nothing}}
    %xc = arith.mulf %x, %c : f32
    // expected-remark @below {{depends on score}}
    %sx = arith.mulf %s, %xc : f32
    // expected-remark @below {{depends on head}}
    %th = tensor.extract %t[%h] : tensor<4xf32>
    // expected-remark @below {{depends on query batch}}
    %pi = goat.query_position %b, %i
    // expected-remark @below {{depends on key batch}}
    %pj = goat.key_position %b, %j
    // expected-remark @below {{depends on query key}}
    %ij = arith.addi %i, %j : index
    // expected-remark @below {{depends on score head}}
    %r = arith.addf %sx, %th : f32
    goat.yield %r : f32
  } exclude {
  ^bb0(%y: tensor<64xf32>, %own: tensor<64xf32>, %b: index, %h: index, %i: index):
    // expected-remark @below {{depends on query head batch}}
    %z = arith.addf %y, %own : tensor<64xf32>
    goat.yield %z : tensor<64xf32>
  } own {
  ^bb0(%b: index, %h: index, %i: index):
    // expected-remark @below {{depends on query}}
    %o = arith.addi %i, %i : index
    goat.yield %o : index
  } : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// -----

func.func @differences(%q: tensor<1x4x8x64xbf16>) -> tensor<1x4x8x64xbf16> {
  %0 = goat.attention %q, %q, %q mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    // expected-remark @below {{depends on relative batch}}
    %d = goat.distance %b, %i, %j
    // expected-remark @below {{depends on relative batch}}
    %rows = arith.subi %i, %j : index
    // expected-remark @below {{depends on query batch}}
    %pi = goat.query_position %b, %i
    // expected-remark @below {{depends on key batch}}
    %pj = goat.key_position %b, %j
    // expected-remark @below {{depends on relative batch}}
    %positions = arith.subi %pi, %pj : index
    // expected-remark @below {{depends on relative batch}}
    %mixed = arith.subi %pi, %j : index
    // Key minus query is that difference with another sign.
    // expected-remark @below {{depends on relative batch}}
    %reverse = arith.subi %j, %i : index
    // expected-remark @below {{depends on relative batch}}
    %swapped = goat.distance %b, %j, %i
    // expected-remark @below {{depends on query batch}}
    %pij = goat.key_position %b, %i
    // expected-remark @below {{depends on query batch}}
    %other = arith.subi %pi, %pij : index
    // A function of the distance and of a head is still relative.
    // expected-remark @below {{depends on relative head batch}}
    %dh = arith.addi %d, %h : index
    // One of the distance and of the key is not only relative.
    // expected-remark @below {{depends on key relative batch}}
    %dj = arith.addi %d, %j : index
    // expected-remark @below {{depends on relative head batch}}
    %m = arith.cmpi eq, %dh, %rows : index
    goat.yield %m : i1
  } : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// -----

func.func @plugins(%q: tensor<1x4x8x64xbf16>, %p: f32, %a: f32, %t: tensor<4x16xf32>, %u: tensor<4x8xf32>) -> tensor<1x4x8x64xbf16> {
  %0 = goat.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-remark @below {{depends on relative batch}}
    %d = goat.distance %b, %i, %j
    // The default answer: what the operands depend on.
    // expected-remark @below {{depends on relative batch}}
    %x = foreign.kerple %p, %a distance %d
    // expected-remark @below {{depends on relative head batch}}
    %y = foreign.bucket_prior %t at %h distance %d : tensor<4x16xf32>
    // expected-remark @below {{depends on key head batch}}
    %z = goat.key_prior %u at (%b, %h, %j) : tensor<4x8xf32>
    // The op's own answer: it reads coordinates that are not operands.
    // expected-remark @below {{depends on relative batch}}
    %w = foreign.recency %p
    // expected-remark @below {{depends on score relative batch}}
    %r = arith.addf %s, %w : f32
    goat.yield %r : f32
  } : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// -----

// Differences of rows, however they are written.
func.func @differences(%q: tensor<1x4x8x64xbf16>, %n: i32) -> tensor<1x4x8x64xbf16> {
  %0 = goat.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-remark @below {{depends on relative batch}}
    %back = arith.subi %j, %i : index
    // expected-remark @below {{depends on query}}
    %ni = arith.index_cast %i : index to i32
    // expected-remark @below {{depends on key}}
    %nj = arith.index_cast %j : index to i32
    // expected-remark @below {{depends on relative batch}}
    %narrow = arith.subi %ni, %nj : i32
    // expected-remark @below {{depends on query}}
    %shifted = arith.addi %ni, %n : i32
    // expected-remark @below {{depends on relative batch}}
    %window = arith.subi %shifted, %nj : i32
    // expected-remark @below {{depends on query}}
    %fi = arith.sitofp %ni : i32 to f32
    // expected-remark @below {{depends on key}}
    %fj = arith.sitofp %nj : i32 to f32
    // expected-remark @below {{depends on key}}
    %minus = arith.negf %fj : f32
    // expected-remark @below {{depends on relative batch}}
    %sum = arith.addf %fi, %minus : f32
    // expected-remark @below {{depends on nothing}}
    %two = arith.constant 2 : i32
    // expected-remark @below {{depends on query}}
    %twice = arith.muli %ni, %two : i32
    // Twice the one less the other is not a function of the difference.
    // expected-remark @below {{depends on query key}}
    %skew = arith.subi %twice, %nj : i32
    // expected-remark @below {{depends on key}}
    %half = arith.divsi %nj, %two : i32
    // expected-remark @below {{depends on query key}}
    %blocks = arith.subi %ni, %half : i32
    goat.yield %s : f32
  } : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}
