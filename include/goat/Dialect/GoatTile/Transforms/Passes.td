//===- Passes.td - passes on tile kernels ------------------*- tablegen -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_DIALECT_GOATTILE_TRANSFORMS_PASSES_TD
#define GOAT_DIALECT_GOATTILE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def GoatTilePlaceBuffers
    : Pass<"goat-tile-place-buffers", "::mlir::gpu::GPUModuleOp"> {
  let summary = "give every buffer its place in shared memory";
  let description = [{
    Sets `offset` of every `goat_tile.alloc` of a kernel, in the order of the
    text, each a multiple of 128 bytes, and `goat_tile.shared_bytes` of the
    kernel to the bytes they take together. Buffers live as long as the block,
    so no two share a byte. More than 232448 bytes, the most any supported chip
    lends to a block, are refused.
  }];
}

def GoatVerifyTile : Pass<"goat-verify-tile", "::mlir::gpu::GPUModuleOp"> {
  let summary = "check that a module holds nothing but tile kernels";
  let description = [{
    The contract between schedules and the lowering:
    - (V1) every function is a kernel with `known_block_size` [32·n, 1, 1], n a
      power of two of at most 32.
    - (V2) every argument has the attribute `goat_tile.role`, and is a
      `!goat_tile.ptr`, an integer or a float; a workspace is a pointer.
    - (V3) ops are of goat_tile, arith, math, or one of scf.for, scf.if,
      scf.while and their terminators, gpu.block_id, gpu.return.
    - (V4) values are scalars, tiles with a goat_tile encoding, or of a
      goat_tile type.
    - (V5) a tile is spread over the threads of the block, no more and no fewer.
    - (V6) an arith or math op on tiles is elementwise or a constant of one
      value.
    - (V7) when a kernel says how it is launched, by `goat_tile.grid` or
      `goat_tile.source`, every kernel of the module has a `goat_tile.grid`, one
      of each variant has `goat_tile.source`, and that one has the
      `goat_tile.workspaces` of which the `#goat_tile.workspace` arguments of
      its kernels name one.
    - (V8) what follows from `goat_tile.warp_any`, which differs between warps,
      decides about work in registers only: no memory access, copy, barrier or
      loop. In a block of one warp it may decide about anything.
  }];
}

#endif // GOAT_DIALECT_GOATTILE_TRANSFORMS_PASSES_TD
