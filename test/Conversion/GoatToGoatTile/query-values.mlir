// RUN: goat-opt %s --goat-normalize-score --goat-choose-schedule="tile-keys=64" --convert-goat-to-goat-tile --canonicalize --cse | FileCheck %s
// Whatever depends on the query alone leaves the loop, wherever it stands in a region: in a
// condition, in a factor of the score, inside a function of score and key.

// CHECK-LABEL: gpu.func @layer(
// CHECK-SAME:  held_over_queries = "3 as vectors"
// CHECK-DAG:   math.log1p {{.*}} : tensor<128xf32
// CHECK-DAG:   math.exp {{.*}} : tensor<128xf32
// CHECK-DAG:   math.sqrt {{.*}} : tensor<128xf32
// CHECK:       scf.for
// CHECK-NOT:     math.log1p
// CHECK-NOT:     math.sqrt
// CHECK:         goat_tile.mma {{.*}} {b_transposed}
// CHECK-NOT:     math.log1p
// CHECK-NOT:     math.sqrt
// CHECK:         arith.cmpf
// CHECK:         arith.select
// CHECK:         math.tanh
// CHECK-NOT:     math.log1p
// CHECK-NOT:     math.sqrt
// CHECK:         goat_tile.reduce max
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>, %a: tensor<?xf32>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %x = tensor.extract %a[%i] : tensor<?xf32>
      %y = tensor.extract %a[%j] : tensor<?xf32>
      %limit = math.log1p %x : f32
      %factor = math.exp %x : f32
      %shift = math.sqrt %x : f32
      %high = arith.cmpf ogt, %s, %limit : f32
      %scaled = arith.mulf %s, %factor : f32
      %chosen = arith.select %high, %scaled, %s : f32
      %sum = arith.addf %y, %shift : f32
      %product = arith.mulf %chosen, %sum : f32
      %t = math.tanh %product : f32
      goat.yield %t : f32
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
