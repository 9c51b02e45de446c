//===- ForeignReferenceTest.cpp - plug-ins from outside, evaluated --------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reference evaluates a foreign op through the expansion it gives; the
// answers are those of the op's formula.
//
//===----------------------------------------------------------------------===//

#include "../Reference/Evaluate.h"
#include "../Tolerances.h"
#include "ForeignCases.h"
#include "ForeignDialect.h"

#include "gtest/gtest.h"

using namespace goat;

TEST(Foreign, Reference) {
  test::Evaluator evaluator;
  evaluator.context.loadDialect<foreign::ForeignDialect>();
  for (const cases::Case &test : cases::foreignCases()) {
    SCOPED_TRACE(test.name);
    std::vector<reference::Tensor> results =
        evaluator.evaluate(test.text, test.arguments);
    EXPECT_EQ(evaluator.messages, "");
    ASSERT_EQ(results.size(), 1u);
    ASSERT_EQ(results[0].shape, test.expected[0].shape);
    // 1e-6 in gated_xsa is an f32 constant, so its answer is off by 2e-15.
    for (size_t at = 0; at < results[0].data.size(); ++at)
      EXPECT_NEAR(results[0].data[at], test.expected[0].data[at],
                  tolerances::exactAnswer)
          << "at " << at;
  }
}
