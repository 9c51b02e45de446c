// RUN: goat-test-opt %s --goat-choose-schedule="tile-keys=64 strip=tile key-terms=add" --convert-goat-to-goat-tile | FileCheck %s
// A foreign prior of the distance becomes a strip, with its parameters known at run
// time.

// CHECK-LABEL: gpu.func @layer
// CHECK-SAME:  relative_terms = "strip over the distance
// CHECK-NOT:   foreign.
// CHECK:       scf.for
// CHECK:         %[[A:.*]] = goat_tile.splat %arg4 : f32 -> tensor<64xf32
// CHECK:         %[[ARGUMENT:.*]] = math.fma %[[A]]
// CHECK:         math.log %[[ARGUMENT]] : tensor<64xf32
// CHECK:         %[[P:.*]] = goat_tile.splat %arg3 : f32 -> tensor<64xf32
// CHECK:         arith.mulf %[[P]]
// CHECK:         %[[START:.*]] = goat_tile.read_diagonals
// CHECK-NEXT:    goat_tile.mma %{{.*}}, %{{.*}}, %[[START]] {b_transposed}
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>,
    %x: f32, %a: f32)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %d = goat.distance %b, %i, %j
      %p = foreign.kerple %x, %a distance %d
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
