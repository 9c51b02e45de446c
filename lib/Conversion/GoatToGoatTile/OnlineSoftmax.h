//===- OnlineSoftmax.h - softmax over tiles that come in turn ---*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The weights of each tile relative to a reference that follows the row's
// maximum (online normaliser, arXiv 1805.02867), and the sum of the weights.
//
// The reference need not be the maximum itself: it is raised once a tile
// exceeds it by more than 2^8, so that what was accumulated before is rescaled
// in few tiles only. Whether a row's reference is raised depends on the row
// alone; the branch around the work is taken by a warp when one of its rows
// needs it.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_CONVERSION_GOATTOGOATTILE_ONLINESOFTMAX_H
#define GOAT_CONVERSION_GOATTOGOATTILE_ONLINESOFTMAX_H

#include "TileBuilder.h"

namespace goat::tile {

/// How the weights of a row are added up.
enum class RowSum {
  /// In f32, before they are rounded to the type they multiply the values in.
  Exact,
  /// By the matrix multiply, after it.
  Product,
};

class OnlineSoftmax {
public:
  /// What one tile hands to the next.
  struct State {
    /// Of each row, as `OnlineSoftmax` keeps it; see OnlineSoftmax.cpp.
    mlir::Value reference;
    /// Row sums that have not been added up across threads yet.
    mlir::Value sum;
    /// i1, one for each warp: some row's reference is far out.
    mlir::Value isFar;
  };

  /// Scores are tiles of `scoreType`, in units in which the exponent of 2 is
  /// score · `exponentScale`, positive.
  OnlineSoftmax(TileBuilder &tiles, mlir::RankedTensorType scoreType,
                double exponentScale, RowSum rowSum);

  /// Before the first tile: a row that saw nothing.
  State start();

  /// The weights of a tile of scores, f32. Raises the reference and rescales
  /// `output` to it where needed. −∞ has weight 0.
  mlir::Value weights(mlir::Value score, State &state, mlir::Value &output);

  /// With RowSum::Product, adds the weights as they are multiplied: a tile in
  /// `mma_operand`.
  void addRounded(mlir::Value operand, State &state);

  /// After the last tile: the sum of each row, the same in every thread that
  /// holds the row, and the reference in units of log2.
  struct Total {
    mlir::Value sum, reference;
  };
  Total finish(const State &state);

private:
  mlir::Value exp2(mlir::Value value);
  mlir::Value isFarOut(mlir::Value reference);
  /// What a reference stands for is score · κ + log2; one of them is 0.
  struct Parts {
    mlir::Value isFar, score, log2;
  };
  Parts split(mlir::Value reference);
  mlir::Value any(mlir::Value rows);
  /// A vector of rows in the encoding of another; each thread holds its rows.
  mlir::Value convert(mlir::Value rows, mlir::Type type);
  void raise(mlir::Value tileMaximum, State &state, mlir::Value &output);

  TileBuilder &tiles;
  mlir::RankedTensorType scoreType, rowType, sumType;
  /// κ, and the power of two at or above it.
  double exponentScale, farScale;
  RowSum rowSum;
};

} // namespace goat::tile

#endif // GOAT_CONVERSION_GOATTOGOATTILE_ONLINESOFTMAX_H
