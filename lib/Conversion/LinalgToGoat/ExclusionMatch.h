//===- ExclusionMatch.h - what a graph does to finished rows ----*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIB_CONVERSION_LINALGTOGOAT_EXCLUSIONMATCH_H
#define LIB_CONVERSION_LINALGTOGOAT_EXCLUSIONMATCH_H

#include "AttentionMatch.h"

namespace goat::raise {

/// y − a·(y·v)·inv·v, as goat.xsa says it.
struct Xsa {
  EpsMode mode = EpsMode::clamp;
  double eps = 0.0;
  /// a; null for 1.
  const Element *strength = nullptr;
};

struct Exclusion {
  /// What is computed, where it stands, and its indices in the variables of
  /// the attention.
  const Element *result = nullptr;
  Operand at;
  /// The attention's row in it, and the spellings of the own value row.
  const Element *row = nullptr;
  llvm::SmallVector<const Element *, 2> own;
  std::optional<Xsa> xsa;
};

/// `product` (weights times values) divided by the sum of its weights, as `row`
/// of what is given back; `weights` has their numerator.
std::optional<Exclusion> matchQuotient(ElementGraph &graph,
                                       const Element *product,
                                       const Variables &variables,
                                       Weights &weights);

/// The last tensor that is a function of one `row`, which is computed from
/// `product` (the weights times the values), and of the same token's row of
/// `values`, which it reads.
std::optional<Exclusion>
matchExclusion(ElementGraph &graph, const Element *product, const Element *row,
               llvm::ArrayRef<Operand> values, const Variables &variables);

/// Reads a function of `row` and `own` as exclusive self attention, however
/// its quotients and norms are spelled.
std::optional<Xsa> matchXsa(ElementGraph &graph, const Element *result,
                            const Element *row,
                            llvm::ArrayRef<const Element *> own,
                            unsigned column);

} // namespace goat::raise

#endif // LIB_CONVERSION_LINALGTOGOAT_EXCLUSIONMATCH_H
