//===- ScoreTerms.cpp - a score as a sum of what is plugged in ------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScoreTerms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace goat;
using namespace goat::tile;

std::optional<ScoreTerms> tile::splitScore(AttentionOp attention) {
  ScoreTerms terms;
  Region &region = attention.getScore();
  if (region.empty())
    return terms;

  DependenceAnalysis analysis(attention);
  Value score = region.getArgument(0);
  unsigned scores = 0;
  llvm::SmallPtrSet<Operation *, 8> split;
  SmallVector<Value> pending = {
      cast<YieldOp>(region.front().getTerminator()).getValue()};
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    if (value == score) {
      ++scores;
      continue;
    }
    // A sum that is used twice is one term the second time.
    if (auto sum = value.getDefiningOp<arith::AddFOp>();
        sum && attention->isProperAncestor(sum) && split.insert(sum).second) {
      pending.append({sum.getRhs(), sum.getLhs()});
      continue;
    }
    Dependence on = analysis.of(value);
    if (dependsOn(on, Dependence::Score))
      return std::nullopt;
    bool relative = dependsOn(on, Dependence::Relative);
    bool key = dependsOn(on, Dependence::Key);
    bool query = dependsOn(on, Dependence::Query);
    if (relative + key + query > 1)
      terms.elementwise.push_back(value);
    else
      (relative ? terms.relative
       : key    ? terms.key
                : terms.query)
          .push_back(value);
  }
  if (scores != 1)
    return std::nullopt;
  return terms;
}
