// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64 strip=tile key-terms=add" --convert-goat-to-goat-tile | FileCheck %s
// Attention with nothing plugged in: nothing is generated, and only the last,
// ragged tile of keys is masked.

// CHECK-LABEL: gpu.func @layer
// CHECK:       %[[Q:.*]] = goat_tile.alloc : <128x64xbf16, swizzled>
// CHECK-NEXT:  %[[K:.*]] = goat_tile.alloc : <2x64x64xbf16, swizzled>
// CHECK-NEXT:  %[[V:.*]] = goat_tile.alloc : <2x64x64xbf16, swizzled>
// CHECK-NOT:   goat_tile.alloc

// Tiles that hold 64 keys.
// CHECK:       scf.for
// CHECK:         %[[KEYS:.*]] = goat_tile.stage %[[K]]
// CHECK-NOT:     arith.select %{{.*}} : tensor<128x64xi1
// CHECK:         goat_tile.mma %[[Q]], {{.*}} {b_transposed}
// CHECK-NOT:     arith.select %{{.*}} : tensor<128x64xi1
// CHECK:         goat_tile.reduce max
// CHECK:         goat_tile.warp_any
// CHECK:         goat_tile.convert_layout
// CHECK:         goat_tile.mma %
// CHECK:         scf.yield

// The last tile, which may hold fewer.
// CHECK:       scf.for
// CHECK:         %[[EXISTS:.*]] = arith.cmpi slt, {{.*}} : tensor<64xi32
// CHECK:         goat_tile.mma %
// CHECK:         %[[ALL:.*]] = goat_tile.expand %[[EXISTS]] axis = 0
// CHECK:         arith.select %[[ALL]]
// CHECK:         scf.yield

// CHECK-NOT:   scf.for
// CHECK:       goat_tile.store_rows
// CHECK:       gpu.return
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
