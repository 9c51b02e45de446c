// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64" --convert-goat-to-goat-tile | FileCheck %s
// What was accumulated is rescaled behind a branch, which a warp takes when one of
// its rows exceeds its reference by 2^8; a tile that raises none costs no multiply.

// CHECK-LABEL: gpu.func @layer
// CHECK:       scf.for {{.*}} iter_args(%[[OUT:.*]] = %{{.*}}, %[[REFERENCE:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %[[FAR:.*]] = %{{.*}}, %{{.*}} = %{{.*}}) ->
// CHECK:         %[[MAX:.*]] = goat_tile.reduce max
// CHECK:         %[[MINUS:.*]] = arith.negf %[[REFERENCE]]
// CHECK:         %[[EXCESS:.*]] = math.fma %[[MAX]], %{{.*}}, %[[MINUS]]
// CHECK:         %[[SLACK:.*]] = arith.constant dense<8.000000e+00>
// CHECK:         %[[RISES:.*]] = arith.cmpf ogt, %[[EXCESS]], %[[SLACK]]
// CHECK:         %[[ANY:.*]] = goat_tile.warp_any %[[RISES]]
// CHECK:         %[[WORK:.*]] = arith.ori %[[ANY]], %[[FAR]] : i1
// CHECK:         %[[STATE:.*]]:4 = scf.if %[[WORK]]
// CHECK:           arith.mulf %[[OUT]], %{{.*}} : tensor<128x64xf32
// CHECK:         } else {
// CHECK-NEXT:      scf.yield %[[REFERENCE]], %{{.*}}, %[[FAR]], %[[OUT]]
// CHECK:         goat_tile.mma {{.*}}, %[[STATE]]#3
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
