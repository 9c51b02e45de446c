// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64 strip=tile key-terms=add" --convert-goat-to-goat-tile | FileCheck %s
// A sum of terms is taken apart, whatever its order: each takes its own way.

// CHECK-LABEL: gpu.func @layer
// CHECK:       scf.for
// CHECK:         %[[A:.*]] = goat_tile.read_diagonals
// CHECK:         %[[VECTOR:.*]] = goat_tile.read
// CHECK:         %[[B:.*]] = goat_tile.expand %[[VECTOR]] axis = 0
// CHECK:         %[[SUM:.*]] = arith.addf %[[A]], %[[B]]
// Either may have reached the clamp.
// CHECK:         %[[START:.*]] = arith.maximumf %[[SUM]]
// CHECK-NEXT:    goat_tile.mma %{{.*}}, %{{.*}}, %[[START]] {b_transposed}
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>,
    %u: tensor<4x?xf32>, %slope: f32)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %d = goat.distance %b, %i, %j
      %n = arith.index_cast %d : index to i32
      %f = arith.sitofp %n : i32 to f32
      %p = arith.mulf %slope, %f : f32
      %u0 = goat.key_prior %u at (%b, %h, %j) : tensor<4x?xf32>
      %both = arith.addf %p, %u0 : f32
      %t = arith.addf %both, %s : f32
      goat.yield %t : f32
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
