// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64 strip=tile key-terms=add key-source=tile" --convert-goat-to-goat-tile | FileCheck %s
// A function of the key alone becomes a vector over the keys of a tile.

// CHECK-LABEL: gpu.func @layer
// CHECK-SAME:  key_terms = "vector over the keys, added in f32, accumulator start"
// CHECK:       %[[VECTORS:.*]] = goat_tile.alloc : <2x64xf32>
// CHECK:       scf.for
// CHECK:         %[[LOADED:.*]] = goat_tile.load {{.*}} masked({{.*}}) {{.*}} -> tensor<64xf32, #goat_tile.linear<threads = 128>>
// CHECK:         %[[NEXT:.*]] = goat_tile.stage %[[VECTORS]]
// CHECK:         goat_tile.write %{{.*}}, %[[NEXT]] : tensor<64xf32
// CHECK:         %[[THIS:.*]] = goat_tile.stage %[[VECTORS]]
// CHECK-NEXT:    %[[VECTOR:.*]] = goat_tile.read %[[THIS]]
// CHECK-NEXT:    %[[START:.*]] = goat_tile.expand %[[VECTOR]] axis = 0
// CHECK-NEXT:    goat_tile.mma %{{.*}}, %{{.*}}, %[[START]] {b_transposed}
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>,
    %u: tensor<4x?xf32>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %p = goat.key_prior %u at (%b, %h, %j) : tensor<4x?xf32>
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
