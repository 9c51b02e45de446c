// RUN: goat-opt %s --goat-choose-schedule | FileCheck %s
// RUN: goat-opt %s --goat-choose-schedule="warps=2 tile-keys=32 stages=3" | FileCheck %s --check-prefix=OPTIONS
// The default schedule, and what options make of it: 32 rows per warp.

// CHECK: goat_tile.schedule = #goat_tile.schedule<flash_mma, rows = 128, keys = 64, warps = 4, stages = 2>
// OPTIONS: goat_tile.schedule = #goat_tile.schedule<flash_mma, rows = 64, keys = 32, warps = 2, stages = 3>
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
