//===- MatchLogits.cpp - product, score and masks of a logit --------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionMatch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace goat;
using namespace goat::raise;

namespace {

/// A finite number this low is meant as −∞: any sum with a logit keeps it far
/// below every other.
constexpr double meantAsNever = -1e9;

/// The same in a type, which may have no number as low: there it is the least.
double neverOf(Type type) { return type.isF16() ? -65504.0 : meantAsNever; }

bool isNever(const Element *element, bool &isFinite) {
  element = withoutCasts(element);
  std::optional<double> number = element->number();
  if (!number || *number > neverOf(element->type))
    return false;
  isFinite |= !std::isinf(*number);
  return true;
}

class LogitMatcher {
public:
  LogitMatcher(ElementGraph &graph, Variables &variables)
      : graph(graph), variables(variables) {}

  void collectProducts(const Element *element);
  void splitMasks(Logits &logits);
  /// The product that is query times key: shorter ones, such as of what
  /// rotates, are part of the score. Null, and why, when there is no longest
  /// one.
  const Element *longestProduct(std::string &why);
  /// The score as a function of scale·product, with the scale taken out.
  void takeScale(Logits &logits);

  llvm::SmallSetVector<const Element *, 2> products;

private:
  bool isProduct(const Element *element);
  const Element *negation(const Element *condition);
  /// The condition under which an addend is 0, else never; null when it is
  /// something else.
  const Element *additiveMask(const Element *addend, bool &isFinite);
  /// A score without one of the masks that are selected into it or added;
  /// `condition` is where it holds. Null when there is none.
  const Element *withoutMask(const Element *score, const Element *&condition,
                             bool &isFinite);
  /// Moves masks from a score to `logits.masks`, those of finite numbers only
  /// if wanted; false when those may leave a row without a key.
  bool takeMasks(Logits &logits, const Element *score, bool takesFinite);
  /// Whether the condition holds for one key of every query.
  bool admitsSomeKey(const Element *condition);
  std::optional<bool> decide(const Element *condition);
  bool isOnlyScaled(const Element *element, const Element *product,
                    std::optional<double> &factor,
                    llvm::SmallPtrSetImpl<const Element *> &done);
  /// Whether a condition depends on the score, which a mask cannot.
  bool readsReduction(const Element *condition);

