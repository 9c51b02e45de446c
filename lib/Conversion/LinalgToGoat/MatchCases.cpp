//===- MatchCases.cpp - expressions of a few conditions -------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries compute masks: a triangle of −∞ times a comparison, plus another
// mask, compared with 0. Where all of that depends on a few conditions, what it
// is in each case says more than how it is spelled.
//
//===----------------------------------------------------------------------===//

#include "AttentionMatch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;
using namespace goat;
using namespace goat::raise;

namespace {

/// All cases of this many conditions are looked at.
constexpr unsigned mostConditions = 5;

class Cases {
public:
  explicit Cases(ElementGraph &graph) : graph(graph) {}

  /// Finds the conditions that decide `element`; false when something else
  /// does, or too many do.
  bool collect(const Element *element);
  /// The value of `element` in every case; bit k of a case is condition k.
  std::vector<double> valuesOf(const Element *element);
  /// The expression that holds in these cases.
  const Element *where(const std::vector<bool> &holds);

private:
  /// Whether the conditions alone decide the value.
  bool hasCases(const Element *element);
  /// A condition, or its negation.
  struct Literal {
    unsigned condition;
    bool isNegated;
  };
  Literal literalFor(const Element *condition);
  /// A comparison of indices as an expression that is at least 0.
  AffineExpr asAtLeastZero(const Element *comparison);
  double evaluate(const Element *element, unsigned truth,
                  llvm::DenseMap<const Element *, double> &known);
  const Element *constantTrue(Type type) {
    return graph.constant(IntegerAttr::get(type, 1), type);
  }

  ElementGraph &graph;
  llvm::SmallVector<const Element *> conditions;
  llvm::SmallVector<AffineExpr> expressions;
  llvm::DenseMap<const Element *, Literal> literals;
  llvm::SmallPtrSet<const Element *, 16> collected;
  llvm::DenseMap<const Element *, bool> computed;
};

bool isBoolean(const Element *element) { return element->type.isInteger(1); }

/// Ops on booleans and numbers whose value in a case is computed.
bool isComputed(const Element *element) {
  static constexpr llvm::StringLiteral ofBooleans[] = {
      "arith.andi", "arith.ori", "arith.xori"};
  static constexpr llvm::StringLiteral ofAll[] = {
      "arith.select", "arith.cmpf",   "arith.addf",     "arith.subf",
      "arith.mulf",   "arith.negf",   "arith.maximumf", "arith.minimumf",
      "arith.extf",   "arith.truncf", "arith.uitofp",   "arith.sitofp",
      "arith.extui",  "arith.extsi"};
  return llvm::is_contained(ofAll, element->opName()) ||
         (isBoolean(element) &&
          llvm::is_contained(ofBooleans, element->opName()));
}

} // namespace

AffineExpr Cases::asAtLeastZero(const Element *comparison) {
  if (!comparison->is("arith.cmpi") ||
      comparison->operands[0]->kind != ElementKind::index ||
      comparison->operands[1]->kind != ElementKind::index)
    return {};
  AffineExpr a = comparison->operands[0]->index,
             b = comparison->operands[1]->index;
  auto predicate = cast<IntegerAttr>(comparison->attributes.get("predicate"));
  switch (static_cast<arith::CmpIPredicate>(predicate.getInt())) {
  case arith::CmpIPredicate::sge:
    return graph.index(a - b)->index;
  case arith::CmpIPredicate::sgt:
    return graph.index(a - b - 1)->index;
  case arith::CmpIPredicate::sle:
    return graph.index(b - a)->index;
  case arith::CmpIPredicate::slt:
    return graph.index(b - a - 1)->index;
  default:
    return {};
  }
}

Cases::Literal Cases::literalFor(const Element *condition) {
  AffineExpr expression = asAtLeastZero(condition);
  AffineExpr negation =
      expression ? graph.index(-expression - 1)->index : AffineExpr();
  for (auto [k, known] : llvm::enumerate(expressions)) {
    if (expression && known == expression)
      return {unsigned(k), false};
    if (expression && known == negation)
      return {unsigned(k), true};
  }
  conditions.push_back(condition);
  expressions.push_back(expression);
  return {unsigned(conditions.size() - 1), false};
}

bool Cases::hasCases(const Element *element) {
  if (element->kind == ElementKind::constant)
    return isBoolean(element) || element->number();
  // At worst a condition.
  if (isBoolean(element))
    return true;
  auto [known, isNew] = computed.try_emplace(element, false);
  if (!isNew)
    return known->second;
  const bool result =
      isComputed(element) &&
      llvm::all_of(element->operands,
                   [&](const Element *operand) { return hasCases(operand); });
  return computed[element] = result;
}

bool Cases::collect(const Element *element) {
  if (!hasCases(element))
    return false;
  if (!collected.insert(element).second ||
      element->kind == ElementKind::constant)
    return true;
  // A comparison of numbers that are given is a condition itself.
  if (isComputed(element) &&
      llvm::all_of(element->operands,
                   [&](auto *operand) { return hasCases(operand); }))
    return llvm::all_of(element->operands,
                        [&](auto *operand) { return collect(operand); });
  literals.insert({element, literalFor(element)});
  return conditions.size() <= mostConditions;
}

