// RUN: goat-opt %s --goat-choose-schedule --convert-goat-to-goat-tile | FileCheck %s
// The sink joins the finished row: it weighs in the sum and has no value.

// CHECK-LABEL: gpu.func @layer
// CHECK:       scf.for
// CHECK:       %[[LOOP:.*]]:4 = scf.for
// CHECK:         scf.yield
// CHECK:       %[[ROWSUM:.*]] = goat_tile.reduce sum %[[LOOP]]#2
// CHECK:       %[[KEYS:.*]] = arith.cmpf une, %[[ROWSUM]]
// CHECK:       %[[LOGIT:.*]] = goat_tile.load %arg3[%{{.*}}] : <f32>, i32 -> f32
// CHECK:       %[[SINK:.*]] = arith.mulf %[[LOGIT]]
// CHECK:       %[[MAX:.*]] = arith.maxnumf
// CHECK:       %[[SUM:.*]] = math.fma %[[ROWSUM]]
// CHECK:       arith.cmpf une, %[[SUM]]
// CHECK:       arith.divf %{{.*}}, %[[SUM]]
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>,
    %sink: tensor<4xf32>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v sink(%sink : tensor<4xf32>)
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