  ElementGraph &graph;
  Variables &variables;
  llvm::SmallPtrSet<const Element *, 16> seen;
};

bool LogitMatcher::isProduct(const Element *element) {
  // The index of one query is a constant of the expressions.
  bool isOneQuery = graph.sizeOf(variables.query) == 1;
  if (!element->isReduction(Combiner::add) ||
      (!element->dependsOn(variables.query) && !isOneQuery) ||
      !element->dependsOn(variables.key))
    return false;
  ReductionBody body = graph.bodyOf(element);
  if (!body.element || body.variables.size() != 1)
    return false;
  const Element *factors = withoutCasts(body.element);
  if (!factors->is("arith.mulf"))
    return false;
  // A factor of each; a sum over features of their distance is a prior.
  const Element *left = factors->operands[0], *right = factors->operands[1];
  if (isOneQuery)
    return left->dependsOn(variables.key) != right->dependsOn(variables.key);
  return left->dependsOn(variables.query) != left->dependsOn(variables.key) &&
         right->dependsOn(variables.query) != right->dependsOn(variables.key) &&
         left->dependsOn(variables.query) != right->dependsOn(variables.query);
}

void LogitMatcher::collectProducts(const Element *element) {
  if (!seen.insert(element).second)
    return;
  if (isProduct(element)) {
    products.insert(element);
    return;
  }
  if (element->kind == ElementKind::operation)
    for (const Element *operand : element->operands)
      collectProducts(operand);
}

const Element *LogitMatcher::longestProduct(std::string &why) {
  const Element *longest = nullptr;
  int64_t most = 0;
  for (const Element *product : products) {
    int64_t terms = graph.sizeOf(graph.bodyOf(product).variables.front());
    // What is not known may be any number.
    if (products.size() > 1 && ShapedType::isDynamic(terms)) {
      longest = nullptr;
      break;
    }
    if (terms == most)
      longest = nullptr;
    if (!ShapedType::isDynamic(terms) && terms <= most)
      continue;
    longest = product;
    most = terms;
  }
  if (!longest)
    why = "expected logits from one product of query and key but got " +
          std::to_string(products.size()) +
          (products.empty() ? "" : ", none of them longer than the others");
  return longest;
}

const Element *LogitMatcher::negation(const Element *condition) {
  Type i1 = condition->type;
  return graph.operation(
      "arith.xori", i1,
      {condition, graph.constant(IntegerAttr::get(i1, 1), i1)});
}

const Element *LogitMatcher::additiveMask(const Element *addend,
                                          bool &isFinite) {
  addend = withoutCasts(addend);
  if (const Element *condition =
          whereZero(graph, addend, neverOf(addend->type), isFinite))
    return condition;
  if (!addend->is("arith.select"))
    return nullptr;
  auto isZero = [](const Element *element) {
    std::optional<double> number = withoutCasts(element)->number();
    return number && *number == 0.0;
  };
  // However many conditions decide.
  if (isZero(addend->operands[1]) && isNever(addend->operands[2], isFinite))
    return addend->operands[0];
  if (isZero(addend->operands[2]) && isNever(addend->operands[1], isFinite))
    return negation(addend->operands[0]);
  return nullptr;
}

std::optional<bool> LogitMatcher::decide(const Element *condition) {
  if (condition->kind == ElementKind::constant)
    if (auto known = dyn_cast<IntegerAttr>(condition->constant))
      return !known.getValue().isZero();
  if (condition->kind != ElementKind::operation)
    return std::nullopt;
  if (condition->is("arith.andi") || condition->is("arith.ori")) {
    bool isAnd = condition->is("arith.andi");
    bool allKnown = true;
    for (const Element *operand : condition->operands) {
      std::optional<bool> part = decide(operand);
      if (part && *part != isAnd)
        return *part;
      allKnown &= part.has_value();
    }
    return allKnown ? std::optional(isAnd) : std::nullopt;
  }
  if (condition->is("arith.xori")) {
    std::optional<bool> a = decide(condition->operands[0]),
                        b = decide(condition->operands[1]);
    return a && b ? std::optional(*a != *b) : std::nullopt;
  }
  if (!condition->is("arith.cmpi"))
    return std::nullopt;
  auto predicate = static_cast<arith::CmpIPredicate>(
      cast<IntegerAttr>(condition->attributes.get("predicate")).getInt());
  // Equal expressions are one node.
  if (condition->operands[0] == condition->operands[1])
    return predicate == arith::CmpIPredicate::eq ||
           predicate == arith::CmpIPredicate::sge ||
           predicate == arith::CmpIPredicate::sle ||
           predicate == arith::CmpIPredicate::uge ||
           predicate == arith::CmpIPredicate::ule;
  if (condition->operands[0]->kind != ElementKind::index ||
      condition->operands[1]->kind != ElementKind::index)
    return std::nullopt;
  auto leastOf = [&](AffineExpr e) -> std::optional<int64_t> {
    if (auto constant = dyn_cast<AffineConstantExpr>(e))
      return constant.getValue();
    // A sum of terms none of which is negative is at least 0.
    bool hasNegative = false;
    e.walk([&](AffineExpr part) {
      if (auto constant = dyn_cast<AffineConstantExpr>(part))
        hasNegative |= constant.getValue() < 0;
    });
    return hasNegative ? std::nullopt : std::optional<int64_t>(0);
  };
  AffineExpr a = condition->operands[0]->index,
             b = condition->operands[1]->index;
  std::optional<int64_t> up = leastOf(graph.index(a - b)->index),
                         down = leastOf(graph.index(b - a)->index);
  switch (predicate) {
  case arith::CmpIPredicate::sge:
  case arith::CmpIPredicate::uge:
    if (up && *up >= 0)
      return true;
    return down && *down > 0 ? std::optional(false) : std::nullopt;
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::ugt:
    if (up && *up > 0)
      return true;
    return down && *down >= 0 ? std::optional(false) : std::nullopt;
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::ule:
    if (down && *down >= 0)
      return true;
    return up && *up > 0 ? std::optional(false) : std::nullopt;
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::ult:
    if (down && *down > 0)
      return true;
    return up && *up >= 0 ? std::optional(false) : std::nullopt;
  case arith::CmpIPredicate::eq:
  case arith::CmpIPredicate::ne:
    return std::nullopt;
  }
  return std::nullopt;
}

bool LogitMatcher::admitsSomeKey(const Element *condition) {
  const Element *first =
      graph.index(getAffineConstantExpr(0, condition->type.getContext()));
  if (decide(graph.substitute(condition, {{variables.key, first}}))
          .value_or(false))
    return true;
  // The query's own row, where there is one for every query.
  int64_t queries = graph.sizeOf(variables.query),
          keys = graph.sizeOf(variables.key);
  return !ShapedType::isDynamic(queries) && !ShapedType::isDynamic(keys) &&
         queries <= keys &&
         decide(
             graph.substitute(
                 condition, {{variables.key, graph.variable(variables.query)}}))
             .value_or(false);
}

const Element *LogitMatcher::withoutMask(const Element *score,
                                         const Element *&condition,
                                         bool &isFinite) {
  if (score->is("arith.select")) {
    if (isNever(score->operands[2], isFinite)) {
      condition = score->operands[0];
      return score->operands[1];
    }
    if (isNever(score->operands[1], isFinite)) {
      condition = negation(score->operands[0]);
      return score->operands[2];
    }
    return nullptr;
  }
  if (!score->is("arith.addf"))
    return nullptr;
  for (unsigned side : {0, 1})
    if ((condition = additiveMask(score->operands[side], isFinite)))
      return score->operands[1 - side];
  for (unsigned side : {0, 1})
    if (const Element *rest =
            withoutMask(score->operands[side], condition, isFinite)) {
      const Element *other = score->operands[1 - side];
      return graph.operation(*score->name, score->attributes, score->type,
                             side == 0 ? ArrayRef{rest, other}
                                       : ArrayRef{other, rest});
    }
  return nullptr;
}

void LogitMatcher::splitMasks(Logits &logits) {
  const Element *whole = withoutCasts(logits.score);
  // Under a finite number a row that sees nothing is an average, over keys that
  // any of the finite masks hides; they are masks only where all masks together
  // leave every row a key, and a part of the score, all of them, elsewhere.
  if (takeMasks(logits, whole, /*takesFinite=*/true))
    return;
  logits.masks.clear();
  logits.keepsFiniteMask = true;
  takeMasks(logits, whole, /*takesFinite=*/false);
}

bool LogitMatcher::takeMasks(Logits &logits, const Element *score,
                             bool takesFinite) {
  const Element *all = nullptr;
  bool hasFinite = false;
  while (true) {
    bool isFinite = false;
    const Element *condition = nullptr;
    const Element *rest = withoutMask(score, condition, isFinite);
    if (!rest || readsReduction(condition) || (isFinite && !takesFinite))
      break;
    hasFinite |= isFinite;
    condition = byCases(graph, condition);
    all = all ? graph.operation("arith.andi", condition->type, {all, condition})
              : condition;
    logits.masks.push_back(condition);
    score = withoutCasts(rest);
  }
  logits.score = score;
  return !hasFinite || admitsSomeKey(all);
}

bool LogitMatcher::readsReduction(const Element *condition) {
  return condition->kind == ElementKind::reduction ||
         (condition->kind == ElementKind::operation &&
          llvm::any_of(condition->operands, [&](const Element *operand) {
            return readsReduction(operand);
          }));
}

/// Whether `element` reaches the product only through multiplications by one
/// constant.
bool LogitMatcher::isOnlyScaled(const Element *element, const Element *product,
                                std::optional<double> &factor,
                                llvm::SmallPtrSetImpl<const Element *> &done) {
  if (element->kind != ElementKind::operation)
    return element != product;
  if (!done.insert(element).second)
    return true;
  for (auto [side, operand] : llvm::enumerate(element->operands)) {
    if (withoutCasts(operand) != product) {
      if (!isOnlyScaled(operand, product, factor, done))
        return false;
      continue;
    }
    std::optional<double> constant;
    if (element->is("arith.mulf"))
      constant = withoutCasts(element->operands[1 - side])->number();
    else if (element->is("arith.divf") && side == 0) {
      constant = withoutCasts(element->operands[1])->number();
      if (constant)
        constant = 1.0 / *constant;
    }
    if (!constant || (factor && *factor != *constant))
      return false;
    factor = constant;
  }
  return true;
}

void LogitMatcher::takeScale(Logits &logits) {
  std::optional<double> factor;
  llvm::SmallPtrSet<const Element *, 16> done;
  if (logits.score == logits.product ||
      !isOnlyScaled(logits.score, logits.product, factor, done) || !factor)
    return;
  logits.scale *= *factor;
  // scale·product becomes the product: the multiplications go.
  llvm::DenseMap<const Element *, const Element *> known;
  auto rebuild = [&](auto &self, const Element *element) -> const Element * {
    if (element->kind != ElementKind::operation)
      return element;
    if (auto found = known.find(element); found != known.end())
      return found->second;
    const Element *&result = known[element];
    if (element->is("arith.mulf") || element->is("arith.divf"))
      for (const Element *operand : element->operands)
        if (withoutCasts(operand) == logits.product)
          return result = logits.product;
    SmallVector<const Element *> operands;
    for (const Element *operand : element->operands)
      operands.push_back(self(self, operand));
    return known[element] = graph.operation(*element->name, element->attributes,
                                            element->type, operands);
  };
  logits.score = rebuild(rebuild, logits.score);
}

} // namespace

