//===- RowMatrix.h - the rows of one head in global memory ------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The (rows × columns) matrix of one batch entry and head of query, key, value
// or output: where it lies, how far its rows are apart, and how many bytes at a
// time may be accessed. Tiles are copied, loaded and stored through it.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_CONVERSION_GOATTOGOATTILE_ROWMATRIX_H
#define GOAT_CONVERSION_GOATTOGOATTILE_ROWMATRIX_H

#include "TileBuilder.h"

namespace goat::tile {

/// What every address, row and stride of a fast variant is a multiple of.
constexpr int64_t fastAlignmentBytes = 16;
/// The least that an asynchronous copy moves.
constexpr int64_t leastAsyncBytes = 4;

/// The largest power of two, at most 16, that divides the bytes of a row of
/// `columns` elements: what consecutive rows are aligned to.
int64_t rowAlignmentBytes(int64_t columns, mlir::Type element);

struct RowMatrix {
  /// The first row.
  mlir::Value pointer;
  /// From row to row and from column to column, i64, in elements. Null: columns
  /// are next to each other.
  mlir::Value stride, columnStride;
  int64_t columns;
  /// What the pointer and the stride are multiples of, in bytes.
  int64_t alignment;

  /// Starts the copy of the rows of `buffer` from row `firstRow` on; rows from
  /// `rows` (i32) on become zeros, and so do columns that are not there.
  mlir::Value copy(TileBuilder &tiles, mlir::Value firstRow, mlir::Value rows,
                   mlir::Value buffer) const;
  /// The tile of the rows `row` (i32 vector), zero where `exists` does not hold
  /// and in columns that are not there.
  mlir::Value load(TileBuilder &tiles, mlir::RankedTensorType type,
                   mlir::Value row, mlir::Value exists) const;
  /// The same with the columns `column` (i32 vector); zero for a column that is
  /// not there.
  mlir::Value gather(TileBuilder &tiles, mlir::RankedTensorType type,
                     mlir::Value row, mlir::Value column,
                     mlir::Value exists) const;
  void store(TileBuilder &tiles, mlir::Value value, mlir::Value row,
             mlir::Value exists) const;

private:
  /// The columns that are there, null when a tile this wide has no others.
  mlir::IntegerAttr columnsIn(TileBuilder &tiles, int64_t width) const;
};

} // namespace goat::tile

#endif // GOAT_CONVERSION_GOATTOGOATTILE_ROWMATRIX_H
