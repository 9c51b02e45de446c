//===- AttentionMatch.h - the parts of an attention -------------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matching works on expressions of one element (Element.h), in the variables
// batch, head, query, key and column.
//
//===----------------------------------------------------------------------===//

#ifndef LIB_CONVERSION_LINALGTOGOAT_ATTENTIONMATCH_H
#define LIB_CONVERSION_LINALGTOGOAT_ATTENTIONMATCH_H

#include "Element.h"

#include "goat/Dialect/Goat/IR/GoatDialect.h"

#include <string>

namespace goat::raise {

/// Without conversions between floating-point types.
const Element *withoutCasts(const Element *element);
/// What a product or quotient is a constant multiple of; its constant is
/// multiplied into `constants`. Null for other expressions.
const Element *withoutConstant(const Element *element, double &constants);

/// The condition under which an addend is 0, where it is at most `never`
/// otherwise, in all cases of the few conditions that it depends on. Null for
/// other expressions. `isFinite` is set where the other value is finite.
const Element *whereZero(ElementGraph &graph, const Element *addend,
                         double never, bool &isFinite);

/// A condition in terms of those that it depends on, such as a comparison of a
/// number that is one of two; itself where it depends on anything else.
const Element *byCases(ElementGraph &graph, const Element *condition);

/// How the weights of a row come from its logits.
struct Weights {
  Normalizer normalizer = Normalizer::softmax;
  const Element *logit = nullptr;
  /// A logit that joins the row without a value; null when there is none.
  const Element *sink = nullptr;
  /// The weight before it is divided by their sum, when that is done to the
  /// product with the values; null when it was done before.
  const Element *numerator = nullptr;
};

/// Reads `weight`, as it depends on the variable `key`, as softmax (with or
/// without a maximum taken off, with or without a sink) or sigmoid.
std::optional<Weights> matchWeights(ElementGraph &graph, const Element *weight,
                                    unsigned key);

/// Reads `weight` as a weight of softmax that is not divided by the sum yet.
std::optional<Weights> matchNumerator(ElementGraph &graph,
                                      const Element *weight, unsigned key);

/// Whether `denominator` is the sum of `weights.numerator` over `key`, maybe
/// with that of a sink, which is then put into `weights`.
bool matchDenominator(ElementGraph &graph, const Element *denominator,
                      unsigned key, Weights &weights);

/// 1/x as x; null when the element is none.
const Element *inverted(const Element *element);

/// Whether an expression takes an exponential of something with `key`, as
/// weights do.
bool hasExponential(const Element *element, unsigned key);

/// Variables of an attention. `keyHead` stands for ⌊head / group⌋.
struct Variables {
  unsigned batch, head, query, key, column, depth = 0;
};

/// A tensor, where an attention reads it, and a constant it is multiplied by.
struct Operand {
  mlir::Value tensor;
  llvm::SmallVector<const Element *, 4> indices;
  double factor = 1.0;
};

struct Logits {
  /// The product of query and key, and the logits as a function of it.
  const Element *product = nullptr, *score = nullptr;
  /// Conditions of which all must hold.
  llvm::SmallVector<const Element *> masks;
  /// Whether a mask of finite numbers is part of the score, as it may leave a
  /// row without a key.
  bool keepsFiniteMask = false;
  /// The score is a function of scale·product.
  double scale = 1.0;
  /// What the product's factors read, as `operandsOf` says.
  llvm::SmallVector<Operand> query, key;
  /// How many columns of query and key have become a part of the score.
  int64_t unpackedColumns = 0;
};

/// Takes columns of a prior off query and key, where they are joined from the
/// columns of the content and from those of a sum of A·cos ω(i − j) +
/// B·sin ω(i − j), or single ones: these become a part of the score, the
/// product is one of the content. `factors` are what the product multiplies.
void unpackPrior(ElementGraph &graph, Logits &logits, Variables &variables,
                 llvm::ArrayRef<const Element *> factors);

/// Reads a logit as a function of one product of query and key and of masks.
/// On failure says in `why` what is missing.
std::optional<Logits> matchLogits(ElementGraph &graph, const Element *logit,
                                  Variables &variables, std::string &why);

/// The tensors that a factor of a product reads, the most original first:
/// what a chain of views, widenings and constant factors starts from, then
/// `access` and what it is a view of.
llvm::SmallVector<Operand> operandsOf(ElementGraph &graph,
                                      const Element *factor,
                                      const ElementGraph::Access &access);

} // namespace goat::raise

#endif // LIB_CONVERSION_LINALGTOGOAT_ATTENTIONMATCH_H
