// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64" --convert-goat-to-goat-tile | FileCheck %s
// Without an LSE the row sum is made by the multiply, of the rounded weights; an LSE
// is of the exact ones.

// CHECK-LABEL: gpu.func @without_lse
// CHECK-NOT:   goat_tile.fold
// CHECK:       %[[A:.*]] = goat_tile.convert_layout
// CHECK:       goat_tile.mma %[[A]]
// CHECK:       goat_tile.mma_row_sum %[[A]]
// CHECK:       gpu.return
func.func @without_lse(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}

// CHECK-LABEL: gpu.func @with_lse
// CHECK-NOT:   goat_tile.mma_row_sum
// CHECK:       goat_tile.fold
// CHECK-NOT:   goat_tile.mma_row_sum
// CHECK:       gpu.return
func.func @with_lse(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>) {
  %out, %lse = goat.attention %q, %k, %v
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
