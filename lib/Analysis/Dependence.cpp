//===- Dependence.cpp - what a value of a region varies with --------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "goat/Analysis/Dependence.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace goat;

namespace {
/// Coordinates of a region argument, counted from the batch coordinate.
constexpr Dependence coordinateOrder[] = {Dependence::Batch, Dependence::Head,
                                          Dependence::Query, Dependence::Key};
} // namespace

/// The coordinate a region argument stands for. The score region has the score
/// before the coordinates, the exclusion has two rows, a load region one.
static Dependence argumentDependence(BlockArgument argument,
                                     AttentionOp attention) {
  Region *region = argument.getOwner()->getParent();
  if (region == &attention.getLoadQ() || region == &attention.getLoadK()) {
    bool isQuery = region == &attention.getLoadQ();
    switch (argument.getArgNumber()) {
    case 1:
      return Dependence::Batch;
    case 2:
      // A key head is not the head that tables are indexed by.
      return isQuery ? Dependence::Head : Dependence::Head | Dependence::Batch;
    case 3:
      return isQuery ? Dependence::Query : Dependence::Key;
    default:
      return Dependence::Batch | Dependence::Head |
             (isQuery ? Dependence::Query : Dependence::Key);
    }
  }
  unsigned values = region == &attention.getScore()     ? 1
                    : region == &attention.getExclude() ? 2
                                                        : 0;
  unsigned number = argument.getArgNumber();
  if (number >= values)
    return coordinateOrder[number - values];
  return values == 1 ? Dependence::Score
                     : Dependence::Query | Dependence::Head | Dependence::Batch;
}

bool goat::isCoordinate(Value value, Dependence kind, AttentionOp attention) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner()->getParentOp() == attention &&
         argumentDependence(argument, attention) == kind;
}

std::optional<QueryKeyDifference>
goat::matchQueryKeyDifference(Value value, AttentionOp attention) {
  auto is = [&](Value operand, Dependence kind) {
    return isCoordinate(operand, kind, attention);
  };
  if (auto distance = value.getDefiningOp<DistanceOp>()) {
    if (is(distance.getBatch(), Dependence::Batch) &&
        is(distance.getQuery(), Dependence::Query) &&
        is(distance.getKey(), Dependence::Key))
      return QueryKeyDifference{true, true};
    return std::nullopt;
  }
  auto difference = value.getDefiningOp<arith::SubIOp>();
  if (!difference)
    return std::nullopt;
  // A coordinate of the wanted kind: nullopt if it is none, else whether it is
  // a position.
  auto match = [&](Value operand, Dependence kind) -> std::optional<bool> {
    if (is(operand, kind))
      return false;
    if (auto position = operand.getDefiningOp<QueryPositionOp>())
      if (kind == Dependence::Query &&
          is(position.getBatch(), Dependence::Batch) &&
          is(position.getQuery(), kind))
        return true;
    if (auto position = operand.getDefiningOp<KeyPositionOp>())
      if (kind == Dependence::Key &&
          is(position.getBatch(), Dependence::Batch) &&
          is(position.getKey(), kind))
        return true;
    return std::nullopt;
  };
  std::optional<bool> query = match(difference.getLhs(), Dependence::Query);
  std::optional<bool> key = match(difference.getRhs(), Dependence::Key);
  if (!query || !key)
    return std::nullopt;
  return QueryKeyDifference{*query, *key};
}

namespace {
/// What a number rises by with the query's and with the key's row: small whole
/// numbers, so that nothing overflows.
struct Slopes {
  int64_t query, key;
};
constexpr int64_t steepest = 1 << 20;
} // namespace

/// The constant factor of a product, when it is a whole number.
static std::optional<int64_t> wholeConstant(Value value) {
  APInt integer;
  if (matchPattern(value, m_ConstantInt(&integer)) &&
      integer.getSignificantBits() <= 32)
    return integer.getSExtValue();
  APFloat real(0.0f);
  if (!matchPattern(value, m_ConstantFloat(&real)) || !real.isInteger())
    return std::nullopt;
  double number = real.convertToDouble();
  if (!(std::fabs(number) <= steepest))
    return std::nullopt;
  return static_cast<int64_t>(number);
}

