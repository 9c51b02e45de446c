// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64 strip=tile key-terms=add mask-index=never" --convert-goat-to-goat-tile | FileCheck %s
// A mask of plain ops says nothing about whole tiles: one loop, and every tile
// evaluates it.

// CHECK-LABEL: gpu.func @layer
// CHECK:       scf.for
// CHECK:         %[[REST:.*]] = arith.remui {{.*}} : tensor<128x64xi64
// CHECK:         %[[MASK:.*]] = arith.cmpi eq, %[[REST]]
// CHECK:         %[[ALLOWED:.*]] = arith.andi %{{.*}}, %[[MASK]]
// CHECK:         arith.select %[[ALLOWED]]
// CHECK:         scf.yield
// CHECK-NOT:   scf.for
// CHECK:       gpu.return
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %x = arith.addi %i, %j : index
      %c2 = arith.constant 2 : index
      %r = arith.remui %x, %c2 : index
      %c0 = arith.constant 0 : index
      %m = arith.cmpi eq, %r, %c0 : index
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
