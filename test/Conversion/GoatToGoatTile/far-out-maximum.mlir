// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64" --convert-goat-to-goat-tile | FileCheck %s
// A row whose maximum lies where the rounding of maximum · scale overflows 2^x, as
// −1e25 does, takes its weights from the difference to the maximum. Only warps with
// such a row branch to it.

// CHECK-LABEL: gpu.func @layer
// CHECK:       scf.for
// CHECK:         %[[STATE:.*]]:4 = scf.if
// Raised to a far maximum, the reference is the maximum times a power of two.
// CHECK:           %[[POWER:.*]] = arith.constant dense<2.500000e-01> : tensor<128xf32
// CHECK-NEXT:      math.fma %{{.*}}, %[[POWER]], %{{.*}} : tensor<128xf32
// CHECK:           goat_tile.warp_any
// CHECK:         %[[RELATIVE:.*]]:2 = scf.if %[[STATE]]#2
// CHECK:           arith.subf %{{.*}} : tensor<128x64xf32
// CHECK:         %[[MINUS:.*]] = arith.negf %[[RELATIVE]]#1
// CHECK:         %[[REFERENCE:.*]] = goat_tile.expand %[[MINUS]]
// CHECK:         math.fma %[[RELATIVE]]#0, %{{.*}}, %[[REFERENCE]] : tensor<128x64xf32
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
