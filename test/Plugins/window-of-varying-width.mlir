// RUN: goat-test-opt %s --goat-choose-schedule="tile-keys=64 strip=tile key-terms=add mask-index=never" --convert-goat-to-goat-tile | FileCheck %s
// A window whose width varies with the query has no bounds to give for a block.

// CHECK-LABEL: gpu.func @layer
// CHECK:       scf.for
// CHECK:         arith.cmpi sge, {{.*}} : tensor<128x64xi32
// CHECK:         scf.yield
// CHECK-NOT:   scf.for
// CHECK:       gpu.return
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>,
    %widths: tensor<?xi32>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %n = tensor.extract %widths[%i] : tensor<?xi32>
      %m = foreign.window_mask %n, %n at (%b, %i, %j)
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
