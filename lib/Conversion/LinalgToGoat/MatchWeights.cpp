//===- MatchWeights.cpp - softmax and sigmoid in their spellings ----------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionMatch.h"

#include <cmath>

using namespace mlir;
using namespace goat;
using namespace goat::raise;

namespace {

constexpr double log2e = 1.4426950408889634;

bool isNumber(const Element *element, double value) {
  std::optional<double> number = withoutCasts(element)->number();
  return number && *number == value;
}

/// e^power; null when the element is none.
const Element *powerOf(ElementGraph &graph, const Element *element) {
  element = withoutCasts(element);
  if (element->is("math.exp"))
    return withoutCasts(element->operands[0]);
  if (!element->is("math.exp2"))
    return nullptr;
  // 2^(x·log2 e), when it is spelled so.
  const Element *power = withoutCasts(element->operands[0]);
  if (power->is("arith.mulf"))
    for (unsigned side : {0, 1}) {
      std::optional<double> factor = power->operands[side]->number();
      if (factor && std::abs(*factor - log2e) < 1e-6)
        return withoutCasts(power->operands[1 - side]);
    }
  return nullptr;
}

/// 1 / (1 + e^−t) as t.
const Element *matchSigmoid(ElementGraph &graph, const Element *weight) {
  const Element *denominator = inverted(weight);
  if (!denominator || !denominator->is("arith.addf"))
    return nullptr;
  for (unsigned side : {0, 1}) {
    if (!isNumber(denominator->operands[side], 1.0))
      continue;
    const Element *power = powerOf(graph, denominator->operands[1 - side]);
    if (!power)
      continue;
    if (power->is("arith.negf"))
      return withoutCasts(power->operands[0]);
    return graph.operation("arith.negf", power->type, {power});
  }
  return nullptr;
}

/// x − shift − … as x, when the shifts are of the row.
const Element *unshifted(const Element *power, unsigned key,
                         SmallVectorImpl<const Element *> &shifts) {
  while (power->is("arith.subf") && !power->operands[1]->dependsOn(key)) {
    shifts.push_back(withoutCasts(power->operands[1]));
    power = withoutCasts(power->operands[0]);
  }
  return power;
}

} // namespace

const Element *raise::inverted(const Element *element) {
  element = withoutCasts(element);
  if (element->is("arith.divf") && isNumber(element->operands[0], 1.0))
    return withoutCasts(element->operands[1]);
  return nullptr;
}

const Element *raise::withoutCasts(const Element *element) {
  while (element->is("arith.extf") || element->is("arith.truncf"))
    element = element->operands[0];
  return element;
}

const Element *raise::withoutConstant(const Element *element,
                                      double &constants) {
  if (element->is("arith.mulf"))
    for (unsigned side : {0, 1})
      if (std::optional<double> number = element->operands[side]->number()) {
        constants *= *number;
        return element->operands[1 - side];
      }
  if (element->is("arith.divf"))
    if (std::optional<double> number = element->operands[1]->number()) {
      constants /= *number;
      return element->operands[0];
    }
  return nullptr;
}

bool raise::hasExponential(const Element *element, unsigned key) {
  if (element->kind != ElementKind::operation || !element->dependsOn(key))
    return false;
  // That of a sigmoid or of a softplus is none of weights.
  if (element->is("math.log1p") ||
      (element->is("arith.divf") &&
       withoutCasts(element->operands[0])->number() == 1.0))
    return false;
  return element->is("math.exp") || element->is("math.exp2") ||
         llvm::any_of(element->operands, [&](const Element *operand) {
           return hasExponential(operand, key);
         });
}

std::optional<Weights>
raise::matchWeights(ElementGraph &graph, const Element *weight, unsigned key) {
  weight = withoutCasts(weight);
  if (const Element *logit = matchSigmoid(graph, weight))
    return Weights{Normalizer::sigmoid, logit};

  // numerator / denominator.
  const Element *numerator = nullptr, *denominator = nullptr;
  if (weight->is("arith.divf")) {
    numerator = weight->operands[0];
    denominator = withoutCasts(weight->operands[1]);
  } else if (weight->is("arith.mulf")) {
    for (unsigned side : {0, 1})
      if (const Element *inverse = inverted(weight->operands[side])) {
        numerator = weight->operands[1 - side];
        denominator = inverse;
      }
  }
  if (!numerator || denominator->dependsOn(key))
    return std::nullopt;
  numerator = withoutCasts(numerator);
  const Element *power = powerOf(graph, numerator);
  if (!power)
    return std::nullopt;

  Weights weights;
  weights.numerator = numerator;
  SmallVector<const Element *, 2> shifts;
  weights.logit = unshifted(power, key, shifts);
  if (!matchDenominator(graph, denominator, key, weights))
    return std::nullopt;
  weights.numerator = nullptr;
  return weights;
}

std::optional<Weights> raise::matchNumerator(ElementGraph &graph,
                                             const Element *weight,
                                             unsigned key) {
  weight = withoutCasts(weight);
  const Element *power = powerOf(graph, weight);
  if (!power)
    return std::nullopt;
  Weights weights;
  SmallVector<const Element *, 2> shifts;
  weights.logit = unshifted(power, key, shifts);
  weights.numerator = weight;
  return weights;
}

bool raise::matchDenominator(ElementGraph &graph, const Element *denominator,
                             unsigned key, Weights &weights) {
  // The sum of the numerators, and maybe e^(sink − shifts).
  SmallVector<const Element *, 2> shifts;
  unshifted(powerOf(graph, weights.numerator), key, shifts);
  auto matchSink = [&](const Element *extra) {
    SmallVector<const Element *, 2> extraShifts;
    const Element *sink = extra ? unshifted(extra, key, extraShifts) : nullptr;
    // Without shifts the sink may itself be a difference.
    if (sink && shifts.empty())
      sink = extra;
    else if (extraShifts != shifts)
      return false;
    weights.sink = sink;
    return sink != nullptr;
  };
  denominator = withoutCasts(denominator);
  const Element *sum = denominator;
  if (sum->is("arith.addf"))
    for (unsigned side : {0, 1})
      if (matchSink(powerOf(graph, denominator->operands[side]))) {
        sum = withoutCasts(denominator->operands[1 - side]);
        break;
      }
  if (!sum->isReduction(Combiner::add))
    return false;
  ReductionBody body = graph.bodyOf(sum);
  int64_t keys = graph.sizeOf(key);
  if (!body.element || body.variables.size() != 1 ||
      ShapedType::isDynamic(keys) !=
          ShapedType::isDynamic(graph.sizeOf(body.variables[0])))
    return false;
  int64_t terms = graph.sizeOf(body.variables[0]);
  const Element *summed = graph.substitute(
      body.element, {{body.variables[0], graph.variable(key)}});
  if (terms == keys + 1 && !weights.sink && !ShapedType::isDynamic(keys)) {
    // The sink's logit is joined to those of the keys.
    summed = graph.bodyAt(sum, {graph.variable(key)});
    const Element *last = graph.bodyAt(
        sum,
        {graph.index(getAffineConstantExpr(keys, sum->type.getContext()))});
    if (!summed || !last || !matchSink(powerOf(graph, last)))
      return false;
  } else if (terms != keys) {
    return false;
  }
  return graph.areEquivalent(withoutCasts(summed), weights.numerator);
}
