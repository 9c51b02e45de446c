// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64 strip=tile key-terms=add" --convert-goat-to-goat-tile | FileCheck %s
// A difference of the two indices written by hand is a distance too.

// CHECK-LABEL: gpu.func @layer
// CHECK-SAME:  relative_terms = "strip over the distance, its new part generated per tile, accumulator start"
// CHECK:       %[[STRIP:.*]] = goat_tile.alloc : <384xf32>
// CHECK:       scf.for

// The strip of the next tile is generated while this one is multiplied.
// CHECK:         %[[NEXT:.*]] = goat_tile.window %[[STRIP]]
// CHECK:         goat_tile.write %{{.*}}, %[[NEXT]] : tensor<64xf32
// CHECK:         %[[THIS:.*]] = goat_tile.window %[[STRIP]][%{{.*}}] : <384xf32> -> <191xf32>
// CHECK-NEXT:    %[[START:.*]] = goat_tile.read_diagonals %[[THIS]]
// CHECK-NEXT:    %[[SCORE:.*]] = goat_tile.mma %{{.*}}, %{{.*}}, %[[START]] {b_transposed}
// CHECK-NEXT:    goat_tile.reduce max %[[SCORE]]

// The strip holds position(i) − position(j); i − j is what the offset of the
// queries, len_k − len_q, leaves of it.
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %d = arith.subi %i, %j : index
      %n = arith.index_cast %d : index to i32
      %p = arith.sitofp %n : i32 to f32
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