double Cases::evaluate(const Element *element, unsigned truth,
                       llvm::DenseMap<const Element *, double> &known) {
  if (auto found = known.find(element); found != known.end())
    return found->second;
  auto operand = [&](unsigned i) {
    return evaluate(element->operands[i], truth, known);
  };
  double value = 0;
  auto literal = literals.find(element);
  if (literal != literals.end())
    value =
        (truth >> literal->second.condition & 1) != literal->second.isNegated;
  else if (element->kind == ElementKind::constant)
    value = isBoolean(element)
                ? !cast<IntegerAttr>(element->constant).getValue().isZero()
                : *element->number();
  else if (element->is("arith.select"))
    value = operand(0) != 0 ? operand(1) : operand(2);
  else if (element->is("arith.andi"))
    value = operand(0) != 0 && operand(1) != 0;
  else if (element->is("arith.ori"))
    value = operand(0) != 0 || operand(1) != 0;
  else if (element->is("arith.xori"))
    value = operand(0) != operand(1);
  else if (element->is("arith.cmpf")) {
    auto predicate = cast<IntegerAttr>(element->attributes.get("predicate"));
    value = arith::applyCmpPredicate(
        static_cast<arith::CmpFPredicate>(predicate.getInt()),
        APFloat(operand(0)), APFloat(operand(1)));
  } else if (element->is("arith.addf"))
    value = operand(0) + operand(1);
  else if (element->is("arith.subf"))
    value = operand(0) - operand(1);
  else if (element->is("arith.mulf"))
    value = operand(0) * operand(1);
  else if (element->is("arith.negf"))
    value = -operand(0);
  else if (element->is("arith.maximumf"))
    value = std::max(operand(0), operand(1));
  else if (element->is("arith.minimumf"))
    value = std::min(operand(0), operand(1));
  else if (element->is("arith.sitofp") || element->is("arith.extsi"))
    value = isBoolean(element->operands[0]) ? -operand(0) : operand(0);
  else
    value = operand(0);
  // Graphs compute masks in f32 or less.
  if (isa<FloatType>(element->type))
    value = static_cast<float>(value);
  known.insert({element, value});
  return value;
}

std::vector<double> Cases::valuesOf(const Element *element) {
  std::vector<double> values;
  for (unsigned truth = 0; truth < 1u << conditions.size(); ++truth) {
    llvm::DenseMap<const Element *, double> known;
    values.push_back(evaluate(element, truth, known));
  }
  return values;
}

const Element *Cases::where(const std::vector<bool> &holds) {
  Type type = conditions.front()->type;
  auto matters = [&](unsigned k) {
    for (unsigned truth = 0; truth < holds.size(); ++truth)
      if (holds[truth] != holds[truth ^ 1u << k])
        return true;
    return false;
  };
  auto joined = [&](llvm::StringRef op, const Element *a, const Element *b) {
    return a ? graph.operation(op, type, {a, b}) : b;
  };
  auto negated = [&](const Element *element) {
    return graph.operation("arith.xori", type, {element, constantTrue(type)});
  };
  unsigned relevant = 0;
  for (unsigned k = 0; k < conditions.size(); ++k)
    relevant |= matters(k) ? 1u << k : 0;
  // Whichever has fewer cases is spelled out.
  llvm::SmallVector<unsigned> cases[2];
  for (unsigned truth = 0; truth < holds.size(); ++truth)
    if ((truth & ~relevant) == 0)
      cases[holds[truth]].push_back(truth);
  const bool spelled = cases[1].size() <= cases[0].size();
  const Element *any = nullptr;
  for (unsigned truth : cases[spelled]) {
    const Element *all = nullptr;
    for (unsigned k = 0; k < conditions.size(); ++k)
      if (relevant >> k & 1)
        all = joined("arith.andi", all,
                     truth >> k & 1 ? conditions[k] : negated(conditions[k]));
    any = joined("arith.ori", any, all);
  }
  return spelled ? any : negated(any);
}

const Element *raise::whereZero(ElementGraph &graph, const Element *addend,
                                double never, bool &isFinite) {
  Cases cases(graph);
  if (!cases.collect(addend))
    return nullptr;
  std::vector<bool> isZero;
  bool isFiniteHere = false;
  for (double value : cases.valuesOf(addend)) {
    if (value != 0 && !(value <= never))
      return nullptr;
    isZero.push_back(value == 0);
    isFiniteHere |= value != 0 && std::isfinite(value);
  }
  if (llvm::all_equal(isZero))
    return nullptr;
  isFinite |= isFiniteHere;
  return cases.where(isZero);
}

const Element *raise::byCases(ElementGraph &graph, const Element *condition) {
  Cases cases(graph);
  if (!cases.collect(condition))
    return condition;
  std::vector<bool> holds;
  for (double value : cases.valuesOf(condition))
    holds.push_back(value != 0);
  return llvm::all_equal(holds) ? condition : cases.where(holds);
}
