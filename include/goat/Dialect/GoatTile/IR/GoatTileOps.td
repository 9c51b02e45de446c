//===- GoatTileOps.td - everything of the goat_tile dialect -*- tablegen -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_TILE_OPS_TD
#define GOAT_TILE_OPS_TD

include "goat/Dialect/GoatTile/IR/GoatTileCompute.td"
include "goat/Dialect/GoatTile/IR/GoatTileKernel.td"
include "goat/Dialect/GoatTile/IR/GoatTileMemory.td"

#endif // GOAT_TILE_OPS_TD
