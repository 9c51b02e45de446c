// RUN: goat-opt %s --goat-choose-schedule --convert-goat-to-goat-tile | FileCheck %s
// Query head h reads key head h / (Hq / Hkv).

// CHECK-LABEL: gpu.func @layer
// CHECK:       %[[HEAD:.*]] = goat_tile.block_index 0
// CHECK:       %[[GROUP:.*]] = arith.constant 3 : i32
// CHECK-NEXT:  arith.divui %[[HEAD]], %[[GROUP]]
func.func @layer(%q: tensor<?x12x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>)
    -> tensor<?x12x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    : (tensor<?x12x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x12x?x64xbf16>)
  return %out : tensor<?x12x?x64xbf16>
}
