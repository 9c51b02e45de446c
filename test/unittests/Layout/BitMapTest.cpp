//===- BitMapTest.cpp - laws of linear maps -------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The laws hold for every map, so they are tried on fixed-seed random ones of
// all small sizes; answers worked out by hand stand beside them.
//
//===----------------------------------------------------------------------===//

#include "goat/Layout/BitMap.h"

#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace goat::layout;

namespace {

BitMap randomMap(std::mt19937 &random, unsigned inputs, unsigned outputs) {
  std::vector<BitVector> columns;
  for (unsigned bit = 0; bit < inputs; ++bit)
    columns.push_back(random() & ((BitVector(1) << outputs) - 1));
  return BitMap(outputs, columns);
}

/// The images of all inputs, the plain way to know rank and kernel.
std::multiset<BitVector> images(const BitMap &map) {
  std::multiset<BitVector> result;
  for (BitVector x = 0; x < BitVector(1) << map.numInputs(); ++x)
    result.insert(map.apply(x));
  return result;
}

/// Calls `check` on three composable random maps of many sizes.
template <typename Check> void forMaps(Check check) {
  std::mt19937 random(1);
  for (unsigned n = 0; n <= 6; ++n)
    for (unsigned m = 0; m <= 6; ++m)
      for (int round = 0; round < 4; ++round)
        check(randomMap(random, n, m), randomMap(random, m, 5),
              randomMap(random, 5, 4));
}

TEST(BitMap, ApplyIsLinear) {
  forMaps([](const BitMap &f, const BitMap &, const BitMap &) {
    BitVector end = BitVector(1) << f.numInputs();
    for (BitVector x = 0; x < end; ++x)
      for (BitVector y = 0; y < end; ++y)
        ASSERT_EQ(f.apply(x ^ y), f.apply(x) ^ f.apply(y)) << f.str();
  });
}

TEST(BitMap, ComposeIsApplicationInTurnAndAssociative) {
  forMaps([](const BitMap &f, const BitMap &g, const BitMap &h) {
    for (BitVector x = 0; x < BitVector(1) << f.numInputs(); ++x)
      ASSERT_EQ(g.compose(f).apply(x), g.apply(f.apply(x)));
    EXPECT_EQ(h.compose(g.compose(f)), h.compose(g).compose(f));
    EXPECT_EQ(f.compose(BitMap::identity(f.numInputs())), f);
    EXPECT_EQ(BitMap::identity(f.numOutputs()).compose(f), f);
    EXPECT_EQ(BitMap::zero(f.numOutputs(), 3).compose(f),
              BitMap::zero(f.numInputs(), 3));
  });
}

TEST(BitMap, RankKernelAndPredicatesAgreeWithCounting) {
  forMaps([](const BitMap &f, const BitMap &, const BitMap &) {
    std::multiset<BitVector> all = images(f);
    std::set<BitVector> distinct(all.begin(), all.end());
    EXPECT_EQ(distinct.size(), 1u << f.rank()) << f.str();
    EXPECT_EQ(f.isInjective(), distinct.size() == all.size());
    EXPECT_EQ(f.isSurjective(), distinct.size() == 1u << f.numOutputs());
    std::vector<BitVector> kernel = f.kernel();
    for (BitVector x : kernel)
      EXPECT_EQ(f.apply(x), 0u) << f.str();
    EXPECT_EQ(1u << kernel.size(), all.count(0));
    EXPECT_TRUE(BitMap(f.numInputs(), kernel).isInjective());
  });
}

TEST(BitMap, RightInverseExistsExactlyForSurjections) {
  forMaps([](const BitMap &f, const BitMap &, const BitMap &) {
    std::optional<BitMap> inverse = f.rightInverse();
    ASSERT_EQ(inverse.has_value(), f.isSurjective()) << f.str();
    if (!inverse)
      return;
    EXPECT_EQ(f.compose(*inverse), BitMap::identity(f.numOutputs()));
    if (f.isInjective()) {
      EXPECT_EQ(inverse->compose(f), BitMap::identity(f.numInputs()));
    }
  });
}

TEST(BitMap, DirectProductActsOnBothHalves) {
  forMaps([](const BitMap &f, const BitMap &g, const BitMap &) {
    BitMap product = f.directProduct(g);
    EXPECT_EQ(product.rank(), f.rank() + g.rank());
    for (BitVector x = 0; x < BitVector(1) << f.numInputs(); ++x)
      for (BitVector y = 0; y < BitVector(1) << g.numInputs(); ++y)
        ASSERT_EQ(product.apply(x | y << f.numInputs()),
                  f.apply(x) | g.apply(y) << f.numOutputs());
  });
}

TEST(BitMap, ConcatenateAddsBothHalves) {
  std::mt19937 random(2);
  BitMap f = randomMap(random, 3, 5), g = randomMap(random, 4, 5);
  for (BitVector x = 0; x < 8; ++x)
    for (BitVector y = 0; y < 16; ++y)
      ASSERT_EQ(f.concatenate(g).apply(x | y << 3), f.apply(x) ^ g.apply(y));
}

TEST(BitMap, AnswersWorkedOutByHand) {
  BitMap f(3, {1, 3, 2, 0});
  EXPECT_EQ(f.apply(0b0110), 1u);
  EXPECT_EQ(f.rank(), 2u);
  EXPECT_EQ(f.kernel(), (std::vector<BitVector>{0b0111, 0b1000}));
  EXPECT_EQ(f.support(), 3u);
  EXPECT_EQ(f.project(2), BitMap(3, {0, 2, 2, 0}));
  EXPECT_EQ(f.str(), "[1 -> 1, 2 -> 3, 4 -> 2, 8 -> 0]");
  EXPECT_NE(f, BitMap(4, {1, 3, 2, 0}));
}

TEST(BitMap, ExtendBasisSkipsWhatIsSpanned) {
  EXPECT_EQ(extendBasis({3}, {0, 3, 1, 2, 4}), (std::vector<BitVector>{1, 4}));
}

} // namespace
