// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64 strip=tile key-terms=add" --convert-goat-to-goat-tile | FileCheck %s
// The sink joins the finished row: it weighs in the sum and has no value.

// CHECK-LABEL: gpu.func @layer
// CHECK:       scf.for
// CHECK:       %[[LOOP:.*]]:5 = scf.for
// CHECK:         scf.yield
// Made by the multiply: every column holds the sum.
// CHECK:       %[[ROWSUM:.*]] = goat_tile.reduce max %[[LOOP]]#2
// CHECK:       arith.cmpf une, %[[ROWSUM]]
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
