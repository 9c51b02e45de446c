// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64" --convert-goat-to-goat-tile --split-input-file | FileCheck %s
// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64" --convert-goat-to-goat-tile --split-input-file --verify-diagnostics -o /dev/null
// Rows that are no multiple of 16 bytes are copied and stored by what divides them, and
// the compiler says so.

// CHECK-LABEL: gpu.func @by_eight_and_four
// CHECK:       goat_tile.copy_async {{.*}} {alignment = 8 : i64, columns = 20 : i64} : <bf16>, <64x32xbf16, swizzled>
// CHECK:       goat_tile.copy_async {{.*}} {alignment = 4 : i64, columns = 6 : i64} : <bf16>, <64x16xbf16, swizzled>
// CHECK:       goat_tile.store_rows {{.*}} {alignment = 4 : i64, columns = 6 : i64}
func.func @by_eight_and_four(%q: tensor<?x4x?x20xbf16>, %k: tensor<?x4x?x20xbf16>, %v: tensor<?x4x?x6xbf16>)
    -> tensor<?x4x?x6xbf16> {
  // expected-remark @+2 {{copies query and key 8 bytes at a time, as their rows of 40 bytes are no multiple of 16; a head dimension that is a multiple of 8 is copied faster}}
  // expected-remark @+1 {{copies value 4 bytes at a time, as its rows of 12 bytes are no multiple of 16; a head dimension that is a multiple of 8 is copied faster}}
  %out = goat.attention %q, %k, %v
    : (tensor<?x4x?x20xbf16>, tensor<?x4x?x20xbf16>, tensor<?x4x?x6xbf16>)
    -> (tensor<?x4x?x6xbf16>)
  return %out : tensor<?x4x?x6xbf16>
}

// -----

// CHECK-LABEL: gpu.func @by_two
// CHECK:       goat_tile.copy_async {{.*}} {alignment = 2 : i64, columns = 15 : i64} : <bf16>, <64x16xbf16, swizzled>
// CHECK:       goat_tile.copy_async {{.*}} : <bf16>, <64x64xbf16, swizzled>
func.func @by_two(%q: tensor<?x4x?x15xbf16>, %k: tensor<?x4x?x15xbf16>, %v: tensor<?x4x?x64xbf16>)
    -> tensor<?x4x?x64xbf16> {
  // expected-remark @+1 {{copies query and key 2 bytes at a time, through registers, as their rows of 30 bytes are no multiple of 16; a head dimension that is a multiple of 8 is copied faster}}
  %out = goat.attention %q, %k, %v
    : (tensor<?x4x?x15xbf16>, tensor<?x4x?x15xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
