//===- ScoreTerms.h - a score as a sum of what is plugged in ----*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits the score region into `s + terms` where it has that form, and sorts
// the terms by what they depend on: a function of the distance needs one value
// per diagonal of a tile, one of the key (query) alone one per column (row).
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_CONVERSION_GOATTOGOATTILE_SCORETERMS_H
#define GOAT_CONVERSION_GOATTOGOATTILE_SCORETERMS_H

#include "goat/Analysis/Dependence.h"

namespace goat::tile {

struct ScoreTerms {
  /// Functions of the distance, of the key, and of the query or nothing that
  /// varies in a tile.
  llvm::SmallVector<mlir::Value> relative, key, query;
  /// Everything else that does not depend on the score.
  llvm::SmallVector<mlir::Value> elementwise;
};

/// The terms beside the score, or nullopt when the region is not of the form
/// `s + terms`. Without a score region there are none. The order of additions
/// is not kept.
std::optional<ScoreTerms> splitScore(AttentionOp attention);

} // namespace goat::tile

#endif // GOAT_CONVERSION_GOATTOGOATTILE_SCORETERMS_H
