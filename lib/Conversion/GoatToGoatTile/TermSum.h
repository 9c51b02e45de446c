//===- TermSum.h - terms of a score, evaluated and added up -----*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_CONVERSION_GOATTOGOATTILE_TERMSUM_H
#define GOAT_CONVERSION_GOATTOGOATTILE_TERMSUM_H

#include "RegionEvaluator.h"

namespace goat::tile {

/// Only masks give −∞: anything a score region yields is at least this.
constexpr double leastScore = -1e25;

/// max(x, least) that keeps a NaN.
mlir::Value clamped(TileBuilder &tiles, mlir::Value value, double least);

/// Whether a term can be taken for greater than `leastScore`.
bool isBounded(mlir::Value term);

/// The sum of `terms` at the evaluator's coordinates, at least `leastScore`,
/// divided by `logitScale`. Emits an error at what has no tile form.
mlir::FailureOr<mlir::Value> sumOf(RegionEvaluator &evaluator,
                                   TileBuilder &tiles,
                                   llvm::ArrayRef<mlir::Value> terms,
                                   double logitScale);

} // namespace goat::tile

#endif // GOAT_CONVERSION_GOATTOGOATTILE_TERMSUM_H
