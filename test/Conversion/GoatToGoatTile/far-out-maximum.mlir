// RUN: goat-opt %s --goat-choose-schedule --convert-goat-to-goat-tile | FileCheck %s
// A row whose maximum lies where the rounding of maximum · scale overflows 2^x, as
// −1e25 does, is scaled by a power of two, which rounds nothing.

// CHECK-LABEL: gpu.func @layer
// CHECK:       scf.for
// CHECK:         %[[MAX:.*]] = arith.maxnumf
// CHECK:         %[[SIZE:.*]] = math.absf %[[MAX]]
// CHECK:         %[[FAR:.*]] = arith.cmpf oge, %[[SIZE]]
// CHECK:         %[[EXACT:.*]] = arith.constant dense<2.500000e-01> : tensor<128xf32
// CHECK:         %[[SCALE:.*]] = arith.constant dense<0.180336878> : tensor<128xf32
// CHECK:         %[[FACTOR:.*]] = arith.select %[[FAR]], %[[EXACT]], %[[SCALE]]
// CHECK:         %[[SCALED:.*]] = arith.mulf %[[MAX]], %[[FACTOR]]
// CHECK:         %[[MINUS:.*]] = arith.negf %[[SCALED]]
// CHECK:         math.fma %{{.*}}, %{{.*}}, %{{.*}} : tensor<128x64xf32
// CHECK:         %[[OLD:.*]] = arith.mulf %{{.*}}, %[[FACTOR]]
// CHECK:         arith.subf %[[OLD]], %[[SCALED]]
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
