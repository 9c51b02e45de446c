//===- Bounds.cpp - between which numbers a value lies --------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "goat/Analysis/Bounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir;
using namespace goat;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Bounds unknown = {-infinity, infinity};
/// What a prior's promise to be bounded is worth.
constexpr double promised = 1e20;
/// Regions are walked this deep; what lies deeper is unknown.
constexpr unsigned mostSteps = 256;

class Finder {
public:
  explicit Finder(AttentionOp attention) : attention(attention) {}

  Bounds of(Value value) {
    if (steps++ >= mostSteps)
      return unknown;
    if (auto argument = dyn_cast<BlockArgument>(value))
      return ofArgument(argument);
    APInt integer;
    if (matchPattern(value, m_ConstantInt(&integer)) &&
        integer.getSignificantBits() <= 64) {
      auto number = static_cast<double>(integer.getSExtValue());
      return {number, number};
    }
    APFloat real(0.0f);
    if (matchPattern(value, m_ConstantFloat(&real)) && !real.isNaN()) {
      bool losesInfo;
      real.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
      return {real.convertToDouble(), real.convertToDouble()};
    }
    Bounds result = ofOp(value.getDefiningOp());
    // ∞ − ∞ and the like, and integers that wrap.
    Bounds type = ofType(value.getType());
    if (!(result.least >= type.least && result.greatest <= type.greatest))
      return type;
    return result;
  }

private:
  /// Coordinates lie in [0, 2^31).
  Bounds ofArgument(BlockArgument argument) {
    if (argument.getOwner()->getParentOp() == attention &&
        argument.getType().isIndex())
      return {0, 0x1p31};
    return ofType(argument.getType());
  }

  static Bounds ofType(Type type) {
    auto integer = dyn_cast<IntegerType>(type);
    if (!integer)
      return unknown;
    double size = std::exp2(integer.getWidth() - 1);
    return integer.getWidth() == 1 ? Bounds{0, 1} : Bounds{-size, size};
  }

  static Bounds both(Bounds a, Bounds b) {
    return {std::min(a.least, b.least), std::max(a.greatest, b.greatest)};
  }

  static Bounds product(Bounds a, Bounds b) {
    double ends[] = {a.least * b.least, a.least * b.greatest,
                     a.greatest * b.least, a.greatest * b.greatest};
    // 0 times what is unknown.
    if (llvm::any_of(ends, [](double end) { return std::isnan(end); }))
      return unknown;
    return {*std::min_element(ends, ends + 4),
            *std::max_element(ends, ends + 4)};
  }

  static Bounds magnitude(Bounds x) {
    double far = std::max(std::fabs(x.least), std::fabs(x.greatest));
    bool crosses = x.least <= 0 && x.greatest >= 0;
    double near =
        crosses ? 0 : std::min(std::fabs(x.least), std::fabs(x.greatest));
    return {near, far};
  }

  Bounds ofOp(Operation *op);

  AttentionOp attention;
  unsigned steps = 0;
};

} // namespace

Bounds Finder::ofOp(Operation *op) {
  if (!op || !attention->isProperAncestor(op) || op->getNumResults() != 1)
    return op && op->getNumResults() ? ofType(op->getResult(0).getType())
                                     : unknown;
  if (auto prior = dyn_cast<PriorOpInterface>(op))
    return prior.isBounded() ? Bounds{-promised, promised} : unknown;
  auto operand = [&](unsigned number) { return of(op->getOperand(number)); };
  /// A function that rises.
  auto rising = [&](double (*f)(double)) {
    Bounds x = operand(0);
    return Bounds{f(x.least), f(x.greatest)};
  };
  return llvm::TypeSwitch<Operation *, Bounds>(op)
      .Case<arith::AddFOp, arith::AddIOp>([&](Operation *) {
        Bounds a = operand(0), b = operand(1);
        return Bounds{a.least + b.least, a.greatest + b.greatest};
      })
      .Case<arith::SubFOp, arith::SubIOp>([&](Operation *) {
        Bounds a = operand(0), b = operand(1);
        return Bounds{a.least - b.greatest, a.greatest - b.least};
      })
      .Case<arith::MulFOp, arith::MulIOp>(
          [&](Operation *) { return product(operand(0), operand(1)); })
      .Case<QueryPositionOp, KeyPositionOp, DistanceOp>(
          [&](Operation *) { return Bounds{-0x1p31, 0x1p31}; })
      .Case([&](math::FmaOp) {
        Bounds a = product(operand(0), operand(1)), b = operand(2);
        return Bounds{a.least + b.least, a.greatest + b.greatest};
      })
      .Case([&](arith::DivFOp) {
        Bounds b = operand(1);
        if (b.least <= 0 && b.greatest >= 0)
          return unknown;
        return product(operand(0), {1 / b.greatest, 1 / b.least});
      })
      .Case([&](arith::NegFOp) {
        Bounds x = operand(0);
        return Bounds{-x.greatest, -x.least};
      })
      .Case<math::AbsFOp, math::AbsIOp>(
          [&](Operation *) { return magnitude(operand(0)); })
      .Case<arith::MaximumFOp, arith::MaxNumFOp, arith::MaxSIOp>(
          [&](Operation *) {
            Bounds a = operand(0), b = operand(1);
            return Bounds{std::max(a.least, b.least),
                          std::max(a.greatest, b.greatest)};
          })
      .Case<arith::MinimumFOp, arith::MinNumFOp, arith::MinSIOp>(
          [&](Operation *) {
            Bounds a = operand(0), b = operand(1);
            return Bounds{std::min(a.least, b.least),
                          std::min(a.greatest, b.greatest)};
          })
      .Case([&](arith::SelectOp) { return both(operand(1), operand(2)); })
      .Case<arith::SIToFPOp, arith::IndexCastOp, arith::ExtSIOp, arith::ExtFOp>(
          [&](Operation *op) {
            // With a sign, true is −1.
            return op->getOperand(0).getType().isInteger(1) ? Bounds{-1, 0}
                                                            : operand(0);
          })
      .Case([&](arith::UIToFPOp) {
        Bounds x = operand(0);
        return x.least < 0 ? unknown : x;
      })
      .Case<math::TanhOp, math::SinOp, math::CosOp, math::ErfOp>(
          [&](Operation *) { return Bounds{-1, 1}; })
      .Case([&](math::ExpOp) { return rising(std::exp); })
      .Case([&](math::Exp2Op) { return rising(std::exp2); })
      .Case<math::SqrtOp, math::Log1pOp, math::LogOp, math::Log2Op>(
          [&](Operation *) {
            Bounds x = operand(0);
            // −∞ at the end of the domain, NaN outside of it.
            double end = isa<math::SqrtOp, math::Log1pOp>(op) ? 0 : 1e-30;
            if (!(x.least >= end))
              return unknown;
            return isa<math::SqrtOp>(op)    ? rising(std::sqrt)
                   : isa<math::Log1pOp>(op) ? rising(std::log1p)
                   : isa<math::LogOp>(op)   ? rising(std::log)
                                            : rising(std::log2);
          })
      .Default([&](Operation *) { return ofType(op->getResult(0).getType()); });
}

Bounds goat::boundsOf(Value value, AttentionOp attention) {
  return Finder(attention).of(value);
}