SmallVector<Operand> raise::operandsOf(ElementGraph &graph,
                                       const Element *factor,
                                       const ElementGraph::Access &access) {
  SmallVector<Operand> operands;
  double constants = 1.0;
  const Element *origin = factor;
  while (origin->kind == ElementKind::operation) {
    const Element *next = origin->is("arith.extf")
                              ? origin->operands[0]
                              : withoutConstant(origin, constants);
    if (!next)
      break;
    origin = next;
  }
  if (origin->kind == ElementKind::load ||
      origin->kind == ElementKind::reduction)
    operands.push_back({origin->value, origin->operands, constants});
  SmallVector<ElementGraph::Access> views = {access};
  while (std::optional<ElementGraph::Access> source =
             graph.sourceOf(views.back()))
    views.push_back(*source);
  for (const ElementGraph::Access &view : llvm::reverse(views))
    operands.push_back({view.tensor, view.indices, 1.0});
  return operands;
}

std::optional<Logits> raise::matchLogits(ElementGraph &graph,
                                         const Element *logit,
                                         Variables &variables,
                                         std::string &why) {
  LogitMatcher matcher(graph, variables);
  Logits logits;
  logits.score = logit;
  matcher.splitMasks(logits);
  matcher.collectProducts(logits.score);
  logits.product = matcher.longestProduct(why);
  if (!logits.product)
    return std::nullopt;
  matcher.takeScale(logits);

  // The factor with the query and the one with the key.
  ReductionBody body = graph.bodyOf(logits.product);
  variables.depth = body.variables.front();
  const Element *factors = withoutCasts(body.element);
  // What is shared by heads is read by repetition, too.
  SmallVector<ElementGraph::Access> accesses;
  for (ElementGraph::Access &input : graph.inputsOf(logits.product)) {
    std::optional<ElementGraph::Access> view = std::move(input);
    for (; view; view = graph.sourceOf(accesses.back()))
      accesses.push_back(*view);
  }
  for (unsigned side : {0, 1}) {
    const Element *factor = factors->operands[side];
    bool isKey = factor->dependsOn(variables.key), isQuery = !isKey;
    bool readsIndex = isKey || graph.sizeOf(variables.query) != 1;
    auto access = llvm::find_if(accesses, [&](const auto &candidate) {
      bool readsQuery = false, readsKey = false;
      for (const Element *at : candidate.indices) {
        readsQuery |= at->dependsOn(variables.query);
        readsKey |= at->dependsOn(variables.key);
      }
      return readsQuery == (isQuery && readsIndex) && readsKey == isKey;
    });
    if (access == accesses.end()) {
      why = "expected a factor of the query and one of the key";
      return std::nullopt;
    }
    (isQuery ? logits.query : logits.key) = operandsOf(graph, factor, *access);
  }
  unpackPrior(graph, logits, variables, factors->operands);
  return logits;
}
