// RUN: goat-opt %s --goat-normalize-score --goat-choose-schedule="tile-keys=64 strip=tile" --convert-goat-to-goat-tile | FileCheck %s
// Inside of what is evaluated element by element, a function of the distance or of
// the query alone comes ready from where a term would.

// A soft cap, then priors, which come ready as those that start an accumulator do: one
// product takes the score to tanh, whose factor is that of a fused sum. Without an lse, in
// bf16, tanh is the processor's.
// CHECK-LABEL: gpu.func @softcap(
// CHECK-SAME:  key_terms_after = "vector over the keys, added in f32, added after the multiply
// CHECK-SAME:  relative_terms_after = "strip over the distance
// CHECK-SAME:  score = "region evaluated element by element, then terms are added"
// CHECK:       scf.for
// CHECK:         %[[PRODUCT:.*]] = goat_tile.mma {{.*}} {b_transposed}
// CHECK:         %[[RATIO:.*]] = arith.mulf %[[PRODUCT]], %{{.*}} {goat_tile.per_element}
// CHECK:         %[[TANH:.*]] = math.tanh %[[RATIO]] fastmath<afn>
// CHECK:         %[[STRIP:.*]] = goat_tile.read_diagonals
// CHECK:         %[[PRIOR:.*]] = arith.addf %[[STRIP]]
// CHECK:         %[[SUM:.*]] = math.fma %[[TANH]], %{{.*}}, %[[PRIOR]]
// CHECK-NOT:     arith.maximumf
// CHECK:         goat_tile.reduce max %[[SUM]]
func.func @softcap(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>,
    %u: tensor<4x?xf32>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %d = goat.distance %b, %i, %j
      %p = goat.alibi at (%h) distance %d
      %x = goat.key_prior %u at (%b, %h, %j) : tensor<4x?xf32>
      %c = arith.constant 30.0 : f32
      %y = goat.softcap %s, %c
      %r = arith.addf %y, %x : f32
      %t = arith.addf %r, %p : f32
      goat.yield %t : f32
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}

// With an lse it is a quotient, whose addend is made with the strip.
// CHECK-LABEL: gpu.func @exact_softcap(
// CHECK-SAME:  relative_terms_after = "strip over the distance
// CHECK:       scf.for
// CHECK:         %[[PRODUCT:.*]] = goat_tile.mma {{.*}} {b_transposed}
// CHECK:         %[[RATIO:.*]] = arith.mulf %[[PRODUCT]]
// CHECK:         %[[POWER:.*]] = math.exp2 %[[RATIO]]
// CHECK:         %[[SUM:.*]] = arith.addf %{{.*}}, %[[POWER]]
// CHECK:         %[[INVERSE:.*]] = arith.divf %{{.*}}, %[[SUM]] fastmath<afn>
// CHECK:         %[[STRIP:.*]] = goat_tile.read_diagonals
// CHECK:         %[[LOGIT:.*]] = math.fma %[[INVERSE]], %{{.*}}, %[[STRIP]]
// CHECK:         goat_tile.reduce max %[[LOGIT]]
func.func @exact_softcap(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>) {
  %out, %lse = goat.attention %q, %k, %v
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %d = goat.distance %b, %i, %j
      %p = goat.alibi at (%h) distance %d
      %c = arith.constant 30.0 : f32
      %y = goat.softcap %s, %c
      %t = arith.addf %y, %p : f32
      goat.yield %t : f32
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}

// A prior, then a soft cap: the sum starts the accumulator.
// CHECK-LABEL: gpu.func @capped_prior
// CHECK-SAME:  relative_terms = "strip
// CHECK:       scf.for
// CHECK:         %[[STRIP:.*]] = goat_tile.read_diagonals
// CHECK:         goat_tile.mma %{{.*}}, %{{.*}}, %[[STRIP]] {b_transposed}
func.func @capped_prior(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %d = goat.distance %b, %i, %j
      %p = goat.alibi at (%h) distance %d
      %c = arith.constant 30.0 : f32
      %r = arith.addf %s, %p : f32
      %t = goat.softcap %r, %c
      goat.yield %t : f32
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}

// A gate per query on a prior: the gate is read and divided by the scale before the loop.
// CHECK-LABEL: gpu.func @gate(
// CHECK-SAME:  held_over_distance = "1 as strips", held_over_queries = "1 as vectors"
// CHECK:       %[[GATE:.*]] = goat_tile.load {{.*}} -> tensor<128xf32
// CHECK:       %[[SCALED:.*]] = arith.mulf %[[GATE]]
// CHECK:       scf.for
// CHECK:         %[[STRIP:.*]] = goat_tile.read_diagonals
// CHECK:         %[[SPREAD:.*]] = goat_tile.expand %[[SCALED]]
// CHECK:         %[[TERM:.*]] = arith.mulf %[[SPREAD]], %[[STRIP]]
// CHECK-NOT:     arith.mulf
// CHECK:         goat_tile.mma
func.func @gate(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>,
    %gate: tensor<?x4x?xf32>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %d = goat.distance %b, %i, %j
      %p = goat.alibi at (%h) distance %d
      %g = tensor.extract %gate[%b, %h, %i] : tensor<?x4x?xf32>
      %r = arith.mulf %g, %p : f32
      %t = arith.addf %s, %r : f32
      goat.yield %t : f32
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
