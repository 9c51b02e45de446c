//===- CompareSolver.cpp - comparisons of positions, per block ------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One side of the comparison holds the key: it is peeled off op by op, each
// moving what it has to be between, until the key's row is left. The other side
// is known by its bounds over the rows of the block. Bounds that are too wide
// make more visible and less full, never the contrary.
//
//===----------------------------------------------------------------------===//

#include "CompareSolver.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace goat;
using namespace goat::tile;

/// Beyond every row, position and sum of a few of them, and a factor that it
/// can be multiplied by.
static constexpr int64_t farAway = int64_t(1) << 40, greatestFactor = int64_t(1)
                                                                      << 20;

CompareSolver::CompareSolver(AttentionOp attention, KernelBuilder &kernel,
                             TileBuilder &tiles,
                             const AttentionContext &context,
                             QueryRows queryRows)
    : attention(attention), tiles(tiles), dependence(attention),
      evaluator(attention, kernel, tiles, coordinatesOf(context)) {
  rows.least = tiles.widen(queryRows.begin);
  rows.greatest = subtract(tiles.widen(queryRows.end), tiles.i64(1));
  queryOffset = tiles.widen(context.queryOffset);
  keyOffset = tiles.widen(context.keyOffset);
}

//===----------------------------------------------------------------------===//
// What is known of a value
//===----------------------------------------------------------------------===//

static std::optional<int64_t> constantOf(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)))
    return std::nullopt;
  return constant.getSExtValue();
}

/// A constant that positions can be divided and multiplied by.
static std::optional<int64_t> factorOf(Value value) {
  std::optional<int64_t> constant = constantOf(value);
  if (!constant || *constant < 1 || *constant > greatestFactor)
    return std::nullopt;
  return constant;
}

bool CompareSolver::isKeyFree(Value value) {
  return !dependsOn(dependence.of(value),
                    Dependence::Key | Dependence::Relative | Dependence::Score);
}

/// Whether `value` is the coordinate `kind` of the batch entry at hand.
bool CompareSolver::isCoordinateOf(Value batch, Value value, Dependence kind) {
  return isCoordinate(batch, Dependence::Batch, attention) &&
         isCoordinate(value, kind, attention);
}

bool CompareSolver::isNotNegative(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner()->getParentOp() == attention;
  if (std::optional<int64_t> constant = constantOf(value))
    return *constant >= 0;
  Operation *op = value.getDefiningOp();
  auto operand = [&](unsigned i) { return isNotNegative(op->getOperand(i)); };
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
          arith::ExtUIOp>(op))
    return operand(0);
  if (isa<arith::MaxSIOp>(op))
    return operand(0) || operand(1);
  if (isa<arith::DivUIOp, arith::DivSIOp, arith::RemUIOp, arith::MinSIOp>(op))
    return operand(0) && operand(1);
  return false;
}

/// A bound on |value|, far too high where nothing is known. Lengths and offsets
/// are below 2^30 in any sensible problem; only that a sum of 32 bits wraps is
/// at stake.
static double magnitude(Value value) {
  constexpr double coordinate = 0x1p30, unknown = 0x1p62;
  if (std::optional<int64_t> constant = constantOf(value))
    return std::abs(static_cast<double>(*constant));
  Operation *op = value.getDefiningOp();
  if (!op)
    return value.getType().isIndex() ? coordinate : unknown;
  if (isa<QueryPositionOp, KeyPositionOp, DistanceOp>(op))
    return coordinate;
  auto operand = [&](unsigned i) { return magnitude(op->getOperand(i)); };
  if (isa<arith::IndexCastOp, arith::ExtSIOp>(op))
    return operand(0);
  if (isa<arith::AddIOp, arith::SubIOp>(op))
    return operand(0) + operand(1);
  if (isa<arith::MulIOp>(op))
    return operand(0) * operand(1);
  if (isa<arith::MaxSIOp, arith::MinSIOp>(op))
    return std::max(operand(0), operand(1));
  if (isa<arith::DivSIOp, arith::DivUIOp>(op))
    return operand(0);
  if (isa<arith::RemUIOp>(op))
    return operand(1);
  return unknown;
}

/// Whether the op's result may differ from the one in unbounded integers.
static bool mayWrap(Operation *op) {
  Type type = op->getResult(0).getType();
  return type.isInteger() && type.getIntOrFloatBitWidth() < 64 &&
         magnitude(op->getResult(0)) >
             std::ldexp(1.0, type.getIntOrFloatBitWidth() - 1);
}

