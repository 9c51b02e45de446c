//===- ScoreTerms.h - a score as a sum of what is plugged in ----*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits the score region into a sum of the score and terms, a function of that
// sum, and terms added to the function. The terms are sorted by what they
// depend on: a function of the distance needs one value per diagonal of a tile,
// one of the key (query) alone one per column (row). Where such functions stand
// inside of what has to be evaluated element by element, their values can be
// held ready in the same ways.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_CONVERSION_GOATTOGOATTILE_SCORETERMS_H
#define GOAT_CONVERSION_GOATTOGOATTILE_SCORETERMS_H

#include "GridTerms.h"

namespace goat::tile {

/// Whether priors divided by `scale` stay well inside f32, and above the
/// reference of a row that saw nothing, so that they can start an accumulator.
inline bool isFoldedScale(double scale) {
  return scale >= 1e-5 && scale <= 1e5;
}

/// Terms that are added up in one place.
struct TermGroup {
  /// Functions of the distance, of the key, and of the query or nothing that
  /// varies in a tile.
  llvm::SmallVector<mlir::Value> relative, key, query;
  /// Functions of differences on a grid, by what they have in common.
  struct OnGrid {
    Grid grid;
    llvm::SmallVector<mlir::Value> terms;
  };
  llvm::SmallVector<OnGrid> onGrids;
  /// Everything else that does not depend on the score.
  llvm::SmallVector<mlir::Value> elementwise;

  bool empty() const {
    return relative.empty() && key.empty() && query.empty() &&
           onGrids.empty() && elementwise.empty();
  }
};

struct ScoreTerms {
  /// Whether the scale is a constant that terms can be divided by, so that they
  /// start the accumulator of the multiply. Otherwise none stand before.
  bool startAccumulator = false;
  /// The score and the terms before; the score itself where there are none.
  /// Null without a region.
  mlir::Value sum;
  /// What is made of the sum before the terms after it are added: the sum
  /// itself where nothing is.
  mlir::Value function;
  TermGroup before, after;
  /// f32 values inside the elementwise terms and inside the function of the sum
  /// that depend on the distance, the key or the query alone, to be held ready.
  llvm::SmallVector<mlir::Value> heldRelative, heldKey, heldQuery;

  /// Whether the region yields the sum, as against something made of it.
  bool isWhole() const { return function == sum && after.empty(); }
  /// What strips and tables of differences hold, and what vectors over the keys
  /// do.
  llvm::SmallVector<mlir::Value> valuesOfDistances() const;
  llvm::SmallVector<mlir::Value> valuesOfKeys() const;
  size_t numStrips() const {
    return !before.relative.empty() + !after.relative.empty() +
           heldRelative.size();
  }
  size_t numKeyVectors() const {
    return !before.key.empty() + !after.key.empty() + heldKey.size();
  }
};

/// The order of additions is not kept.
ScoreTerms splitScore(AttentionOp attention);

} // namespace goat::tile

#endif // GOAT_CONVERSION_GOATTOGOATTILE_SCORETERMS_H
