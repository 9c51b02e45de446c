// RUN: goat-opt %s --goat-to-goat-tile | FileCheck %s --check-prefix=TILE
// RUN: goat-opt %s --goat-to-goat-tile='tile-rows=64 tile-keys=32 warps=2 stages=3' | FileCheck %s --check-prefix=OPTIONS
// RUN: goat-opt %s --goat-to-goat-tile | goat-opt --goat-tile-to-nvvm | FileCheck %s --check-prefix=NVVM
// RUN: goat-opt %s --goat-to-nvvm | FileCheck %s --check-prefix=NVVM
// RUN: goat-opt %s --goat-to-nvvm | goat-translate --nvvm-to-ptx | FileCheck %s --check-prefix=PTX
// The named pipelines, one after the other and in one, with their options.

// TILE: gpu.func @layer
// TILE: goat_tile.mma
// OPTIONS: rows = 64, keys = 32, warps = 2, stages = 3
// OPTIONS: known_block_size = array<i32: 64, 1, 1>
// NVVM-NOT: goat_tile.mma
// NVVM: llvm.func @layer
// NVVM-SAME: goat_tile.shared_bytes
// NVVM-SAME: nvvm.reqntid
// NVVM: nvvm.mma.sync
// NVVM-NOT: unrealized_conversion_cast
// PTX: .visible .entry layer(
func.func @layer(%q: tensor<?x2x?x64xbf16>, %k: tensor<?x2x?x64xbf16>, %v: tensor<?x2x?x64xbf16>)
    -> tensor<?x2x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    : (tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x2x?x64xbf16>)
  return %out : tensor<?x2x?x64xbf16>
}
