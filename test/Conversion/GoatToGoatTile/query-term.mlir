// RUN: goat-opt %s --goat-choose-schedule --convert-goat-to-goat-tile | FileCheck %s
// A function of the query alone is evaluated once, before the loop.

// CHECK-LABEL: gpu.func @layer
// CHECK-SAME:  query_terms = "vector over the queries, accumulator start"
// CHECK:       %[[FLOAT:.*]] = arith.sitofp %{{.*}} : tensor<128xi32
// CHECK:       %[[TERM:.*]] = arith.mulf %[[FLOAT]]
// CHECK:       scf.for
// CHECK-NOT:     arith.sitofp
// CHECK:         %[[START:.*]] = goat_tile.expand %[[TERM]] axis = 1
// CHECK-NEXT:    goat_tile.mma %{{.*}}, %{{.*}}, %[[START]] {b_transposed}
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %n = arith.index_cast %i : index to i32
      %p = arith.sitofp %n : i32 to f32
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
