//===- KeyTiles.h - which tiles of keys a block of queries sees -*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns what is known of the keys a block of queries sees into the key tiles it
// works on: a run of consecutive ones where that is an interval, outside of
// which nothing is seen and inside of which [fullBegin, fullEnd) is seen whole;
// or lists of partial and full ones from an index.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_CONVERSION_GOATTOGOATTILE_KEYTILES_H
#define GOAT_CONVERSION_GOATTOGOATTILE_KEYTILES_H

#include "MaskIndex.h"

namespace goat::tile {

/// A key tile as a block gets to it, i32.
struct KeyTile {
  /// Its keys are those from number · (keys of a tile) on.
  mlir::Value number;
  /// How many tiles the block works on before.
  mlir::Value ordinal;
  /// Counts up from tile to tile: its rest is a tile's slot in a ring.
  mlir::Value slot;
};

struct KeyTiles {
  /// Tile numbers, i32. begin ≤ fullBegin ≤ fullEnd ≤ end.
  mlir::Value begin, fullBegin, fullEnd, end;
  /// The first row of key that no query of the block sees, nor any after it.
  mlir::Value rowEnd;
  /// Statically empty: no tile is known to be full, or every tile before
  /// `fullEnd` is.
  bool noFull = false, noPartialBefore = false;
  /// Where set, the tiles are those of the lists, partial ones first; of the
  /// above `begin`, `end` and `rowEnd` still hold.
  std::optional<TileList> list;

  /// Of consecutive tiles, tile `number`.
  KeyTile consecutive(TileBuilder &tiles, mlir::Value number) const {
    return {number, tiles.create<mlir::arith::SubIOp>(number, begin), number};
  }
  /// The number of the tile that the block gets to as the `ordinal`-th, `end`
  /// past the last; `isFull` where no partial tile comes any more.
  mlir::Value listed(TileBuilder &tiles, mlir::Value ordinal,
                     bool isFull) const;
};

/// The stage of `ring` that is a slot's turn.
mlir::Value stageOf(TileBuilder &tiles, mlir::Value ring, mlir::Value slot);

/// The rows of the block that begins at `firstQuery` and has `numRows`, as far
/// as they count; one where none does.
QueryRows blockRows(AttentionOp attention, TileBuilder &tiles,
                    const AttentionContext &context, mlir::Value firstQuery,
                    int64_t numRows);

/// The consecutive tiles of `tileKeys` keys that hold all of `sets`.
KeyTiles tilesOf(TileBuilder &tiles, const AttentionContext &context,
                 const KeySets &sets, int64_t tileKeys);

/// The tiles for the block whose first row is `firstQuery`, of the batch entry
/// and head of `context`. Builds the index where the schedule wants one.
mlir::FailureOr<KeyTiles>
findKeyTiles(AttentionOp attention, ScheduleAttr schedule,
             KernelBuilder &kernel, TileBuilder &tiles,
             const AttentionContext &context, mlir::Value firstQuery);

} // namespace goat::tile

#endif // GOAT_CONVERSION_GOATTOGOATTILE_KEYTILES_H
