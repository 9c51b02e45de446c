// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64 strip=tile key-terms=add" --convert-goat-to-goat-tile | FileCheck %s
// A function of query and key in any other way is evaluated on the whole tile; the
// accumulator still starts from it.

// CHECK-LABEL: gpu.func @layer
// CHECK-SAME:  other_terms = "element by element, accumulator start"
// CHECK-NOT:   goat_tile.alloc : <{{.*}}xf32>
// CHECK:       scf.for
// A product of indices has 64 bits.
// CHECK:         %[[PRODUCT:.*]] = arith.muli %{{.*}} : tensor<128x64xi64
// CHECK:         %[[NARROW:.*]] = arith.trunci %[[PRODUCT]]
// CHECK:         %[[FLOAT:.*]] = arith.sitofp %[[NARROW]]
// An i32 is far from the clamp.
// CHECK-NOT:     arith.maximumf
// CHECK:         %[[START:.*]] = arith.mulf %[[FLOAT]]
// CHECK-NEXT:    goat_tile.mma %{{.*}}, %{{.*}}, %[[START]] {b_transposed}
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %x = arith.muli %i, %j : index
      %n = arith.index_cast %x : index to i32
      %p = arith.sitofp %n : i32 to f32
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
