//===- Cases.h - attention layers with known answers ------------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs at which attention kernels are known to go wrong, each with its right
// answer, worked out in closed form or in double precision without this
// project's code. Every backend is tested on the same table.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_TEST_UNITTESTS_CASES_CASES_H
#define GOAT_TEST_UNITTESTS_CASES_CASES_H

#include "goat/Reference/Reference.h"

#include <string>
#include <vector>

namespace goat::cases {

/// What a backend can run.
struct Variant {
  /// Element type of query, key, value and out: f32, f16 or bf16. The inputs
  /// are exact in each, but for alibiDecode's values in bf16.
  std::string element = "f32";
  /// Head dimension; 0 for the case's own. Where it is larger than the case's
  /// own, the other lanes of query, key and value are 0.
  int64_t headDim = 0;
  /// Whether batch and lengths are `?` in the function's types.
  bool dynamicSizes = false;
};

struct Case {
  std::string name;
  /// A module whose one function is @attention.
  std::string text;
  std::vector<reference::Tensor> arguments;
  /// One per result, out first and then lse. NaN where no answer is recorded.
  std::vector<reference::Tensor> expected;
  /// Whether the answers have six decimals only; otherwise they are exact.
  bool sixDecimals = false;
};

/// The n-th value of a fixed pseudo-random sequence of multiples of 1/32 in
/// [−1, 1), exact in f16 and bf16.
double generate(uint32_t seed, uint32_t n);

/// A row that sees no key, alone (batch 1) or beside one that sees it (batch
/// 2, where batch entry 0 is the masked one). Own D 2.
Case maskedRow(const Variant &variant, int64_t batch);
/// k_lengths 1 and 3 of 3; `padding` fills the keys and values past them. Own
/// D 64.
Case unreadKeys(const Variant &variant, double padding);
/// Causal with a prior that grows with the distance. `length` 17 or 33. Own D
/// 8.
Case raggedPrior(const Variant &variant, int64_t length);
/// Causal average of 0, 1, 2, …: out_i = i/2, lse_i = ln(i + 1). Own D 1.
Case causalAverage(const Variant &variant, int64_t length);
/// The last four keys, with a mask of plain ops: a row sees nothing of the
/// first tiles of keys. Own D 1.
Case lateWindow(const Variant &variant, float scale);
/// A prior of −3.4e38 everywhere, which is not a mask: the values' average. Own
/// D 1.
Case nothingButMinusInfinity(const Variant &variant, float scale);
/// z = y + own, where row 0 sees no key: it is 0 all the same. Own D 2.
Case exclusionOfMaskedRow(const Variant &variant);
/// z = y·y for three queries and one key: every row, although two have no value
/// of their own. Own D 1.
Case exclusionWithoutOwn(const Variant &variant);
/// One query, four keys, all ones: lse = √D + ln 4. Head dimension given. The
/// value dimension is 2, or the head dimension with `wideValue`.
Case headDimension(const Variant &variant, int64_t headDim, bool wideValue);
/// Every value row of a key head is its number plus one. Own D 1.
Case headGroups(const Variant &variant, int64_t queryHeads, int64_t keyHeads);
/// Causal, α = .5, β = −.25, ω = .7. Own D 1.
Case fourier(const Variant &variant);
/// One query, 300 keys, slope 1 through plain ops. Own D 1. bf16 cannot hold
/// the values.
Case alibiDecode(const Variant &variant);
/// XSA with y ∥ v in row 0 and in part in row 1. Own D 2.
Case xsaParallel(const Variant &variant);
/// XSA with a zero value row. Own D 4.
Case xsaZeroValue(const Variant &variant);
/// XSA on large values, all equal: ‖v‖² overflows f16. Own D 64.
Case xsaLarge(const Variant &variant);
/// XSA with six query heads on two key heads. Own D 2.
Case xsaGroups(const Variant &variant);
/// No batch entry, no query or no key. Own D 8.
Case empty(const Variant &variant, int64_t batch, int64_t queryLength,
           int64_t keyLength);

/// All of the above, at the sizes and edges worth testing, for backends that
/// can run every head dimension.
std::vector<Case> allCases(const Variant &variant);

/// Logits of q·k times a negative scale or 0. Own D 2, as in all that follow
/// but parameterGroups.
Case signOfScale(const Variant &variant, float scale);
/// Causal with attributes for the offsets; row 0 sees `seen` keys.
Case offsets(const Variant &variant, const std::string &attributes,
             int64_t seen);
/// Causal with q_lengths and k_lengths, which move the default offset.
Case lengths(const Variant &variant);
/// A sink that joins three keys, or none; and a row past its length.
Case sink(const Variant &variant, bool isMasked);
/// A key prior and a Fourier prior per batch entry and group of heads. Own D 1.
Case parameterGroups(const Variant &variant);
/// XSA with a guard that matters.
Case epsMode(const Variant &variant, const std::string &mode);
Case ownRowOutOfRange(const Variant &variant);
/// A fixed own row, and reductions of it.
Case ownRegion(const Variant &variant);

/// The cases from signOfScale on.
std::vector<Case> operandCases(const Variant &variant);

} // namespace goat::cases

#endif // GOAT_TEST_UNITTESTS_CASES_CASES_H
