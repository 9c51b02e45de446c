//===- KeyVector.h - functions of the key, for a tile -----------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function of the key has one value for each column of a tile. They are kept
// in shared memory, as f32 for an addition or in bf16 parts for the multiply.
// Where the values come from is a choice: see KeySource in GoatTileKernel.td.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_CONVERSION_GOATTOGOATTILE_KEYVECTOR_H
#define GOAT_CONVERSION_GOATTOGOATTILE_KEYVECTOR_H

#include "AttentionContext.h"
#include "KeyTiles.h"
#include "TermSum.h"

namespace goat::tile {

class KeyVector {
public:
  /// The sum of `terms`, functions of the key, divided by `logitScale`, for
  /// tiles of `type`; to be added as `how` says.
  KeyVector(AttentionOp attention, ScheduleAttr schedule, KernelBuilder &kernel,
            const AttentionContext &context, mlir::RankedTensorType type,
            mlir::ArrayRef<mlir::Value> terms, double logitScale, KeyTerms how);

  /// Allocates the ring and, for a table, builds the kernel that writes it.
  mlir::LogicalResult prepare(TileBuilder &tiles);

  /// KeySource::tile: generates the values of a key tile. A barrier must
  /// stand between this and the reads.
  mlir::LogicalResult generate(TileBuilder &tiles, KeyTile tile);

  /// KeySource::table: starts the same as a copy and returns its token. Tiles
  /// from `keyTiles.end` on get zeros.
  mlir::Value copy(TileBuilder &tiles, KeyTile tile, const KeyTiles &keyTiles);

  /// The values of a key tile: f32 along the columns of a tile.
  mlir::Value read(TileBuilder &tiles, KeyTile tile);
  /// A tile plus the values, by the multiply.
  mlir::Value addByProduct(TileBuilder &tiles, KeyTile tile, mlir::Value start);

private:
  int64_t numThreads() const { return 32 * schedule.getWarps(); }
  int64_t numKeys() const { return type.getDimSize(1); }
  bool isFromTable() const {
    return schedule.getKeySource() == KeySource::table;
  }
  mlir::LogicalResult prepareTable(TileBuilder &tiles);
  mlir::FailureOr<mlir::Value> evaluate(TileBuilder &tiles,
                                        KernelBuilder &kernel,
                                        const AttentionContext &context,
                                        mlir::Value key, mlir::Value keyExists);

  AttentionOp attention;
  ScheduleAttr schedule;
  KernelBuilder &kernel;
  AttentionContext context;
  mlir::RankedTensorType type;
  llvm::SmallVector<mlir::Value> terms;
  double logitScale;
  KeyTerms how;
  /// A ring of vectors over the keys, or of their bf16 parts.
  mlir::Value ring;
  /// The table of this block's head.
  mlir::Value table;
};

} // namespace goat::tile

#endif // GOAT_CONVERSION_GOATTOGOATTILE_KEYVECTOR_H
