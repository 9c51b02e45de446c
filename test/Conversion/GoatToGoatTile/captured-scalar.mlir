// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64 strip=tile key-terms=add" --convert-goat-to-goat-tile | FileCheck %s
// A scalar argument of the function is used as it is.

// CHECK-LABEL: gpu.func @layer
// CHECK:       scf.for
// CHECK:         %[[GAIN:.*]] = goat_tile.splat %arg3 : f32 -> tensor<128x64xf32
// CHECK:         arith.mulf %{{.*}}, %[[GAIN]]
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>,
    %gain: f32)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %p = arith.mulf %s, %gain : f32
      goat.yield %p : f32
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
