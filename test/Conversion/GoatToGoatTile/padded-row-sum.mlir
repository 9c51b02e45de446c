// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64 strip=tile key-terms=add" --convert-goat-to-goat-tile | FileCheck %s
// Columns that only fill the tile up count in no sum and no maximum.

// CHECK-LABEL: gpu.func @layer
// CHECK:       scf.for
// CHECK:       %[[LOOP:.*]]:5 = scf.for
// CHECK:         scf.yield
// CHECK:       %[[COUNTS:.*]] = arith.cmpi slt, %{{.*}} : tensor<48xi32
// CHECK:       %[[REAL:.*]] = goat_tile.expand %[[COUNTS]] axis = 0
// CHECK:       %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<128x48xf32
// CHECK:       %[[ROW:.*]] = arith.select %[[REAL]], %{{.*}}, %[[ZERO]]
// CHECK:       goat_tile.reduce sum %[[ROW]]
// CHECK:       %[[NEVER:.*]] = arith.constant dense<0xFF800000> : tensor<128x48xf32
// CHECK:       %[[ROW:.*]] = arith.select %{{.*}}, %{{.*}}, %[[NEVER]]
// CHECK:       goat_tile.reduce max %[[ROW]]
func.func @layer(%q: tensor<?x4x?x40xbf16>, %k: tensor<?x4x?x40xbf16>, %v: tensor<?x4x?x40xbf16>)
    -> tensor<?x4x?x40xbf16> {
  %out = goat.attention %q, %k, %v
    exclude {
    ^bb0(%y: tensor<40xf32>, %own: tensor<40xf32>, %b: index, %h: index, %i: index):
      %sum = goat.row_sum %y : tensor<40xf32>
      %max = goat.row_max %y : tensor<40xf32>
      %x = arith.subf %sum, %max : f32
      %z = tensor.splat %x : tensor<40xf32>
      goat.yield %z : tensor<40xf32>
    }
    : (tensor<?x4x?x40xbf16>, tensor<?x4x?x40xbf16>, tensor<?x4x?x40xbf16>)
    -> (tensor<?x4x?x40xbf16>)
  return %out : tensor<?x4x?x40xbf16>
}
