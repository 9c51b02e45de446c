// RUN: goat-opt %s --goat-choose-schedule --convert-goat-to-goat-tile | FileCheck %s
// lse is the maximum and the logarithm of the sum, −∞ for a row that saw no key.

// CHECK-LABEL: gpu.func @layer
// CHECK-SAME:  %[[LSE:[a-z0-9]*]]: !goat_tile.ptr<f32> {goat_tile.role = #goat_tile.output<1>}
// CHECK:       goat_tile.store_rows
// CHECK:       %[[LOG:.*]] = math.log
// CHECK:       %[[SUM:.*]] = arith.addf %{{.*}}, %[[LOG]]
// CHECK:       %[[NEVER:.*]] = arith.constant dense<0xFF800000>
// CHECK:       %[[VALUE:.*]] = arith.select %{{.*}}, %[[SUM]], %[[NEVER]]
// CHECK:       %[[ROWS:.*]] = goat_tile.advance %[[LSE]]
// CHECK-NEXT:  goat_tile.store %[[VALUE]], %[[ROWS]][%{{.*}}] masked(
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>) {
  %out, %lse = goat.attention %q, %k, %v
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
