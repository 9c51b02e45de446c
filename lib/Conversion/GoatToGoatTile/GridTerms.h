//===- GridTerms.h - functions of differences on a grid ---------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokens of an image or a video stand on a grid that is laid out row after row,
// and a prior there is a function of how far query and key are apart along each
// axis: i / w − j / w and i mod w − j mod w. Such a function has few values,
// one for each tuple of differences. This recognises it, however it is written.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_CONVERSION_GOATTOGOATTILE_GRIDTERMS_H
#define GOAT_CONVERSION_GOATTOGOATTILE_GRIDTERMS_H

#include "goat/Analysis/Dependence.h"

namespace goat::tile {

/// An axis of a grid: the coordinate of row n is n / divisor, modulo `modulus`
/// unless that is 0, as it is for at most one axis, the outermost.
struct GridAxis {
  int64_t divisor, modulus;

  bool operator==(const GridAxis &other) const {
    return divisor == other.divisor && modulus == other.modulus;
  }
  /// How many differences there are along an axis with a modulus.
  int64_t numDifferences() const { return 2 * modulus - 1; }
};

struct Grid {
  /// The outermost first, where there is one without a modulus.
  llvm::SmallVector<GridAxis> axes;
  /// Values of the region that are differences along an axis, query minus key
  /// or, where `isReversed`, key minus query.
  struct Difference {
    mlir::Value value;
    GridAxis axis;
    bool isReversed;
  };
  llvm::SmallVector<Difference> differences;

  bool hasOutermost() const {
    return !axes.empty() && axes.front().modulus == 0;
  }
  llvm::ArrayRef<GridAxis> innerAxes() const {
    return llvm::ArrayRef(axes).drop_front(hasOutermost());
  }
  /// Tuples of differences along the inner axes, rounded up to a multiple of 4.
  int64_t rowLength() const;
  /// Differences along the outermost axis in a tile of rows × keys.
  int64_t numRows(int64_t rows, int64_t keys) const;
};

/// Adds what `term` needs to `grid` and returns true where it is a function of
/// differences on a grid that has that of `grid` in common, and few values.
bool addToGrid(Grid &grid, mlir::Value term, AttentionOp attention,
               DependenceAnalysis &analysis);

} // namespace goat::tile

#endif // GOAT_CONVERSION_GOATTOGOATTILE_GRIDTERMS_H
