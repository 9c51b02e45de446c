//===- ScoreTerms.h - a score as a sum of what is plugged in ----*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits the score region into a sum of the score and terms, and a function of
// that sum. The terms are sorted by what they depend on: a function of the
// distance needs one value per diagonal of a tile, one of the key (query) alone
// one per column (row). Where such functions stand inside of what has to be
// evaluated element by element, their values can be held ready in the same
// ways.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_CONVERSION_GOATTOGOATTILE_SCORETERMS_H
#define GOAT_CONVERSION_GOATTOGOATTILE_SCORETERMS_H

#include "goat/Analysis/Dependence.h"

namespace goat::tile {

struct ScoreTerms {
  /// Whether the scale is a constant that terms can be divided by, so that they
  /// start the accumulator of the multiply. Otherwise there are no terms.
  bool startAccumulator = false;
  /// The score and the terms; the score itself where there are none. Null
  /// without a region.
  mlir::Value sum;
  /// Whether the region yields the sum, as against a function of it.
  bool isWhole = true;
  /// Functions of the distance, of the key, and of the query or nothing that
  /// varies in a tile.
  llvm::SmallVector<mlir::Value> relative, key, query;
  /// Everything else that does not depend on the score.
  llvm::SmallVector<mlir::Value> elementwise;
  /// f32 values inside `elementwise` and inside the function of the sum that
  /// depend on the distance or on the query alone, to be held ready.
  llvm::SmallVector<mlir::Value> heldRelative, heldQuery;

  bool hasStrip() const { return !relative.empty() || !heldRelative.empty(); }
};

/// The order of additions is not kept.
ScoreTerms splitScore(AttentionOp attention);

} // namespace goat::tile

#endif // GOAT_CONVERSION_GOATTOGOATTILE_SCORETERMS_H
