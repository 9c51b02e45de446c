//===- GoatTileKernel.td - what a launcher has to know -----*- tablegen -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_TILE_KERNEL_TD
#define GOAT_TILE_KERNEL_TD

include "goat/Dialect/GoatTile/IR/GoatTileDialect.td"

// A kernel is a gpu.func. Each of its arguments carries one of these as the
// argument attribute `goat_tile.role`; the function carries
//   goat_tile.grid      = affine_map<()[s0, s1, ...] -> (x, y, z)>
//   goat_tile.grid_dims = [#goat_tile.dim<...>, ...]  what s0, s1, … stand for
//   goat_tile.shared_bytes = N : i32   set when buffers have been placed
//   goat_tile.source    = the L0 function's type, so that dtypes and shapes of
//                         inputs and outputs are known to the artifact
//   gpu.known_block_size

def InputAttr : GoatTile_Attr<"Input", "input"> {
  let summary = "argument `index` of the source function: a tensor's address or a scalar";
  let parameters = (ins "int64_t":$index);
  let assemblyFormat = "`<` $index `>`";
}
def OutputAttr : GoatTile_Attr<"Output", "output"> {
  let summary = "result `index` of the source function: a tensor's address";
  let parameters = (ins "int64_t":$index);
  let assemblyFormat = "`<` $index `>`";
}
def DimAttr : GoatTile_Attr<"Dim", "dim"> {
  let summary = "size of dimension `axis` of argument `index` of the source function, i32";
  let parameters = (ins "int64_t":$index, "int64_t":$axis);
  let assemblyFormat = "`<` $index `,` $axis `>`";
}

#endif // GOAT_TILE_KERNEL_TD
