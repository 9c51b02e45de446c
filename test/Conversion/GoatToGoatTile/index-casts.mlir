// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64 strip=tile key-terms=add" --convert-goat-to-goat-tile | FileCheck %s
// A coordinate is held in 32 bits and stands for its sign extension.

// CHECK-LABEL: gpu.func @layer
// CHECK:       scf.for
// CHECK:         arith.extsi %{{.*}} : tensor<64xi32{{.*}} to tensor<64xi64
// CHECK:         arith.extsi %{{.*}} : tensor<128xi32{{.*}} to tensor<128xi64
// CHECK:         %[[SUM:.*]] = arith.addi {{.*}} : tensor<128x64xi64
// CHECK:         %[[INDEX:.*]] = arith.trunci %[[SUM]] {{.*}}: tensor<128x64xi64{{.*}} to tensor<128x64xi32
// CHECK:         arith.sitofp %[[INDEX]]
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %n = arith.index_cast %j : index to i64
      %x = arith.index_castui %i : index to i64
      %y = arith.addi %n, %x : i64
      %z = arith.index_castui %y : i64 to index
      %p0 = arith.index_cast %z : index to i32
      %p = arith.sitofp %p0 : i32 to f32
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
