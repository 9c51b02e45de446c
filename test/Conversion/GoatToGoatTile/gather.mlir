// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64 strip=tile key-terms=add" --convert-goat-to-goat-tile | FileCheck %s
// Data of a query or a key is read once per row or column of a tile, not once per
// pair: documents.

// CHECK-LABEL: gpu.func @layer
// CHECK:       scf.for
// CHECK:         %[[A:.*]] = goat_tile.load {{.*}} -> tensor<128xi32, #goat_tile.slice<axis = 1
// CHECK:         %[[B:.*]] = goat_tile.load {{.*}} -> tensor<64xi32, #goat_tile.slice<axis = 0
// CHECK:         %[[ROWS:.*]] = goat_tile.expand %[[A]] axis = 1
// CHECK:         %[[COLUMNS:.*]] = goat_tile.expand %[[B]] axis = 0
// CHECK:         arith.cmpi eq, %[[ROWS]], %[[COLUMNS]]
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>,
    %ids: tensor<?x?xi32>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %x = tensor.extract %ids[%b, %i] : tensor<?x?xi32>
      %z = tensor.extract %ids[%b, %j] : tensor<?x?xi32>
      %m = arith.cmpi eq, %x, %z : i32
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
