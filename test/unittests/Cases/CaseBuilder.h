//===- CaseBuilder.h - layers as text, tensors by formulas ------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files of cases write their layers, inputs and answers with.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_TEST_UNITTESTS_CASES_CASEBUILDER_H
#define GOAT_TEST_UNITTESTS_CASES_CASEBUILDER_H

#include "Cases.h"

#include <functional>
#include <limits>

namespace goat::cases {

constexpr double unrecorded = std::numeric_limits<double>::quiet_NaN();
constexpr double minusInfinity = -std::numeric_limits<double>::infinity();

extern const char *const causalMask;

/// Sizes of a layer and the parts of its text that differ between cases.
struct Layer {
  int64_t batch = 1, queryHeads = 1, keyHeads = 1;
  int64_t queryLength = 1, keyLength = 1;
  /// The case's own head dimensions, and those of the tensors.
  int64_t ownDim = 1, ownValueDim = 1, headDim = 1, valueDim = 1;
  /// An f32 attribute.
  float scale = 1.0f;
  /// ", %name: type" per further parameter.
  std::string parameters;
  /// Optional operands of goat.attention.
  std::string operands;
  std::string regions;
  /// ", name = value" per attribute beside the scale.
  std::string attributes;
};

/// A layer whose own head dimension, of queries and values, is `ownDim`.
Layer makeLayer(const Variant &variant, int64_t ownDim);

std::string layerText(const Variant &variant, const Layer &layer);

/// Puts the row's size into regions that call it ROW.
void nameRows(Layer &layer);

using Element =
    std::function<double(int64_t b, int64_t h, int64_t row, int64_t d)>;

/// A (B, H, L, D) tensor; lanes past `ownDim` are 0.
reference::Tensor tokens(int64_t batch, int64_t heads, int64_t length,
                         int64_t ownDim, int64_t headDim,
                         const Element &element);

inline double zero(int64_t, int64_t, int64_t, int64_t) { return 0.0; }
inline double rowNumber(int64_t, int64_t, int64_t row, int64_t) {
  return static_cast<double>(row);
}

using RowAnswer = std::function<double(int64_t b, int64_t h, int64_t i)>;

/// The case of a layer with these inputs and answers.
Case makeCase(std::string name, const Variant &variant, const Layer &layer,
              const Element &query, const Element &key, const Element &value,
              const Element &out, const RowAnswer &lse);

std::string rowType(const Layer &layer);

/// An exclude region of goat.xsa; `attributes` in braces.
std::string xsaRegion(const Layer &layer, const std::string &attributes = "");

} // namespace goat::cases

#endif // GOAT_TEST_UNITTESTS_CASES_CASEBUILDER_H
