// RUN: goat-opt %s --goat-choose-schedule --convert-goat-to-goat-tile | FileCheck %s
// A schedule that stands on the attention is kept.

// CHECK:       (4, s0 ceildiv 64, s1)
// CHECK-LABEL: gpu.func @layer
// CHECK-SAME:  schedule = #goat_tile.schedule<flash_mma, rows = 64, keys = 32, warps = 2, stages = 3>
// CHECK-SAME:  known_block_size = array<i32: 64, 1, 1>
// CHECK:       goat_tile.alloc : <64x64xbf16, swizzled>
// CHECK-NEXT:  goat_tile.alloc : <3x32x64xbf16, swizzled>
// Two tiles are under way while one is worked on.
// CHECK:       scf.for
// CHECK-NEXT:    goat_tile.wait %{{.*}} pending = 1
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    attributes {goat_tile.schedule = #goat_tile.schedule<flash_mma, rows = 64, keys = 32, warps = 2, stages = 3>}
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
