//===- KeyTiles.h - which tiles of keys a block of queries sees -*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks the ops of a mask region about a block of queries and turns the answers
// into numbers of key tiles: outside [begin, end) nothing is seen, inside
// [fullBegin, fullEnd) everything is, so the mask need not be evaluated there.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_CONVERSION_GOATTOGOATTILE_KEYTILES_H
#define GOAT_CONVERSION_GOATTOGOATTILE_KEYTILES_H

#include "RegionEvaluator.h"

namespace goat::tile {

/// Tile numbers, i32. begin ≤ fullBegin ≤ fullEnd ≤ end.
struct KeyTiles {
  mlir::Value begin, fullBegin, fullEnd, end;
  /// The first row of key that no query of the block sees, nor any after it.
  mlir::Value rowEnd;
  /// Statically empty: no tile is known to be full, or every tile before
  /// `fullEnd` is.
  bool noFull = false, noPartialBefore = false;

  /// How many tiles the block has worked on before tile `number`.
  mlir::Value ordinalOf(TileBuilder &tiles, mlir::Value number) const {
    return tiles.create<mlir::arith::SubIOp>(number, begin);
  }
};

/// `block` gives the block's coordinates and positions, `keyLength` the number
/// of keys of the batch entry, `tileKeys` the keys of a tile.
KeyTiles findKeyTiles(AttentionOp attention, KernelBuilder &kernel,
                      TileBuilder &tiles, QueryBlock block,
                      mlir::Value keyOffset, mlir::Value keyLength,
                      int64_t tileKeys);

} // namespace goat::tile

#endif // GOAT_CONVERSION_GOATTOGOATTILE_KEYTILES_H
