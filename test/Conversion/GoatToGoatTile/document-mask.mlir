// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64 strip=tile key-terms=add" --convert-goat-to-goat-tile --split-input-file | FileCheck %s
// Documents in order are intervals of keys, whose ends are searched for; in any
// order they are found by an index.

// CHECK-NOT:   mask_lists
// CHECK-LABEL: gpu.func @sorted
// Four searches in one loop.
// CHECK:       scf.while
// CHECK:       ^bb0
// CHECK-COUNT-4: goat_tile.load {{.*}} : <i32>, i64 -> i32
// CHECK:         scf.yield
// CHECK:       scf.for
// CHECK:         arith.select {{.*}} : tensor<128x64xi1
// CHECK:       scf.for
// CHECK-NOT:     arith.select {{.*}} : tensor<128x64xi1
// CHECK:         scf.yield
// CHECK:       scf.for
// CHECK:         arith.select {{.*}} : tensor<128x64xi1
func.func @sorted(%q: tensor<?x4x?x64xbf16>, %ids: tensor<?x?xi32>) -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %q, %q
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %document = goat.document_mask sorted %ids, %ids at(%b, %i, %j) : tensor<?x?xi32>, tensor<?x?xi32>
      %causal = goat.causal_mask %b, %i, %j
      %m = arith.andi %document, %causal : i1
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}

// -----

// CHECK-LABEL: gpu.func @mixed_mask_classes
// CHECK-LABEL: gpu.func @mixed_mask_lists
// CHECK-LABEL: gpu.func @mixed(
// CHECK-SAME:  goat_tile.choices = {mask = "lists of partial and full tiles
func.func @mixed(%q: tensor<?x4x?x64xbf16>, %ids: tensor<?x?xi32>) -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %q, %q
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.document_mask %ids, %ids at(%b, %i, %j) : tensor<?x?xi32>, tensor<?x?xi32>
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
