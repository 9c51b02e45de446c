//===- Dependence.cpp - what a value of a region varies with --------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "goat/Analysis/Dependence.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

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
  if (matchQueryKeyDifference(value, attention))
    return Dependence::Relative | Dependence::Batch;

  SmallVector<Dependence> operands;
  for (Value operand : op->getOperands())
    operands.push_back(of(operand));
  if (auto prior = dyn_cast<PriorOpInterface>(op))
    return prior.getDependence(operands);
  Dependence united = uniteDependence(operands);
  if (isa<QueryPositionOp, KeyPositionOp, DistanceOp>(op))
    united = united | Dependence::Batch;
  return united;
}
