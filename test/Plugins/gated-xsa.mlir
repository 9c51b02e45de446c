// RUN: goat-test-opt %s --goat-choose-schedule="tile-keys=64 strip=tile key-terms=add" --convert-goat-to-goat-tile | FileCheck %s
// A foreign exclusion that reads the own value and a parameter.

// CHECK-LABEL: gpu.func @layer
// CHECK:       %[[MINUS:.*]] = arith.negf %arg3 : f32
// CHECK:       math.exp %[[MINUS]] : f32
// CHECK:       %[[DOT:.*]] = goat_tile.reduce sum
// CHECK:       arith.maximumf %[[DOT]]
// CHECK:       goat_tile.reduce sum
// CHECK:       arith.divf
// CHECK:       %[[NARROW:.*]] = goat_tile.load_rows
// CHECK:       %[[OWN:.*]] = arith.extf %[[NARROW]]
// CHECK:       %[[PART:.*]] = arith.mulf %{{.*}}, %[[OWN]]
// CHECK:       arith.subf %{{.*}}, %[[PART]]
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>,
    %g: f32)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    exclude {
    ^bb0(%y: tensor<64xf32>, %own: tensor<64xf32>, %b: index, %h: index, %i: index):
      %z = foreign.gated_xsa %y, %own gate(%g) : tensor<64xf32>
      goat.yield %z : tensor<64xf32>
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
