//===- RegionEvaluator.h - scalar regions on tiles of coordinates -*- C++
//-*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A region of goat.attention says what happens to one (batch, head, query,
// key), or to one row. The evaluator builds the same computation on a whole
// tile of coordinates, or on a vector along the queries, the keys or the
// distances: the same ops on retyped values. Plug-in ops are expanded into
// plain ops first.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_CONVERSION_GOATTOGOATTILE_REGIONEVALUATOR_H
#define GOAT_CONVERSION_GOATTOGOATTILE_REGIONEVALUATOR_H

#include "KernelBuilder.h"
#include "goat/Analysis/Dependence.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace goat::tile {

/// The coordinates a region is evaluated at. Scalars are the same in the whole
/// block; `query`, `key` and `distance` are scalars, vectors or tiles of i32,
/// null where the domain has none.
struct Coordinates {
  mlir::Value batch, head;
  mlir::Value query, key;
  /// position(i) − position(j), on a domain of distances; null elsewhere.
  mlir::Value distance;
  mlir::Value queryOffset, keyOffset;
  /// i1 in the shape of the coordinate: whether it exists. Null: always.
  mlir::Value queryExists, keyExists, distanceExists;
  /// In a region on rows: the type of a tile of rows, in f32, and which columns
  /// of them are looked at, an i32 vector (null: each its own).
  mlir::RankedTensorType rowType;
  mlir::Value column;
};

/// Marks the op that yields `value` as evaluated for one element of a tile
/// after the other, where it is arithmetic.
mlir::Value perElement(mlir::Value value);

class RegionEvaluator {
public:
  RegionEvaluator(AttentionOp attention, KernelBuilder &kernel,
                  TileBuilder &tiles, const Coordinates &coordinates);

  /// Gives a region argument (the score, a row) its value.
  void bind(mlir::Value argument, mlir::Value value) {
    known[argument] = value;
  }
  /// Gives a region argument the value that `load` builds, anew after each
  /// reduction: a row that waited for one would cost registers.
  void bindLoaded(mlir::Value argument, std::function<mlir::Value()> load) {
    loads[argument] = std::move(load);
  }
  /// Gives the row of a load region, which `load` reads at columns (null: each
  /// its own).
  void bindRow(mlir::Value argument,
               std::function<mlir::Value(mlir::Value column)> load) {
    rows[argument] = std::move(load);
    rowWidth =
        mlir::cast<mlir::RankedTensorType>(argument.getType()).getDimSize(0);
  }
  /// The value of `value` on the coordinates. Emits an error at an op that has
  /// no tile form.
  mlir::FailureOr<mlir::Value> evaluate(mlir::Value value);

private:
  mlir::FailureOr<mlir::Value> build(mlir::Value value);
  mlir::FailureOr<mlir::Value> buildElementwise(mlir::Operation *op);
  mlir::FailureOr<mlir::Value> buildIndexCast(mlir::Operation *op,
                                              mlir::Value operand);
  bool needsWideIndex(mlir::Operation *op, mlir::ValueRange operands);
  mlir::Value columnsOf(mlir::Type type);
  mlir::FailureOr<mlir::Value> buildSlice(mlir::tensor::ExtractSliceOp op);
  mlir::FailureOr<mlir::Value> buildLoad(mlir::Operation *op,
                                         mlir::Value tensor,
                                         mlir::ArrayRef<mlir::OpFoldResult> at,
                                         mlir::Value column);
  mlir::FailureOr<bool> requireExtent(mlir::Operation *op, mlir::Value tensor,
                                      int64_t axis, mlir::OpFoldResult index,
                                      int64_t length);
  mlir::Value extentLike(mlir::Value tensor, int64_t axis, mlir::Value index);
  /// The columns that are looked at.
  mlir::Value columns();
  mlir::FailureOr<mlir::Value> buildGather(GatherRowOp op);
  /// Elements of a captured vector, 0 outside of it.
  mlir::Value gatherCaptured(mlir::Location loc, mlir::BlockArgument source,
                             mlir::Value column);
  mlir::FailureOr<mlir::Value> buildReduction(mlir::Operation *op);
  mlir::FailureOr<mlir::Value> buildDifference(QueryKeyDifference form);
  mlir::FailureOr<mlir::Value> buildPosition(mlir::Operation *op,
                                             mlir::Value batch,
                                             mlir::Value index,
                                             mlir::Value offset);
  mlir::FailureOr<mlir::Value> captured(mlir::Value value);
  mlir::Value truth(mlir::Value byte);
  /// Whether the coordinates that `dependence` names exist.
  mlir::Value existence(Dependence dependence);
  mlir::Value positionOf(mlir::Value index, mlir::Value offset);

  AttentionOp attention;
  KernelBuilder &kernel;
  TileBuilder &tiles;
  Coordinates at;
  DependenceAnalysis dependence;
  llvm::DenseMap<mlir::Value, mlir::Value> known;
  llvm::DenseMap<mlir::Value, std::function<mlir::Value()>> loads;
  llvm::DenseMap<mlir::Value, std::function<mlir::Value(mlir::Value)>> rows;
  /// Elements of a row of a region on rows.
  int64_t rowWidth;
  /// Of plug-in ops, so that what is known of one stays known.
  llvm::DenseMap<mlir::Operation *, mlir::Value> expansions;
  /// Whether at.column is not each column itself.
  bool isMoved = false;
};

} // namespace goat::tile

#endif // GOAT_CONVERSION_GOATTOGOATTILE_REGIONEVALUATOR_H
