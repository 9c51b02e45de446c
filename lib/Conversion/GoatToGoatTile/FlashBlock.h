//===- FlashBlock.h - the query rows a block works on -----------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the key loop of the flash_mma schedule and its epilogue both start from:
// which query rows of which head a block works on, the types of its tiles, and
// where its matrices lie in memory.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_CONVERSION_GOATTOGOATTILE_FLASHBLOCK_H
#define GOAT_CONVERSION_GOATTOGOATTILE_FLASHBLOCK_H

#include "AttentionContext.h"
#include "RowMatrix.h"

namespace goat::tile {

/// The largest head dimension a tile of query rows has registers for.
constexpr int64_t greatestHeadDim = 256;

/// The head dimension a tile has for a tensor's: the next multiple of the depth
/// of a multiply, 16 or, of f32, 8; 0 beyond the greatest. The columns between
/// are zero.
int64_t paddedHeadDim(int64_t dim, mlir::Type element);

/// The columns of a buffer of value rows. In tf32 their elements are read one
/// by one, without bank conflicts where rows are a multiple of 128 bytes.
int64_t paddedValueColumns(int64_t dim, mlir::Type element, F32Product product);

class FlashBlock {
public:
  /// Sets the types; the rows are those of the last `locate`.
  FlashBlock(AttentionOp attention, ScheduleAttr schedule,
             KernelBuilder &kernel, mlir::OpBuilder &builder);

  /// Computes which rows this block has from its index in the grid. Again after
  /// a loop, through which they would cost registers.
  void locate();

  /// The matrix of this block's batch entry in query, key or value, from a row
  /// on.
  RowMatrix matrix(mlir::Value tensor, mlir::Value firstRow = {});
  /// The matrix of this block's rows in the output.
  RowMatrix outputMatrix();
  /// An f32 tile with elements as in memory, and the inverse.
  mlir::Value narrow(mlir::Value tile);
  mlir::Value widen(mlir::Value tile);
  /// The coordinates of the block's rows; those of the keys are null.
  Coordinates coordinates() const;
  bool isSoftmax() { return attention.getNormalizer() == Normalizer::softmax; }
  /// The element type of query, key, value and output.
  mlir::Type elementType() { return attention.getQueryType().getElementType(); }

  AttentionOp attention;
  ScheduleAttr schedule;
  KernelBuilder &kernel;
  mlir::OpBuilder &builder;
  TileBuilder tiles;

  /// Of f32: a tile of scores, the output accumulator, a vector of the rows.
  mlir::RankedTensorType scoreType, outputType, rowType;
  AttentionContext context;
  mlir::Value firstQuery;
  /// Query rows of the block, counted in it and in the tensor; which of them
  /// the tensor has, and which count.
  mlir::Value rowNumber, query, queryExists, queryCounts;
};

} // namespace goat::tile

#endif // GOAT_CONVERSION_GOATTOGOATTILE_FLASHBLOCK_H
