// RUN: goat-test-opt %s --goat-choose-schedule="tile-keys=64 strip=tile key-terms=add" --convert-goat-to-goat-tile | FileCheck %s
// A foreign prior that reads a captured table by the distance gathers once per
// value of the strip.

// CHECK-LABEL: gpu.func @layer
// CHECK-SAME:  relative_terms = "strip over the distance
// CHECK:       scf.for
// CHECK:         %[[POSITIVE:.*]] = arith.maxsi {{.*}} : tensor<64xi32
// CHECK:         %[[BUCKET:.*]] = arith.minsi %[[POSITIVE]]
// CHECK:         %[[HEAD:.*]] = goat_tile.advance %arg3
// CHECK:         goat_tile.load %[[HEAD]][%[[BUCKET]]] masked(
// CHECK:         goat_tile.read_diagonals
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>,
    %table: tensor<4x16xf32>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %d = goat.distance %b, %i, %j
      %p = foreign.bucket_prior %table at %h distance %d : tensor<4x16xf32>
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
