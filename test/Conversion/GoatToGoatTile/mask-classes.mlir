// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64" --convert-goat-to-goat-tile --goat-verify-tile --canonicalize --cse --split-input-file | FileCheck %s
// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64 mask-index=always" --convert-goat-to-goat-tile --split-input-file | FileCheck %s --check-prefix=ALWAYS
// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64 mask-index=never" --convert-goat-to-goat-tile --split-input-file -verify-diagnostics | FileCheck %s --check-prefix=NEVER

// Where a mask does not say which tiles are empty or full, one warp per tile
// evaluates it, 16 rows after the other, until it has met both cases. The mask is
// the same for all heads and batch entries, and so is the index.

// A block for each tile of keys and of queries.
// CHECK:       affine_map<()[s0, s1] -> (s1 ceildiv 64, s0 ceildiv 128, 1)>
// CHECK-LABEL: gpu.func @shared_mask_classes
// CHECK:       scf.while
// CHECK:       } do {
// CHECK-COUNT-2: goat_tile.warp_any {{.*}} : tensor<16x64xi1, #goat_tile.mma<warps = 1>>
// CHECK:       goat_tile.store
// CHECK-LABEL: gpu.func @shared_mask_lists
// CHECK-COUNT-8: goat_tile.load {{.*}} masked({{.*}}) : <i32>, i32 -> i32
// CHECK-COUNT-8: goat_tile.store {{.*}} masked
// CHECK-LABEL: gpu.func @shared(
// ALWAYS: @shared_mask_classes
// NEVER-NOT: mask_classes
// NEVER: gpu.func @shared(
func.func @shared(%q: tensor<2x4x?x64xbf16>, %k: tensor<2x4x?x64xbf16>)
    -> tensor<2x4x?x64xbf16> {
  // expected-remark @+1 {{evaluates the mask on every tile that may see a key, as a part of it does not say which tiles are empty or full; }}
  %out = goat.attention %q, %k, %k
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %x = arith.xori %i, %j : index
      %c64 = arith.constant 64 : index
      %r = arith.remui %x, %c64 : index
      %c32 = arith.constant 32 : index
      %m = arith.cmpi ult, %r, %c32 : index
      goat.yield %m : i1
    } attributes {static_q_offset = 0 : i32}
    : (tensor<2x4x?x64xbf16>, tensor<2x4x?x64xbf16>, tensor<2x4x?x64xbf16>)
    -> (tensor<2x4x?x64xbf16>)
  return %out : tensor<2x4x?x64xbf16>
}

// -----

// Of a mask that differs between heads an index is no cheaper than the layer, and
// is built on demand only; with a remark where it is not.
// CHECK-NOT: mask_classes
// CHECK: gpu.func @by_head(
// ALWAYS: @by_head_mask_classes
// NEVER-NOT: mask_classes
// NEVER: gpu.func @by_head(
func.func @by_head(%q: tensor<2x4x?x64xbf16>, %k: tensor<2x4x?x64xbf16>)
    -> tensor<2x4x?x64xbf16> {
  // expected-remark @+1 {{--mask-index=always finds them before}}
  %out = goat.attention %q, %k, %k
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %x = arith.xori %i, %j : index
      %y = arith.xori %x, %h : index
      %c2 = arith.constant 2 : index
      %r = arith.remui %y, %c2 : index
      %c1 = arith.constant 1 : index
      %m = arith.cmpi ult, %r, %c1 : index
      goat.yield %m : i1
    }
    : (tensor<2x4x?x64xbf16>, tensor<2x4x?x64xbf16>, tensor<2x4x?x64xbf16>)
    -> (tensor<2x4x?x64xbf16>)
  return %out : tensor<2x4x?x64xbf16>
}
