// RUN: goat-test-opt %s --goat-choose-schedule="tile-keys=64 strip=tile key-terms=add mask-index=never" --convert-goat-to-goat-tile | FileCheck %s
// A foreign mask that gives only its expansion works: every tile evaluates it.

// CHECK-LABEL: gpu.func @layer
// CHECK:       scf.for
// CHECK:         arith.remsi {{.*}} : tensor<128x64xi32
// CHECK:         arith.select %{{.*}} : tensor<128x64xi1
// CHECK:         scf.yield
// CHECK-NOT:   scf.for
// CHECK:       gpu.return
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %d = goat.distance %b, %i, %j
      %m = foreign.dilated_mask %d dilation = 3
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
