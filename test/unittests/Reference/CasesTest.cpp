//===- CasesTest.cpp - known answers on the reference ---------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every case of Cases.h, on the reference.
//
//===----------------------------------------------------------------------===//

#include "../Cases/Cases.h"
#include "../Tolerances.h"
#include "Evaluate.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace goat;
using goat::cases::Case;
using goat::cases::Variant;
using goat::reference::Tensor;

/// Compares results with a case's answers, element by element.
static void check(const Case &test, const std::vector<Tensor> &results) {
  ASSERT_EQ(results.size(), test.expected.size());
  double tolerance =
      test.sixDecimals ? tolerances::sixDecimals : tolerances::exactAnswer;
  for (size_t n = 0; n < results.size(); ++n) {
    ASSERT_EQ(results[n].shape, test.expected[n].shape);
    ASSERT_EQ(results[n].data.size(), test.expected[n].data.size());
    for (size_t at = 0; at < results[n].data.size(); ++at) {
      double expected = test.expected[n].data[at];
      if (std::isinf(expected))
        EXPECT_EQ(results[n].data[at], expected) << n << " at " << at;
      else if (!std::isnan(expected))
        EXPECT_NEAR(results[n].data[at], expected, tolerance)
            << n << " at " << at;
    }
  }
}

static void runAll(const Variant &variant) {
  test::Evaluator evaluator;
  std::vector<Case> all = cases::allCases(variant);
  for (Case &test : cases::operandCases(variant))
    all.push_back(std::move(test));
  for (const Case &test : all) {
    SCOPED_TRACE(test.name);
    std::vector<Tensor> results = evaluator.evaluate(test.text, test.arguments);
    EXPECT_EQ(evaluator.messages, "");
    check(test, results);
  }
}

TEST(Cases, OwnHeadDimension) { runAll({"f32", 0, false}); }
TEST(Cases, PaddedHeadDimension) { runAll({"bf16", 64, false}); }
TEST(Cases, DynamicSizes) { runAll({"f16", 0, true}); }

/// The first values of the sequence, as its definition states them.
TEST(Cases, Generator) {
  const double expected[] = {-0.65625, -0.8125, -0.8125, -0.5, 0.875, -0.09375};
  for (uint32_t n = 0; n < 6; ++n)
    EXPECT_EQ(cases::generate(1, n), expected[n]);
}

/// z is exactly y − y where the row is parallel to its own value.
TEST(Cases, ParallelRowIsExactlyZero) {
  test::Evaluator evaluator;
  Case test = cases::xsaParallel({});
  std::vector<Tensor> results = evaluator.evaluate(test.text, test.arguments);
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].data[0], 0.0);
  EXPECT_EQ(results[0].data[1], 0.0);
}
