// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64 strip=tile key-terms=add" --convert-goat-to-goat-tile | FileCheck %s
// A tile is as wide as the next multiple of 16; the columns past the head dimension are
// zero.

// CHECK-LABEL: gpu.func @layer
// CHECK:       %[[Q:.*]] = goat_tile.alloc : <128x48xbf16, swizzled>
// CHECK:       %[[K:.*]] = goat_tile.alloc : <2x64x48xbf16, swizzled>
// CHECK:       %[[V:.*]] = goat_tile.alloc : <2x64x32xbf16, swizzled>
// CHECK:       goat_tile.copy_async {{.*}} into %[[Q]] {columns = 40 : i64}
// CHECK:       goat_tile.copy_async {{.*}} {columns = 40 : i64} : <bf16>, <64x48xbf16, swizzled>
// CHECK:       goat_tile.copy_async {{.*}} {columns = 24 : i64} : <bf16>, <64x32xbf16, swizzled>
// CHECK:       goat_tile.store_rows {{.*}} {columns = 24 : i64} : tensor<128x32xbf16
func.func @layer(%q: tensor<?x4x?x40xbf16>, %k: tensor<?x4x?x40xbf16>, %v: tensor<?x4x?x24xbf16>)
    -> tensor<?x4x?x24xbf16> {
  %out = goat.attention %q, %k, %v
    : (tensor<?x4x?x40xbf16>, tensor<?x4x?x40xbf16>, tensor<?x4x?x24xbf16>)
    -> (tensor<?x4x?x24xbf16>)
  return %out : tensor<?x4x?x24xbf16>
}
