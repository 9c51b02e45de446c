//===- TileCopies.h - how tiles reach shared memory -------------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The block's query tile, and the rings of stages through which key and value
// tiles arrive by asynchronous copies while earlier ones are worked on.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_CONVERSION_GOATTOGOATTILE_TILECOPIES_H
#define GOAT_CONVERSION_GOATTOGOATTILE_TILECOPIES_H

#include "FlashBlock.h"
#include "KeyTiles.h"
#include "ScoreTile.h"

namespace goat::tile {

class TileCopies {
public:
  /// Allocates the buffers. `block` stays the caller's.
  explicit TileCopies(FlashBlock &block);

  /// Starts the copies of the query tile and of the first key tiles, one group
  /// for each, the first with the query; or writes the query tile that its load
  /// region makes. A barrier has to stand between this and a read.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  start(llvm::ArrayRef<KeyTile> first, const KeyTiles &keyTiles,
        ScoreTile &scores);
  /// Starts the copies of a key tile, its values and what its scores read, as
  /// one group.
  mlir::Value copyNext(KeyTile tile, const KeyTiles &keyTiles,
                       ScoreTile &scores) {
    return copy(tile, keyTiles, scores, mlir::Value(), /*isFirst=*/false);
  }

  /// In tf32, rounds what the copies of a key tile brought, once they are in
  /// place and before the barrier; and the query tile, once `group` is.
  void roundTile(KeyTile tile);
  void roundQuery(mlir::Value group);

  mlir::Value query() const { return queryBuffer; }
  /// The stage that a key tile is in, and that of its values.
  mlir::Value key(KeyTile tile) {
    return stageOf(block.tiles, keyRing, tile.slot);
  }
  mlir::Value value(KeyTile tile) {
    return stageOf(block.tiles, valueRing, tile.slot);
  }

private:
  mlir::LogicalResult loadQuery();
  mlir::Value copy(KeyTile tile, const KeyTiles &keyTiles, ScoreTile &scores,
                   mlir::Value extraToken, bool isFirst);

  FlashBlock &block;
  bool isRounded;
  RowMatrix keyMatrix, valueMatrix;
  mlir::Value queryBuffer, keyRing, valueRing;
};

} // namespace goat::tile

#endif // GOAT_CONVERSION_GOATTOGOATTILE_TILECOPIES_H
