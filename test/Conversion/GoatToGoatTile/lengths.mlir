// RUN: goat-opt %s --goat-choose-schedule --convert-goat-to-goat-tile | FileCheck %s
// Lengths per batch entry are read by the block of the entry and kept inside the
// tensor.

// CHECK-LABEL: gpu.func @layer
// CHECK:       %[[BATCH:.*]] = goat_tile.block_index 2
// CHECK:       %[[QL:.*]] = goat_tile.load %arg3[%[[BATCH]]] : <i32>, i32 -> i32
// CHECK:       %[[QMAX:.*]] = arith.maxsi %[[QL]], %c0
// CHECK:       %[[LQ:.*]] = arith.minsi %[[QMAX]], %arg6
// CHECK:       %[[KL:.*]] = goat_tile.load %arg4[%[[BATCH]]] : <i32>, i32 -> i32
// CHECK:       %[[KMAX:.*]] = arith.maxsi %[[KL]], %c0
// CHECK:       %[[LK:.*]] = arith.minsi %[[KMAX]], %arg7
// The default offset of the queries.
// CHECK:       %[[OFFSET:.*]] = arith.subi %[[LK]], %[[LQ]]
// Keys past the length are not read.
// CHECK:       goat_tile.copy_async %{{.*}}[%{{.*}} to %[[LQ]]]
// CHECK:       goat_tile.copy_async %{{.*}}[%{{.*}} to %[[LK]]]
// CHECK:       goat_tile.copy_async %{{.*}}[%{{.*}} to %[[LK]]]
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>,
    %ql: tensor<?xi32>, %kl: tensor<?xi32>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    q_lengths(%ql : tensor<?xi32>) k_lengths(%kl : tensor<?xi32>)
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