/// The slopes of a number that is linear in the rows; nullopt for any other.
static std::optional<Slopes> slopesOf(Value value, AttentionOp attention,
                                      DependenceAnalysis &analysis,
                                      unsigned depth = 0) {
  constexpr unsigned deepest = 8;
  const Dependence rows =
      Dependence::Score | Dependence::Query | Dependence::Key;
  if (depth > deepest)
    return std::nullopt;
  if (isCoordinate(value, Dependence::Query, attention))
    return Slopes{1, 0};
  if (isCoordinate(value, Dependence::Key, attention))
    return Slopes{0, 1};
  Operation *op = value.getDefiningOp();
  if (!op || !attention->isProperAncestor(op))
    return isa<BlockArgument>(value) && dependsOn(analysis.of(value), rows)
               ? std::nullopt
               : std::optional(Slopes{0, 0});
  auto of = [&](unsigned operand) {
    return slopesOf(op->getOperand(operand), attention, analysis, depth + 1);
  };
  auto isBatch = [&](Value operand) {
    return isCoordinate(operand, Dependence::Batch, attention);
  };
  if (auto position = dyn_cast<QueryPositionOp>(op);
      position && isBatch(position.getBatch()))
    return of(1);
  if (auto position = dyn_cast<KeyPositionOp>(op);
      position && isBatch(position.getBatch()))
    return of(1);
  if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::SIToFPOp, arith::ExtFOp>(
          op)) {
    std::optional<Slopes> slopes = of(0);
    // Fewer bits wrap around at lengths that occur.
    auto integer = dyn_cast<IntegerType>(value.getType());
    bool wraps = integer && integer.getWidth() < 32;
    if (wraps && slopes && (slopes->query != 0 || slopes->key != 0))
      return std::nullopt;
    return slopes;
  }
  auto combine = [&](int64_t left, int64_t right) -> std::optional<Slopes> {
    std::optional<Slopes> a = of(0), b = of(1);
    if (!a || !b)
      return std::nullopt;
    Slopes sum{left * a->query + right * b->query,
               left * a->key + right * b->key};
    if (std::abs(sum.query) > steepest || std::abs(sum.key) > steepest)
      return std::nullopt;
    return sum;
  };
  if (auto distance = dyn_cast<DistanceOp>(op);
      distance && isBatch(distance.getBatch())) {
    std::optional<Slopes> query = of(1), key = of(2);
    if (!query || !key)
      return std::nullopt;
    return Slopes{query->query - key->query, query->key - key->key};
  }
  if (isa<arith::AddIOp, arith::AddFOp>(op))
    return combine(1, 1);
  if (isa<arith::SubIOp, arith::SubFOp>(op))
    return combine(1, -1);
  if (isa<arith::NegFOp>(op)) {
    std::optional<Slopes> x = of(0);
    return x ? std::optional(Slopes{-x->query, -x->key}) : std::nullopt;
  }
  if (isa<arith::MulIOp, arith::MulFOp>(op))
    for (unsigned factor : {0, 1})
      if (std::optional<int64_t> c = wholeConstant(op->getOperand(factor))) {
        std::optional<Slopes> x = of(1 - factor);
        if (!x || std::abs(*c) > steepest ||
            std::abs(*c * x->query) > steepest ||
            std::abs(*c * x->key) > steepest)
          return std::nullopt;
        return Slopes{*c * x->query, *c * x->key};
      }
  // Whatever does not vary with the rows.
  if (llvm::none_of(op->getOperands(),
                    [&](Value operand) {
                      return dependsOn(analysis.of(operand),
                                       rows | Dependence::Relative);
                    }) &&
      !isa<PriorOpInterface>(op))
    return Slopes{0, 0};
  return std::nullopt;
}

/// Whether a number that is linear in the rows depends on their difference
/// only.
static bool isRelative(Value value, AttentionOp attention,
                       DependenceAnalysis &analysis) {
  if (!value.getType().isIntOrIndexOrFloat())
    return false;
  std::optional<Slopes> slopes = slopesOf(value, attention, analysis);
  return slopes && slopes->query != 0 && slopes->query == -slopes->key;
}

Dependence DependenceAnalysis::of(Value value) {
  auto known = cache.find(value);
  if (known != cache.end())
    return known->second;
  Dependence result = compute(value);
  cache[value] = result;
  return result;
}

Dependence DependenceAnalysis::compute(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner()->getParentOp() == attention
               ? argumentDependence(argument, attention)
               : Dependence::None;
  Operation *op = value.getDefiningOp();
  if (!attention->isProperAncestor(op))
    return Dependence::None;
  SmallVector<Dependence> operands;
  for (Value operand : op->getOperands())
    operands.push_back(of(operand));
  if (isRelative(value, attention, *this)) {
    // Positions may be offset differently in each batch entry.
    const Dependence others =
        Dependence::Head | Dependence::Batch | Dependence::Relative;
    return (uniteDependence(operands) & others) | Dependence::Relative |
           Dependence::Batch;
  }
  if (auto prior = dyn_cast<PriorOpInterface>(op))
    return prior.getDependence(operands);
  Dependence united = uniteDependence(operands);
  if (isa<QueryPositionOp, KeyPositionOp, DistanceOp>(op))
    united = united | Dependence::Batch;
  return united;
}
