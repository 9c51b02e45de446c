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

  /// Builds the kernels of load regions; call once, before the matrices are
  /// asked for.
  mlir::LogicalResult buildLoads();

  /// Whether the block evaluates the load region of query for its rows.
  bool loadsQuery() {
    return !attention.getLoadQ().empty() &&
           schedule.getLoadQ() == LoadSource::block;
  }

  /// Computes which rows this block has from its index in the grid. Again after
  /// a loop, through which they would cost registers.
  void locate();

  /// The matrices of this block's batch entry and head, query and key as load
  /// regions left them, value from a row on.
  RowMatrix queryMatrix() { return matrix(/*isQuery=*/true); }
  RowMatrix keyMatrix() { return matrix(/*isQuery=*/false); }
  RowMatrix valueMatrix(mlir::Value firstRow = {}) {
    return inputMatrixOf(attention, kernel, tiles, context,
                         attention.getValue(), /*isQuery=*/false, firstRow);
  }
  /// The matrix of this block's rows in the output.
  RowMatrix outputMatrix() {
    return outputMatrixOf(attention, kernel, tiles, context);
  }
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

private:
  RowMatrix matrix(bool isQuery);

  /// The address of query or key as a load region left it; null without one.
  mlir::Value loadedQuery, loadedKey;
};

} // namespace goat::tile

#endif // GOAT_CONVERSION_GOATTOGOATTILE_FLASHBLOCK_H
