// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64 strip=tile key-terms=add" --convert-goat-to-goat-tile | FileCheck %s
// A negative scale is legal: the maximum is taken of scaled scores.

// CHECK-LABEL: gpu.func @layer
// CHECK-SAME:  score = "multiplied by the scale, then terms are added"
// CHECK:       scf.for
// CHECK:         %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<128x64xf32
// CHECK:         %[[PRODUCT:.*]] = goat_tile.mma %{{.*}}, %{{.*}}, %[[ZERO]] {b_transposed}
// CHECK:         %[[SCALE:.*]] = arith.constant dense<-1.250000e-01> : tensor<128x64xf32
// CHECK:         %[[STRIP:.*]] = goat_tile.read_diagonals
// CHECK:         math.fma %[[PRODUCT]], %[[SCALE]], %[[STRIP]]
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %d = goat.distance %b, %i, %j
      %n = arith.index_cast %d : index to i32
      %p = arith.sitofp %n : i32 to f32
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    }
    attributes {static_scale = -0.125 : f32}
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
