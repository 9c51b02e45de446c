//===- Dependence.h - what a value of a region varies with ------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Answers, for a value inside a region of goat.attention, which coordinates it
// depends on. Plug-in ops are asked through PriorOpInterface; any other op
// depends on what its operands depend on.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_ANALYSIS_DEPENDENCE_H
#define GOAT_ANALYSIS_DEPENDENCE_H

#include "goat/Dialect/Goat/IR/GoatDialect.h"

#include "llvm/ADT/DenseMap.h"

namespace goat {

/// A difference "query minus key" as a region writes it: with goat.distance, or
/// by hand as `arith.subi` of a query coordinate and a key coordinate, each
/// either a row index or a position.
struct QueryKeyDifference {
  bool queryIsPosition, keyIsPosition;
};

/// Whether `value` is the argument of one of the attention's regions that
/// stands for the coordinate `kind`.
bool isCoordinate(mlir::Value value, Dependence kind, AttentionOp attention);

/// Recognises `value` as a difference of the query's and the key's coordinate.
std::optional<QueryKeyDifference>
matchQueryKeyDifference(mlir::Value value, AttentionOp attention);

/// Dependences of the values in the score and mask regions of one attention.
class DependenceAnalysis {
public:
  explicit DependenceAnalysis(AttentionOp attention) : attention(attention) {}

  /// What `value` depends on; nothing for a value defined outside the regions.
  Dependence of(mlir::Value value);

private:
  Dependence compute(mlir::Value value);

  AttentionOp attention;
  llvm::DenseMap<mlir::Value, Dependence> cache;
};

} // namespace goat

#endif // GOAT_ANALYSIS_DEPENDENCE_H
