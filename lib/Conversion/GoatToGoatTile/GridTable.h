//===- GridTable.h - differences on a grid, for a tile ----------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function of differences on a grid has one value for each tuple of them. The
// values that a tile can meet are kept in shared memory, those of one
// difference along the outermost axis after the other, and a score's place
// among them is the sum of a number that its query has and one that its key
// has. Values are copied from a table that a kernel before writes, or generated
// per tile, as the schedule says of strips.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_CONVERSION_GOATTOGOATTILE_GRIDTABLE_H
#define GOAT_CONVERSION_GOATTOGOATTILE_GRIDTABLE_H

#include "AttentionContext.h"
#include "GridTerms.h"
#include "KeyTiles.h"
#include "TermSum.h"

namespace goat::tile {

class GridTable {
public:
  /// The sum of `terms`, functions of differences on `grid`, divided by
  /// `logitScale`, for tiles of `type`. `firstQuery` is the block's first row.
  GridTable(AttentionOp attention, ScheduleAttr schedule, KernelBuilder &kernel,
            const AttentionContext &context, mlir::RankedTensorType type,
            const Grid &grid, mlir::ArrayRef<mlir::Value> terms,
            double logitScale, mlir::Value firstQuery);

  /// Allocates the rings and builds the kernel that writes the table; computes
  /// the numbers of the block's rows, `query`.
  mlir::LogicalResult prepare(TileBuilder &tiles, mlir::Value query);

  /// Generates what a key tile needs, the numbers of its keys in any case. A
  /// barrier must stand between this and `read`.
  mlir::LogicalResult generate(TileBuilder &tiles, KeyTile tile);
  /// Starts the copy of a key tile's values, and returns its token; null where
  /// values are generated.
  mlir::Value copy(TileBuilder &tiles, KeyTile tile, const KeyTiles &keyTiles);
  /// The values of a tile.
  mlir::Value read(TileBuilder &tiles, KeyTile tile);

private:
  bool isFromTable() const { return schedule.getStrip() == StripSource::table; }
  int64_t numThreads() const { return 32 * schedule.getWarps(); }
  int64_t numKeys() const { return type.getDimSize(1); }
  mlir::RankedTensorType vectorOf(int64_t length);
  mlir::Value outermost(TileBuilder &tiles, mlir::Value row);
  mlir::Value inner(TileBuilder &tiles, mlir::Value row);
  mlir::Value outermostOfLastKey(TileBuilder &tiles, KeyTile tile);
  mlir::FailureOr<mlir::Value> evaluate(TileBuilder &tiles,
                                        KernelBuilder &kernel,
                                        const AttentionContext &context,
                                        mlir::Value place,
                                        mlir::Value firstDifference);
  mlir::LogicalResult prepareTable(TileBuilder &tiles);
  mlir::Value zeroRowOf(TileBuilder &tiles, const AttentionContext &context);

  AttentionOp attention;
  ScheduleAttr schedule;
  KernelBuilder &kernel;
  AttentionContext context;
  mlir::RankedTensorType type;
  Grid grid;
  llvm::SmallVector<mlir::Value> terms;
  double logitScale;
  mlir::Value firstQuery;
  /// Differences along the outermost axis in a tile, and values of each.
  int64_t numRows, rowLength;
  /// Rings of values and of the keys' numbers; the numbers of the queries.
  mlir::Value values, keyNumbers, queryNumbers;
  /// The table of this block's head, its rows, and the row of difference 0.
  mlir::Value table, numTableRows, zeroRow;
};

} // namespace goat::tile

#endif // GOAT_CONVERSION_GOATTOGOATTILE_GRIDTABLE_H