Value CompareSolver::uniform(Value value) {
  Type type = value.getType();
  if (!type.isIndex() && !type.isInteger(32) && !type.isInteger(64))
    return nullptr;
  if (std::optional<int64_t> constant = constantOf(value))
    return tiles.i64(*constant);
  if (!isKeyFree(value) || dependsOn(dependence.of(value), Dependence::Query))
    return nullptr;
  FailureOr<Value> result = evaluator.evaluate(value);
  if (failed(result))
    return nullptr;
  return result->getType().isInteger(32) ? tiles.widen(*result) : *result;
}

/// The bounds over the block's rows of a value without a key; nullopt where
/// they are not known.
std::optional<CompareSolver::Bounds> CompareSolver::boundsOf(Value value) {
  if (!isKeyFree(value))
    return std::nullopt;
  if (Value same = uniform(value))
    return exactly(same);
  if (isCoordinate(value, Dependence::Query, attention))
    return rows;
  Operation *op = value.getDefiningOp();
  if (!op || mayWrap(op))
    return std::nullopt;
  if (auto position = dyn_cast<QueryPositionOp>(op)) {
    if (!isCoordinateOf(position.getBatch(), position.getQuery(),
                        Dependence::Query))
      return std::nullopt;
    return shifted(rows, exactly(queryOffset));
  }
  if (isa<arith::RemUIOp>(op))
    if (std::optional<int64_t> divisor = factorOf(op->getOperand(1)))
      return Bounds{tiles.i64(0), tiles.i64(*divisor - 1)};

  SmallVector<Bounds> operands;
  for (Value operand : op->getOperands().take_back(2)) {
    std::optional<Bounds> bounds = boundsOf(operand);
    if (!bounds)
      return std::nullopt;
    operands.push_back(*bounds);
  }
  auto both = [&](auto combine) -> Bounds {
    return {combine(operands[0].least, operands[1].least),
            combine(operands[0].greatest, operands[1].greatest)};
  };
  auto minimum = [&](Value a, Value b) -> Value {
    return tiles.create<arith::MinSIOp>(a, b);
  };
  auto maximum = [&](Value a, Value b) -> Value {
    return tiles.create<arith::MaxSIOp>(a, b);
  };
  if (isa<arith::IndexCastOp, arith::ExtSIOp>(op))
    return operands[0];
  if (isa<arith::AddIOp>(op))
    return shifted(operands[0], operands[1]);
  if (isa<arith::SubIOp>(op))
    return shifted(operands[0], negated(operands[1]));
  if (isa<arith::MinSIOp>(op))
    return both(minimum);
  if (isa<arith::MaxSIOp>(op))
    return both(maximum);
  if (isa<arith::SelectOp>(op))
    return Bounds{minimum(operands[0].least, operands[1].least),
                  maximum(operands[0].greatest, operands[1].greatest)};
  std::optional<int64_t> factor =
      op->getNumOperands() == 2 ? factorOf(op->getOperand(1)) : std::nullopt;
  if (factor && isa<arith::MulIOp>(op))
    return both([&](Value a, Value b) -> Value {
      return tiles.create<arith::MulIOp>(a, b);
    });
  if (factor && isa<arith::DivUIOp, arith::DivSIOp>(op) &&
      isNotNegative(op->getOperand(0)))
    return both([&](Value a, Value b) -> Value {
      return tiles.create<arith::DivSIOp>(a, b);
    });
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Solving for the key
//===----------------------------------------------------------------------===//

/// The keys for which `value` is between `range`.
std::optional<KeySets> CompareSolver::solveFor(Value value, Between range) {
  if (isCoordinate(value, Dependence::Key, attention)) {
    KeyInterval visible, full;
    if (range.from) {
      visible.begin = range.from->least;
      full.begin = range.from->greatest;
    }
    if (range.to) {
      Value one = tiles.i64(1);
      visible.end = add(range.to->greatest, one);
      full.end = add(range.to->least, one);
    }
    return KeySets{{visible}, {full}, false};
  }
  Operation *op = value.getDefiningOp();
  if (!op || mayWrap(op))
    return std::nullopt;
  if (auto position = dyn_cast<KeyPositionOp>(op)) {
    if (!isCoordinateOf(position.getBatch(), position.getKey(),
                        Dependence::Key))
      return std::nullopt;
    return solveFor(position.getKey(),
                    shifted(range, negated(exactly(keyOffset))));
  }
  if (auto distance = dyn_cast<DistanceOp>(op)) {
    if (!isCoordinateOf(distance.getBatch(), distance.getQuery(),
                        Dependence::Query) ||
        !isCoordinate(distance.getKey(), Dependence::Key, attention))
      return std::nullopt;
    // j = i + q_offset − k_offset − δ
    Bounds here = shifted(rows, exactly(subtract(queryOffset, keyOffset)));
    return solveFor(distance.getKey(), shifted(negated(range), here));
  }
  if (isa<arith::IndexCastOp, arith::ExtSIOp>(op))
    return solveFor(op->getOperand(0), range);
  if (auto difference = dyn_cast<arith::SubIOp>(op))
    return solveSubtraction(difference, range);
  if (auto sum = dyn_cast<arith::AddIOp>(op)) {
    for (auto [key, other] : {std::pair{sum.getLhs(), sum.getRhs()},
                              std::pair{sum.getRhs(), sum.getLhs()}})
      if (std::optional<Bounds> bounds = boundsOf(other))
        return solveFor(key, shifted(range, negated(*bounds)));
    return std::nullopt;
  }
  if (isa<arith::MaxSIOp, arith::MinSIOp>(op))
    return solveExtremum(op, range);
  if (isa<arith::DivUIOp, arith::DivSIOp>(op)) {
    // x / c ≥ a where x ≥ c·a, and x / c ≤ b where x ≤ c·b + c − 1.
    std::optional<int64_t> factor = factorOf(op->getOperand(1));
    if (!factor || !isNotNegative(op->getOperand(0)))
      return std::nullopt;
    auto scaled = [&](Value bound) -> Value {
      bound = tiles.create<arith::MaxSIOp>(bound, tiles.i64(-farAway));
      bound = tiles.create<arith::MinSIOp>(bound, tiles.i64(farAway));
      return tiles.create<arith::MulIOp>(bound, tiles.i64(*factor));
    };
    for (std::optional<Bounds> *bounds : {&range.from, &range.to})
      if (*bounds)
        *bounds = Bounds{scaled((*bounds)->least), scaled((*bounds)->greatest)};
    if (range.to)
      range.to = shifted(*range.to, exactly(tiles.i64(*factor - 1)));
    return solveFor(op->getOperand(0), range);
  }
  if (isa<math::AbsIOp>(op)) {
    if (range.to && !range.from)
      return solveFor(op->getOperand(0), {negated(*range.to), range.to});
    if (range.from && !range.to) {
      Bounds below = shifted(*range.from, exactly(tiles.i64(-1)));
      if (auto sets = solveFor(op->getOperand(0), {negated(below), below}))
        return negationOf(tiles, *sets);
    }
  }
  return std::nullopt;
}

std::optional<KeySets> CompareSolver::solveSubtraction(arith::SubIOp op,
                                                       Between range) {
  if (std::optional<Bounds> taken = boundsOf(op.getRhs()))
    return solveFor(op.getLhs(), shifted(range, *taken));
  if (std::optional<Bounds> from = boundsOf(op.getLhs()))
    return solveFor(op.getRhs(), shifted(negated(range), *from));
  return std::nullopt;
}

/// max(x, u) ≥ a where x ≥ a or u ≥ a, and ≤ b where both are; min is its
/// mirror image.
std::optional<KeySets> CompareSolver::solveExtremum(Operation *op,
                                                    Between range) {
  Value key = op->getOperand(0);
  std::optional<Bounds> other = boundsOf(op->getOperand(1));
  if (!other) {
    key = op->getOperand(1);
    other = boundsOf(op->getOperand(0));
  }
  if (!other)
    return std::nullopt;
  bool isMaximum = isa<arith::MaxSIOp>(op);
  if (!isMaximum) {
    range = negated(range);
    other = negated(*other);
  }
  Value never = tiles.i64(-farAway);
  auto atMost = [&](Value a, Value b) -> Value {
    return tiles.compare(Predicate::sle, a, b);
  };
  auto select = [&](Value condition, Value a, Value b) -> Value {
    return tiles.create<arith::SelectOp>(condition, a, b);
  };
  if (std::optional<Bounds> &from = range.from)
    from = Bounds{
        select(atMost(from->least, other->greatest), never, from->least),
        select(atMost(from->greatest, other->least), never, from->greatest)};
  if (std::optional<Bounds> &to = range.to)
    to =
        Bounds{select(atMost(other->greatest, to->least), to->least, never),
               select(atMost(other->least, to->greatest), to->greatest, never)};
  return solveFor(key, isMaximum ? range : negated(range));
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

/// All keys where a condition of the block can hold (holds for all rows).
KeySets CompareSolver::where(Value possible, Value certain) {
  Value from = tiles.i64(-farAway), never = tiles.i64(farAway);
  KeySets sets;
  sets.visible = {{tiles.create<arith::SelectOp>(possible, from, never), {}}};
  sets.full = {{tiles.create<arith::SelectOp>(certain, from, never), {}}};
  return sets;
}

/// A comparison that no key takes part in; `predicate` is slt, sle or eq.
KeySets CompareSolver::compareBounds(Predicate predicate, Bounds lhs,
                                     Bounds rhs) {
  if (predicate != Predicate::eq)
    return where(tiles.compare(predicate, lhs.least, rhs.greatest),
                 tiles.compare(predicate, lhs.greatest, rhs.least));
  auto atMost = [&](Value a, Value b) -> Value {
    return tiles.compare(Predicate::sle, a, b);
  };
  return where(tiles.conjunction(atMost(lhs.least, rhs.greatest),
                                 atMost(rhs.least, lhs.greatest)),
               tiles.conjunction(atMost(lhs.greatest, rhs.least),
                                 atMost(rhs.greatest, lhs.least)));
}

std::optional<KeySets> CompareSolver::solveCompare(Predicate predicate,
                                                   Value lhs, Value rhs) {
  auto negation = [&](Predicate of) -> std::optional<KeySets> {
    std::optional<KeySets> sets = solveCompare(of, lhs, rhs);
    if (sets)
      return negationOf(tiles, *sets);
    return sets;
  };
  switch (predicate) {
  case Predicate::ne:
    return negation(Predicate::eq);
  case Predicate::sgt:
    return solveCompare(Predicate::slt, rhs, lhs);
  case Predicate::sge:
    return solveCompare(Predicate::sle, rhs, lhs);
  case Predicate::uge:
    return negation(Predicate::ult);
  case Predicate::ugt:
    return negation(Predicate::ule);
  case Predicate::ult:
  case Predicate::ule: {
    if (!isNotNegative(rhs))
      return std::nullopt;
    Predicate isSigned =
        predicate == Predicate::ult ? Predicate::slt : Predicate::sle;
    if (isNotNegative(lhs))
      return solveCompare(isSigned, lhs, rhs);
    // 0 ≤ lhs < rhs
    std::optional<Bounds> bounds = boundsOf(rhs);
    if (!bounds || isKeyFree(lhs))
      return std::nullopt;
    if (isSigned == Predicate::slt)
      bounds = shifted(*bounds, exactly(tiles.i64(-1)));
    return solveFor(lhs, {exactly(tiles.i64(0)), bounds});
  }
  default:
    break;
  }
  std::optional<Bounds> left = boundsOf(lhs), right = boundsOf(rhs);
  if (left && right)
    return compareBounds(predicate, *left, *right);
  if (!left && !right)
    return std::nullopt;
  Value key = left ? rhs : lhs;
  if (isKeyFree(key))
    return std::nullopt;
  Between range;
  if (predicate == Predicate::eq) {
    range.from = range.to = left ? left : right;
  } else if (left) {
    // left < key
    range.from = predicate == Predicate::slt
                     ? shifted(*left, exactly(tiles.i64(1)))
                     : *left;
  } else {
    range.to = predicate == Predicate::slt
                   ? shifted(*right, exactly(tiles.i64(-1)))
                   : *right;
  }
  return solveFor(key, range);
}

std::optional<KeySets> CompareSolver::solve(Value mask) {
  Dependence of = dependence.of(mask);
  if (isKeyFree(mask) && !dependsOn(of, Dependence::Query)) {
    FailureOr<Value> condition = evaluator.evaluate(mask);
    if (failed(condition))
      return std::nullopt;
    return where(*condition, *condition);
  }
  auto compare = mask.getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getLhs().getType().isInteger(1) ||
      isa<ShapedType>(compare.getLhs().getType()))
    return std::nullopt;
  return solveCompare(compare.getPredicate(), compare.getLhs(),
                      compare.getRhs());
}
