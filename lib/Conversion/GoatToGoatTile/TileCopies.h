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

  /// Starts the copies of the query tile and of the first stages − 1 key tiles
  /// of `keyTiles`: one group for each, the first with the query.
  llvm::SmallVector<mlir::Value> start(const KeyTiles &keyTiles,
                                       ScoreTile &scores);
  /// Starts the copies of a key tile, its values and what its scores read, as
  /// one group.
  mlir::Value copyNext(mlir::Value number, const KeyTiles &keyTiles,
                       ScoreTile &scores) {
    return copy(number, keyTiles, scores, mlir::Value(), /*isFirst=*/false);
  }

  mlir::Value query() const { return queryBuffer; }
  /// The stage that key tile `number` is in, and that of its values.
  mlir::Value key(mlir::Value number) { return stage(keyRing, number); }
  mlir::Value value(mlir::Value number) { return stage(valueRing, number); }

private:
  mlir::Value stage(mlir::Value ring, mlir::Value number);
  mlir::Value copy(mlir::Value number, const KeyTiles &keyTiles,
                   ScoreTile &scores, mlir::Value extraToken, bool isFirst);

  FlashBlock &block;
  RowMatrix keyMatrix, valueMatrix;
  mlir::Value queryBuffer, keyRing, valueRing;
};

} // namespace goat::tile

#endif // GOAT_CONVERSION_GOATTOGOATTILE_TILECOPIES_H
