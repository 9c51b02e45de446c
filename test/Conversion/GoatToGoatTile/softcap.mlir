// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64 strip=tile key-terms=add" --convert-goat-to-goat-tile | FileCheck %s
// A score region that is not `s + terms` is evaluated on the scaled scores.

// CHECK-LABEL: gpu.func @layer
// CHECK-SAME:  score = "region evaluated element by element"
// CHECK-NOT:   goat_tile.alloc : <{{.*}}xf32>
// CHECK:       scf.for
// CHECK:         %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<128x64xf32
// CHECK:         %[[PRODUCT:.*]] = goat_tile.mma %{{.*}}, %{{.*}}, %[[ZERO]] {b_transposed}
// CHECK:         %[[SCORE:.*]] = arith.mulf %[[PRODUCT]], %{{.*}} {goat_tile.per_element} : tensor<128x64xf32
// CHECK:         %[[X:.*]] = arith.divf %[[SCORE]]
// CHECK:         %[[Y:.*]] = math.tanh %[[X]]
// CHECK:         %[[T:.*]] = arith.mulf %[[Y]]
// It is bounded, so nothing is clamped.
// CHECK-NOT:     arith.maximumf
// CHECK:         goat_tile.reduce max %[[T]]
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %c = arith.constant 30.0 : f32
      %x = arith.divf %s, %c : f32
      %y = math.tanh %x : f32
      %t = arith.mulf %y, %c : f32
      goat.yield %t : f32
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
