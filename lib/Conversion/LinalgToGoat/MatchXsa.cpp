//===- MatchXsa.cpp - exclusive self attention in its spellings -----------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is taken off a row is read as a product of powers, so that v̂ = v/‖v‖
// used twice, (y·v)/‖v‖² and 1/√(‖v‖² + ε) squared are the same thing.
//
//===----------------------------------------------------------------------===//

#include "ExclusionMatch.h"

#include <cmath>
#include <map>

using namespace mlir;
using namespace goat;
using namespace goat::raise;

namespace {

enum class Base { row, own, rowOwn, squaredNorm, clamped, added, other };

/// What a power is taken of; eps belongs to `clamped` and `added`.
struct Factor {
  Base base;
  double eps = 0.0;
  const Element *element = nullptr;
  bool operator<(const Factor &than) const {
    return std::tie(base, eps, element) <
           std::tie(than.base, than.eps, than.element);
  }
};

/// A product of powers and a coefficient. Powers are counted in halves.
struct Monomial {
  std::map<Factor, int> powers;
  double coefficient = 1.0;

  void multiply(const Factor &factor, int halves) {
    int &power = powers[factor];
    power += halves;
    if (power == 0)
      powers.erase(factor);
  }
  bool isExactly(Base base, int halves) const {
    return coefficient == 1.0 && powers.size() == 1 &&
           powers.begin()->first.base == base &&
           powers.begin()->second == halves;
  }
};

class Reader {
public:
  Reader(ElementGraph &graph, const Element *row, ArrayRef<const Element *> own,
         unsigned column)
      : graph(graph), row(row), own(own), column(column) {}

  /// Multiplies `into` by element^(halves/2); false when a coefficient has no
  /// such power.
  bool read(const Element *element, int halves, Monomial &into);

private:
  bool readSum(const Element *element, int halves, Monomial &into);
  bool readGuard(const Element *element, int halves, Monomial &into);
  bool scale(double by, int halves, Monomial &into) {
    if (by < 0 && halves % 2)
      return false;
    into.coefficient *=
        halves % 2 ? std::pow(by, halves / 2.0) : std::pow(by, halves / 2);
    return true;
  }

  ElementGraph &graph;
  const Element *row;
  ArrayRef<const Element *> own;
  unsigned column;
};

bool Reader::read(const Element *element, int halves, Monomial &into) {
  element = withoutCasts(element);
  if (element == row) {
    into.multiply({Base::row}, halves);
    return true;
  }
  if (llvm::is_contained(own, element)) {
    into.multiply({Base::own}, halves);
    return true;
  }
  if (std::optional<double> number = element->number())
    return *number != 0.0 && scale(*number, halves, into);
  if (element->is("arith.mulf"))
    return read(element->operands[0], halves, into) &&
           read(element->operands[1], halves, into);
  if (element->is("arith.divf"))
    return read(element->operands[0], halves, into) &&
           read(element->operands[1], -halves, into);
  if (element->is("arith.negf"))
    return scale(-1.0, halves, into) &&
           read(element->operands[0], halves, into);
  if (element->is("math.sqrt") && halves % 2 == 0)
    return read(element->operands[0], halves / 2, into);
  if (element->is("math.rsqrt") && halves % 2 == 0)
    return read(element->operands[0], -halves / 2, into);
  if (element->is("math.absf") && halves % 4 == 0)
    return read(element->operands[0], halves, into);
  if (element->is("math.powf") || element->is("math.fpowi")) {
    const Element *exponent = withoutCasts(element->operands[1]);
    std::optional<double> power = exponent->number();
    if (exponent->kind == ElementKind::index)
      if (auto constant = dyn_cast<AffineConstantExpr>(exponent->index))
        power = constant.getValue();
    if (power && *power * halves == std::floor(*power * halves))
      return read(element->operands[0], static_cast<int>(*power * halves),
                  into);
  }
  if (element->isReduction(Combiner::add) && readSum(element, halves, into))
    return true;
  if (readGuard(element, halves, into))
    return true;
  into.multiply({Base::other, 0.0, element}, halves);
  return true;
}

/// Σ over the row of c·y·v or c·v²: c comes out.
bool Reader::readSum(const Element *element, int halves, Monomial &into) {
  ReductionBody body = graph.bodyOf(element);
  if (!body.element || body.variables.size() != 1 ||
      graph.sizeOf(body.variables[0]) != graph.sizeOf(column))
    return false;
  Monomial summand;
  if (!read(graph.substitute(body.element,
                             {{body.variables[0], graph.variable(column)}}),
            2, summand))
    return false;
  int rows = 0, owns = 0;
  Monomial constant;
  constant.coefficient = summand.coefficient;
  for (const auto &[factor, power] : summand.powers) {
    if (factor.base == Base::row)
      rows = power;
    else if (factor.base == Base::own)
      owns = power;
    else if (factor.base == Base::other && factor.element->dependsOn(column))
      return false;
    else
      constant.powers[factor] = power;
  }
  bool isInner = rows == 2 && owns == 2, isNorm = rows == 0 && owns == 4;
  if ((!isInner && !isNorm) || !scale(constant.coefficient, halves, into))
    return false;
  for (const auto &[factor, power] : constant.powers) {
    if (power * halves % 2)
      return false;
    into.multiply(factor, power * halves / 2);
  }
  into.multiply({isInner ? Base::rowOwn : Base::squaredNorm}, halves);
  return true;
}

/// max(‖v‖², ε), max(‖v‖, √ε), ‖v‖² + ε.
bool Reader::readGuard(const Element *element, int halves, Monomial &into) {
  bool isMaximum =
      element->is("arith.maximumf") || element->is("arith.maxnumf");
  if (!isMaximum && !element->is("arith.addf"))
    return false;
  for (unsigned side : {0, 1}) {
    std::optional<double> eps = withoutCasts(element->operands[side])->number();
    Monomial guarded;
    if (!eps || *eps <= 0.0 || !read(element->operands[1 - side], 2, guarded))
      continue;
    if (guarded.isExactly(Base::squaredNorm, 2)) {
      into.multiply({isMaximum ? Base::clamped : Base::added, *eps}, halves);
      return true;
    }
    if (isMaximum && guarded.isExactly(Base::squaredNorm, 1) &&
        halves % 2 == 0) {
      into.multiply({Base::clamped, *eps * *eps}, halves / 2);
      return true;
    }
  }
  return false;
}

} // namespace

