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

/// Scales for which a prior divided by the scale stays well inside f32, and
/// above the reference of a row that saw nothing.
static constexpr double leastFoldedScale = 1e-5, greatestFoldedScale = 1e5;

/// Each strip takes shared memory, and each value of the query registers.
static constexpr size_t mostStrips = 2, mostQueryValues = 8;

namespace {

class Splitter {
public:
  explicit Splitter(AttentionOp attention)
      : attention(attention), analysis(attention) {}

  ScoreTerms run();

private:
  bool isOfRegion(Operation *op) { return attention->isProperAncestor(op); }
  Value findSum(Value score);
  void sortTerms(Value score);
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

void Splitter::sortTerms(Value score) {
  llvm::SmallPtrSet<Operation *, 8> split;
  SmallVector<Value> pending = {result.sum};
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    if (value == score)
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
    if (relative + key + query > 1)
      result.elementwise.push_back(value);
    else
      (relative ? result.relative
       : key    ? result.key
                : result.query)
          .push_back(value);
  }
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
    if (query && isCostly(value) && keep(result.heldQuery, mostQueryValues))
      return;
  }
  for (Value operand : op->getOperands())
    hold(operand);
}

ScoreTerms Splitter::run() {
  std::optional<double> scale = attention.getConstantScale();
  result.startAccumulator =
      scale && *scale >= leastFoldedScale && *scale <= greatestFoldedScale;
  Region &region = attention.getScore();
  if (region.empty())
    return result;
  Value score = region.getArgument(0);
  Value yielded = cast<YieldOp>(region.front().getTerminator()).getValue();
  result.sum = result.startAccumulator ? findSum(score) : score;
  result.isWhole = yielded == result.sum;
  sortTerms(score);
  if (!result.isWhole)
    hold(yielded);
  for (Value term : result.elementwise)
    hold(term);
  return result;
}

ScoreTerms tile::splitScore(AttentionOp attention) {
  return Splitter(attention).run();
}
