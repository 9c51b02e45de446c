//===- CompareSolver.h - comparisons of positions, per block ----*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Solves a comparison that a mask region writes by hand (or that an op expands
// to) for the row of key, given the query rows of a block: `j <= i`,
// `i − j < w`, `|i − j| ≤ w`, `i / c == j / c`, and what they are like.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_CONVERSION_GOATTOGOATTILE_COMPARESOLVER_H
#define GOAT_CONVERSION_GOATTOGOATTILE_COMPARESOLVER_H

#include "KeySets.h"

namespace goat::tile {

class CompareSolver {
public:
  CompareSolver(AttentionOp attention, KernelBuilder &kernel,
                TileBuilder &tiles, const AttentionContext &context,
                QueryRows rows);

  /// The keys for which `mask` can hold, and those for which it holds for all
  /// rows; nullopt for what is no such comparison.
  std::optional<KeySets> solve(mlir::Value mask);

  /// An integer that is the same in the whole block, as i64; null for any other
  /// value.
  mlir::Value uniform(mlir::Value value);

private:
  /// What a value ranges over with the rows of the block, i64.
  struct Bounds {
    mlir::Value least, greatest;
  };
  /// What a value has to be between, each bound varying with the row; one of
  /// them may be missing.
  struct Between {
    std::optional<Bounds> from, to;
  };

  using Predicate = mlir::arith::CmpIPredicate;

  std::optional<Bounds> boundsOf(mlir::Value value);
  std::optional<KeySets> solveFor(mlir::Value value, Between range);
  std::optional<KeySets> solveSubtraction(mlir::arith::SubIOp op,
                                          Between range);
  std::optional<KeySets> solveExtremum(mlir::Operation *op, Between range);
  std::optional<KeySets> solveCompare(Predicate predicate, mlir::Value lhs,
                                      mlir::Value rhs);
  KeySets compareBounds(Predicate predicate, Bounds lhs, Bounds rhs);
  KeySets where(mlir::Value possible, mlir::Value certain);
  bool isKeyFree(mlir::Value value);
  bool isNotNegative(mlir::Value value);
  bool isCoordinateOf(mlir::Value batch, mlir::Value value, Dependence kind);

  mlir::Value add(mlir::Value a, mlir::Value b) {
    return tiles.create<mlir::arith::AddIOp>(a, b);
  }
  mlir::Value subtract(mlir::Value a, mlir::Value b) {
    return tiles.create<mlir::arith::SubIOp>(a, b);
  }
  Bounds shifted(Bounds a, Bounds by) {
    return {add(a.least, by.least), add(a.greatest, by.greatest)};
  }
  Bounds exactly(mlir::Value value) { return {value, value}; }
  Bounds negated(Bounds a) {
    return {subtract(tiles.i64(0), a.greatest),
            subtract(tiles.i64(0), a.least)};
  }
  Between shifted(Between range, Bounds by) {
    if (range.from)
      range.from = shifted(*range.from, by);
    if (range.to)
      range.to = shifted(*range.to, by);
    return range;
  }
  /// Of minus a value that is between `range`.
  Between negated(Between range) {
    Between result;
    if (range.from)
      result.to = negated(*range.from);
    if (range.to)
      result.from = negated(*range.to);
    return result;
  }

  AttentionOp attention;
  TileBuilder &tiles;
  DependenceAnalysis dependence;
  RegionEvaluator evaluator;
  Bounds rows;
  mlir::Value queryOffset, keyOffset;
};

} // namespace goat::tile

#endif // GOAT_CONVERSION_GOATTOGOATTILE_COMPARESOLVER_H
