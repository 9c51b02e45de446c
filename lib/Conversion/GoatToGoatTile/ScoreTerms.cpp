//===- ScoreTerms.cpp - a score as a sum of what is plugged in ------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScoreTerms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace goat;
using namespace goat::tile;

/// Each strip takes shared memory, and each value of the query registers.
static constexpr size_t mostStrips = 2, mostKeyVectors = 4, mostQueryValues = 8,
                        mostGrids = 2;

namespace {

class Splitter {
public:
  explicit Splitter(AttentionOp attention)
      : attention(attention), analysis(attention) {}

  ScoreTerms run();

private:
  bool isOfRegion(Operation *op) { return attention->isProperAncestor(op); }
  Value findSum(Value score);
  Value findFunction(Value yielded, SmallVectorImpl<Value> &added);
  void sortTerms(ArrayRef<Value> values, TermGroup &group);
  bool putOnGrid(Value term, TermGroup &group);
  void hold(Value value);
  bool isCostly(Value value, unsigned depth = 0);

  AttentionOp attention;
  DependenceAnalysis analysis;
  ScoreTerms result;
  llvm::SmallPtrSet<Operation *, 32> visited;
};

} // namespace

/// The whole chain of additions that the score stands in, as far as nothing
/// else uses a part of it.
Value Splitter::findSum(Value score) {
  Value sum = score;
  while (sum.hasOneUse()) {
    auto next = dyn_cast<arith::AddFOp>(*sum.getUsers().begin());
    if (!next || next.getLhs() == next.getRhs())
      break;
    sum = next;
  }
  return sum;
}

/// What is left of `yielded` without the terms added to it last, which are
/// appended to `added`.
Value Splitter::findFunction(Value yielded, SmallVectorImpl<Value> &added) {
  auto hasScore = [&](Value value) {
    return dependsOn(analysis.of(value), Dependence::Score);
  };
  Value function = yielded;
  while (function != result.sum) {
    auto sum = function.getDefiningOp<arith::AddFOp>();
    if (!sum || !isOfRegion(sum) ||
        hasScore(sum.getLhs()) == hasScore(sum.getRhs()))
      break;
    bool isLeft = hasScore(sum.getLhs());
    added.push_back(isLeft ? sum.getRhs() : sum.getLhs());
    function = isLeft ? sum.getLhs() : sum.getRhs();
  }
  return function;
}

/// Sorts what `values` are sums of, the score aside.
void Splitter::sortTerms(ArrayRef<Value> values, TermGroup &group) {
  llvm::SmallPtrSet<Operation *, 8> split;
  SmallVector<Value> pending(llvm::reverse(values));
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    if (value == attention.getScore().getArgument(0))
      continue;
    // A sum that is used twice is one term the second time.
    if (auto sum = value.getDefiningOp<arith::AddFOp>();
        sum && isOfRegion(sum) && split.insert(sum).second) {
      pending.append({sum.getRhs(), sum.getLhs()});
      continue;
    }
    Dependence on = analysis.of(value);
    bool relative = dependsOn(on, Dependence::Relative);
    bool key = dependsOn(on, Dependence::Key);
    bool query = dependsOn(on, Dependence::Query);
    if (relative + key + query > 1) {
      if (!putOnGrid(value, group))
        group.elementwise.push_back(value);
    } else
      (relative ? group.relative
       : key    ? group.key
                : group.query)
          .push_back(value);
  }
  // What is the same everywhere costs nothing in a strip or a vector.
  for (SmallVector<Value> *ready : {&group.relative, &group.key})
    if (!ready->empty()) {
      auto varies = [&](Value value) {
        return dependsOn(analysis.of(value), Dependence::Query);
      };
      llvm::copy_if(group.query, std::back_inserter(*ready),
                    [&](Value value) { return !varies(value); });
      llvm::erase_if(group.query, [&](Value value) { return !varies(value); });
    }
}

/// Takes a term for a function of differences on a grid, if it is one.
bool Splitter::putOnGrid(Value term, TermGroup &group) {
  for (TermGroup::OnGrid &present : group.onGrids)
    if (addToGrid(present.grid, term, attention, analysis)) {
      present.terms.push_back(term);
      return true;
    }
  Grid grid;
  if (group.onGrids.size() == mostGrids ||
      !addToGrid(grid, term, attention, analysis))
    return false;
  group.onGrids.push_back({std::move(grid), {term}});
  return true;
}

/// Whether a value takes more than a few cheap instructions.
bool Splitter::isCostly(Value value, unsigned depth) {
  constexpr unsigned deepest = 16;
  Operation *op = value.getDefiningOp();
  if (!op || !isOfRegion(op))
    return false;
  if (depth == deepest || isa<PluginOpInterface, tensor::ExtractOp>(op) ||
      isa<arith::DivFOp, arith::RemFOp>(op) ||
      (isa<math::MathDialect>(op->getDialect()) &&
       !isa<math::AbsFOp, math::AbsIOp, math::FmaOp, math::FloorOp>(op)))
    return true;
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    return isCostly(operand, depth + 1);
  });
}

/// Finds what to hold ready in an expression.
void Splitter::hold(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !isOfRegion(op) || value == result.sum ||
      !visited.insert(op).second)
    return;
  Dependence on = analysis.of(value);
  bool relative = dependsOn(on, Dependence::Relative);
  bool key = dependsOn(on, Dependence::Key);
  bool query = dependsOn(on, Dependence::Query);
  if (!dependsOn(on, Dependence::Score) && relative + key + query < 2) {
    // What is the same everywhere is evaluated once as it is.
    if (relative + key + query == 0)
      return;
    auto keep = [&](SmallVector<Value> &values, size_t most) {
      if (!value.getType().isF32() || values.size() >= most)
        return false;
      values.push_back(value);
      return true;
    };
    if (relative && keep(result.heldRelative, mostStrips))
      return;
    if (key && isCostly(value) && keep(result.heldKey, mostKeyVectors))
      return;
    if (query && isCostly(value) && keep(result.heldQuery, mostQueryValues))
      return;
  }
  for (Value operand : op->getOperands())
    hold(operand);
}

ScoreTerms Splitter::run() {
  std::optional<double> scale = attention.getConstantScale();
  result.startAccumulator = scale && isFoldedScale(*scale);
  Region &region = attention.getScore();
  if (region.empty())
    return result;
  Value score = region.getArgument(0);
  Value yielded = cast<YieldOp>(region.front().getTerminator()).getValue();
  result.sum = result.startAccumulator ? findSum(score) : score;
  if (result.startAccumulator)
    sortTerms(result.sum, result.before);
  SmallVector<Value> added;
  result.function = findFunction(yielded, added);
  sortTerms(added, result.after);
  hold(result.function);
  for (const TermGroup *group : {&result.before, &result.after})
    for (Value term : group->elementwise)
      hold(term);
  return result;
}

SmallVector<Value> ScoreTerms::valuesOfDistances() const {
  SmallVector<Value> values(heldRelative);
  for (const TermGroup *group : {&before, &after}) {
    llvm::append_range(values, group->relative);
    for (const TermGroup::OnGrid &onGrid : group->onGrids)
      llvm::append_range(values, onGrid.terms);
  }
  return values;
}

SmallVector<Value> ScoreTerms::valuesOfKeys() const {
  SmallVector<Value> values(heldKey);
  for (const TermGroup *group : {&before, &after})
    llvm::append_range(values, group->key);
  return values;
}

ScoreTerms tile::splitScore(AttentionOp attention) {
  return Splitter(attention).run();
}
