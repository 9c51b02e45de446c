//===- RandomProgramTest.cpp - programs against a second evaluator --------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Seeded straight-line programs, on blocks with and without a partial warp.
// The fuzz target of test/fuzz runs the same comparison on what libFuzzer makes
// up.
//
//===----------------------------------------------------------------------===//

#include "RandomProgram.h"
#include "gtest/gtest.h"

#include <cstdlib>
#include <random>

using namespace goat::ptxsim::test;

namespace {

TEST(RandomProgram, AgreesWithTheNaiveEvaluator) {
  const char *isLong = std::getenv("GOAT_LONG");
  unsigned programs = isLong && *isLong == '1' ? 20000 : 1000;
  for (unsigned seed = 0; seed < programs; ++seed) {
    std::mt19937 random(seed);
    std::vector<uint8_t> bytes(6 * (1 + random() % 60));
    for (uint8_t &byte : bytes)
      byte = static_cast<uint8_t>(random());
    unsigned threads = seed % 2 ? 64 : 1 + random() % 64;
    ASSERT_EQ(
        compareProgram(programFrom(bytes.data(), bytes.size()), threads, seed),
        "");
  }
}

TEST(RandomProgram, TheComparisonNoticesADifference) {
  // One instruction, evaluated as another: the sum is not the difference.
  Program sum(1), difference(1);
  difference[0].kind = 1;
  sum[0].dst = difference[0].dst = 2;
  sum[0].b = difference[0].b = 1;
  std::array<uint32_t, inputWords> input{5, 3};
  EXPECT_EQ(evaluateProgram(sum, input)[2], 8u);
  EXPECT_EQ(evaluateProgram(difference, input)[2], 2u);
  EXPECT_NE(printProgram(sum), printProgram(difference));
}

} // namespace
