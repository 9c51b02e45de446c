// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64 strip=tile key-terms=add" --convert-goat-to-goat-tile | FileCheck %s
// A bias per query and key is read element by element from the captured tensor.

// CHECK-LABEL: gpu.func @layer
// CHECK-SAME:  at_least_dims = {{\[\[}}#goat_tile.dim<3, 3>, #goat_tile.dim<1, 2>], [#goat_tile.dim<3, 2>, #goat_tile.dim<0, 2>], [#goat_tile.dim<3, 0>, #goat_tile.dim<0, 0>]]
// CHECK:       scf.for

// A row times the stride of rows is taken in 64 bits,
// CHECK:         %[[ROW:.*]] = arith.extsi %{{.*}} : tensor<128xi32{{.*}} to tensor<128xi64
// CHECK:         %[[ROW_OFFSET:.*]] = arith.muli %[[ROW]], %{{.*}} : tensor<128xi64
// and so is what is the same in the whole block, which moves the pointer.
// CHECK-NOT:     arith.muli {{.*}} : tensor<{{.*}}xi32
// CHECK:         %[[MATRIX:.*]] = goat_tile.advance %arg3
// CHECK:         %[[COLUMN:.*]] = arith.extsi %{{.*}} : tensor<64xi32{{.*}} to tensor<64xi64
// CHECK:         %[[OFFSETS:.*]] = arith.addi {{.*}} : tensor<128x64xi64
// What does not exist is not read.
// CHECK:         %[[EXISTS:.*]] = arith.andi {{.*}} : tensor<128x64xi1
// CHECK:         goat_tile.load %[[MATRIX]][%[[OFFSETS]]] masked(%[[EXISTS]] :
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>,
    %bias: tensor<?x4x?x?xf32>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %p = tensor.extract %bias[%b, %h, %i, %j] : tensor<?x4x?x?xf32>
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