std::optional<Xsa> raise::matchXsa(ElementGraph &graph, const Element *result,
                                   const Element *row,
                                   ArrayRef<const Element *> own,
                                   unsigned column) {
  result = withoutCasts(result);
  const Element *taken = nullptr;
  double sign = 1.0;
  if (result->is("arith.subf") && withoutCasts(result->operands[0]) == row) {
    taken = result->operands[1];
  } else if (result->is("arith.addf")) {
    for (unsigned side : {0, 1})
      if (withoutCasts(result->operands[side]) == row) {
        taken = result->operands[1 - side];
        sign = -1.0;
      }
  }
  Monomial product;
  if (!taken || !Reader(graph, row, own, column).read(taken, 2, product))
    return std::nullopt;

  Xsa xsa;
  bool hasOwn = false, hasInner = false, hasNorm = false;
  const Element *strength = nullptr;
  auto multiplyStrength = [&](const Element *by) {
    strength =
        strength ? graph.operation("arith.mulf", by->type, {strength, by}) : by;
  };
  for (const auto &[factor, halves] : product.powers) {
    switch (factor.base) {
    case Base::own:
      hasOwn = halves == 2;
      break;
    case Base::rowOwn:
      hasInner = halves == 2;
      break;
    case Base::squaredNorm:
    case Base::clamped:
    case Base::added:
      if (hasNorm || halves != -2)
        return std::nullopt;
      hasNorm = true;
      xsa.mode = factor.base == Base::clamped ? EpsMode::clamp
                 : factor.base == Base::added ? EpsMode::add
                                              : EpsMode::where;
      xsa.eps = factor.eps;
      break;
    case Base::row:
      return std::nullopt;
    case Base::other:
      if (halves != 2 || factor.element->dependsOn(column))
        return std::nullopt;
      multiplyStrength(factor.element);
      break;
    }
  }
  if (!hasOwn || !hasInner || !hasNorm)
    return std::nullopt;
  double coefficient = sign * product.coefficient;
  if (coefficient != 1.0)
    multiplyStrength(graph.constant(
        FloatAttr::get(Float32Type::get(row->type.getContext()), coefficient),
        Float32Type::get(row->type.getContext())));
  xsa.strength = strength;
  // An attribute of the op has to be positive; `where` has no use for it.
  if (xsa.mode == EpsMode::where)
    xsa.eps = 1e-12;
  // What f32 has no number for would be no guard.
  if (static_cast<float>(xsa.eps) <= 0.0f)
    return std::nullopt;
  return xsa;
}
