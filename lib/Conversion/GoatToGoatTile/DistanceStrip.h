//===- DistanceStrip.h - functions of the distance, for a tile --*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function of the distance has rows + keys − 1 values in a tile of rows ×
// keys. They are kept in shared memory as a strip, from which each thread reads
// the diagonals it holds. Where the values come from is a choice: see
// StripSource in GoatTileKernel.td.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_CONVERSION_GOATTOGOATTILE_DISTANCESTRIP_H
#define GOAT_CONVERSION_GOATTOGOATTILE_DISTANCESTRIP_H

#include "AttentionContext.h"
#include "TermSum.h"

namespace goat::tile {

class DistanceStrip {
public:
  /// The sum of `terms`, functions of the distance, divided by `logitScale`,
  /// for tiles of `type`. `firstQuery` is the block's first row; key tiles are
  /// copied `ahead` tiles before they are read. `numKeyTiles` is how many there
  /// can be, for StripSource::block. Where `tilesJump`, key tiles need not be
  /// consecutive, and each has a whole strip of its own.
  DistanceStrip(AttentionOp attention, KernelBuilder &kernel,
                const AttentionContext &context, mlir::RankedTensorType type,
                mlir::ArrayRef<mlir::Value> terms, double logitScale,
                StripSource source, int64_t numThreads, int64_t ahead,
                int64_t numKeyTiles, mlir::Value firstQuery, bool tilesJump);

  /// Allocates the strip and, for a table, builds the kernel that writes it.
  mlir::LogicalResult prepare(TileBuilder &tiles);

  /// StripSource::tile: generates what key tile `number`, the `ordinal`-th of
  /// the block, needs beyond the one before; everything when `isFirst`. A
  /// barrier must stand between this and `read`.
  /// StripSource::block: the same, for use before the first tile only.
  mlir::LogicalResult generate(TileBuilder &tiles, mlir::Value number,
                               mlir::Value ordinal, bool isFirst);

  /// StripSource::table: starts the same as a copy and returns its token. Tiles
  /// where `isWanted` (i1) does not hold get zeros.
  mlir::Value copy(TileBuilder &tiles, mlir::Value number, mlir::Value ordinal,
                   mlir::Value isWanted, bool isFirst);

  /// The values of the tile that is the `ordinal`-th of the block.
  mlir::Value read(TileBuilder &tiles, mlir::Value ordinal);

private:
  mlir::Value window(TileBuilder &tiles, mlir::Value start, int64_t length);
  mlir::Value start(TileBuilder &tiles, mlir::Value ordinal);
  mlir::FailureOr<mlir::Value> evaluate(TileBuilder &tiles,
                                        KernelBuilder &kernel,
                                        const AttentionContext &context,
                                        mlir::Value distance);
  mlir::Value standsTwice(TileBuilder &tiles, mlir::Value begin);
  mlir::Value twinOf(TileBuilder &tiles, mlir::Value begin);
  /// Whether every tile has a strip of its own, none in common with the next.
  bool standsAlone() { return tilesJump && source != StripSource::block; }
  mlir::LogicalResult prepareTable(TileBuilder &tiles);

  AttentionOp attention;
  KernelBuilder &kernel;
  AttentionContext context;
  mlir::RankedTensorType type;
  llvm::SmallVector<mlir::Value> terms;
  double logitScale;
  StripSource source;
  int64_t numThreads;
  /// Rows and keys of a tile.
  int64_t rows, keys;
  /// Tiles until the ring begins again, and the elements that stand twice.
  int64_t ringTiles, overlap;
  mlir::Value firstQuery;
  bool tilesJump;
  mlir::Value strip;
  /// The table of this block's head: rows of quads.
  mlir::Value table, numTableRows, firstTableRow;
};

} // namespace goat::tile

#endif // GOAT_CONVERSION_GOATTOGOATTILE_DISTANCESTRIP_H
