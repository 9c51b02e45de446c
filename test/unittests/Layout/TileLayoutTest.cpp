//===- TileLayoutTest.cpp - laws of layouts -------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Laws that every layout obeys, tried on all builders, and the reductions,
// broadcasts and conversions that the attention kernels use.
//
//===----------------------------------------------------------------------===//

#include "goat/Layout/TileLayout.h"
#include "goat/Layout/Fragments.h"

#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace goat::layout;

namespace {

struct Sample {
  TileLayout layout;
  unsigned replication;
};

std::vector<Sample> samples() {
  return {{*mmaAccumulator(128, 64, 4), 1},
          {*mmaAccumulator(64, 80, 4), 1},
          {*mmaAccumulator(64, 176, 2), 1},
          {*mmaAccumulator(48, 96, 1), 1},
          {*mmaAccumulator(64, 128, 2, 2), 1},
          {*mmaOperandA(128, 192, 4), 1},
          {*mmaOperandA(32, 48, 2, 2), 2},
          {*mmaOperandB(64, 96, 4), 4},
          {*mmaOperandA32(64, 48, DepthOrder::Natural, 2), 1},
          {*mmaOperandA32(128, 40, DepthOrder::Paired, 4, 2), 2},
          {*mmaOperandB32(40, 96, DepthOrder::Natural, 4), 4},
          {*mmaOperandB32(96, 64, DepthOrder::Paired, 2, 2), 2},
          {*mmaOperandB(96, 64, 2, 2), 2},
          {*wgmmaAccumulator(128, 176, 2), 1},
          {*wgmmaAccumulator(192, 64, 1), 1},
          {*blocked1D(300, 128), 1},
          {*blocked1D(20, 64), 1},
          {*blocked2D(64, 96, 4, 8), 1},
          {*blocked2D(40, 128, 4, 8), 1},
          {*blocked2D(3, 16, 4, 4), 1}};
}

/// Calls `check` with every (register, lane, warp) of a layout.
template <typename Check> void forAll(const TileLayout &layout, Check check) {
  for (unsigned warp = 0; warp < layout.numWarps(); ++warp)
    for (unsigned lane = 0; lane < layout.numLanes(); ++lane)
      for (unsigned reg = 0; reg < layout.numRegisters(); ++reg)
        check(reg, lane, warp);
}

template <typename Check> void forSlices(Check check) {
  for (const Sample &sample : samples())
    if (sample.layout.rank() == 2)
      for (unsigned dim : {0u, 1u})
        check(sample.layout, dim);
}

TEST(TileLayout, EveryElementIsHeldTheStatedNumberOfTimes) {
  for (const Sample &sample : samples())
    EXPECT_EQ(sample.layout.replication(), sample.replication)
        << sample.layout.str();
}

TEST(TileLayout, ReplicationSeesAMissingElement) {
  // Lanes step by two and nothing fills the gaps.
  Atom atom = {{}, {{2, 0}, {4, 0}, {8, 0}, {16, 0}, {32, 0}}, {}};
  EXPECT_EQ(TileLayout::create({63}, atom, {})->replication(), std::nullopt);
}

TEST(TileLayout, CoordinateIsThreadBasePlusRegisterOffset) {
  for (const Sample &sample : samples()) {
    const TileLayout &layout = sample.layout;
    forAll(layout, [&](unsigned reg, unsigned lane, unsigned warp) {
      ASSERT_EQ(layout.coordinate(reg, lane, warp),
                layout.threadBase(lane, warp) + layout.registerOffset(reg))
          << layout.str();
    });
  }
}

TEST(TileLayout, ThreadBaseIsTheSumOfItsBitContributions) {
  for (const Sample &sample : samples()) {
    const TileLayout &layout = sample.layout;
    forAll(layout, [&](unsigned, unsigned lane, unsigned warp) {
      Coordinate sum = {0, 0};
      for (unsigned bit = 0; bit < 5; ++bit)
        if (lane >> bit & 1)
          sum = sum + layout.laneBasis(bit);
      for (unsigned bit = 0; 1u << bit < layout.numWarps(); ++bit)
        if (warp >> bit & 1)
          sum = sum + layout.warpBasis(bit);
      ASSERT_EQ(layout.threadBase(lane, warp), sum) << layout.str();
    });
  }
}

TEST(TileLayout, IsAlwaysInRangeIsTrueOfEveryThread) {
  for (const Sample &sample : samples()) {
    const TileLayout &layout = sample.layout;
    std::vector<bool> always(layout.numRegisters(), true);
    forAll(layout, [&](unsigned reg, unsigned lane, unsigned warp) {
      if (!layout.isInRange(layout.coordinate(reg, lane, warp)))
        always[reg] = false;
    });
    for (unsigned reg = 0; reg < layout.numRegisters(); ++reg)
      EXPECT_EQ(layout.isAlwaysInRange(reg), always[reg]) << layout.str();
  }
}

TEST(TileLayout, SliceFollowsItsParent) {
  forSlices([](const TileLayout &layout, unsigned dim) {
    TileLayout slice = layout.slice(dim);
    ASSERT_EQ(slice.shape(), std::vector<int32_t>{layout.shape()[1 - dim]});
    std::vector<unsigned> source = layout.broadcastSource(dim);
    ASSERT_EQ(source.size(), layout.numRegisters());
    forAll(layout, [&](unsigned reg, unsigned lane, unsigned warp) {
      ASSERT_EQ(slice.coordinate(source[reg], lane, warp),
                (Coordinate{layout.coordinate(reg, lane, warp)[1 - dim], 0}))
          << layout.str();
    });
  });
}

TEST(TileLayout, SliceRegistersAreDistinctAndCoverTheRest) {
  forSlices([](const TileLayout &layout, unsigned dim) {
    TileLayout slice = layout.slice(dim);
    std::set<Coordinate> offsets;
    for (unsigned reg = 0; reg < slice.numRegisters(); ++reg)
      EXPECT_TRUE(offsets.insert(slice.registerOffset(reg)).second);
    EXPECT_TRUE(slice.replication()) << slice.str();
  });
}

TEST(TileLayout, RegisterGroupsPartitionTheRegisters) {
  forSlices([](const TileLayout &layout, unsigned dim) {
    std::vector<std::vector<unsigned>> groups = layout.registerGroups(dim);
    std::vector<unsigned> source = layout.broadcastSource(dim);
    std::vector<bool> seen(layout.numRegisters(), false);
    EXPECT_EQ(groups.size(), layout.slice(dim).numRegisters());
    for (unsigned group = 0; group < groups.size(); ++group) {
      EXPECT_FALSE(groups[group].empty());
      for (unsigned reg : groups[group]) {
        EXPECT_FALSE(seen[reg]);
        seen[reg] = true;
        EXPECT_EQ(source[reg], group);
      }
    }
    for (bool value : seen)
      EXPECT_TRUE(value);
  });
}

/// Reduces by the recipe, holding sets of elements in place of numbers, and
/// checks that every thread ends with exactly its row or column of the tile.
TEST(TileLayout, FoldAndShufflesMeetEachElementOnce) {
  using Bag = std::multiset<int32_t>;
  forSlices([](const TileLayout &layout, unsigned dim) {
    TileLayout slice = layout.slice(dim);
    unsigned threads = layout.numWarps() * 32;
    std::vector<std::vector<unsigned>> groups = layout.registerGroups(dim);
    std::vector<unsigned> masks = layout.reductionLaneMasks(dim);
    for (unsigned mask : layout.reductionWarpMasks(dim))
      masks.push_back(mask * 32);
    Bag whole;
    for (int32_t i = 0; i < layout.shape()[dim]; ++i)
      whole.insert(i);
    for (unsigned group = 0; group < groups.size(); ++group) {
      std::vector<Bag> bags(threads);
      for (unsigned t = 0; t < threads; ++t)
        for (unsigned reg : groups[group]) {
          Coordinate c = layout.coordinate(reg, t % 32, t / 32);
          if (layout.isInRange(c))
            bags[t].insert(c[dim]);
        }
      for (unsigned mask : masks) {
        std::vector<Bag> before = bags;
        for (unsigned t = 0; t < threads; ++t)
          bags[t].insert(before[t ^ mask].begin(), before[t ^ mask].end());
      }
      for (unsigned t = 0; t < threads; ++t)
        if (slice.isInRange(slice.coordinate(group, t % 32, t / 32))) {
          ASSERT_EQ(bags[t], whole) << layout.str() << " along " << dim;
        }
    }
  });
}

TEST(TileLayout, RowReductionOfAnAccumulator) {
  TileLayout c = *mmaAccumulator(128, 64, 4);
  using Masks = std::vector<unsigned>;
  EXPECT_EQ(c.reductionLaneMasks(1), (Masks{1, 2}));
  EXPECT_EQ(c.reductionWarpMasks(1), Masks{});
  EXPECT_EQ(c.reductionLaneMasks(0), (Masks{4, 8, 16}));
  EXPECT_EQ(c.reductionWarpMasks(0), (Masks{1, 2}));
  // Rows g, g + 8, g + 16, g + 24: four values for each thread.
  TileLayout rows = c.slice(1);
  ASSERT_EQ(rows.numRegisters(), 4u);
  EXPECT_EQ(rows.registerOffset(1)[0], 8);
  EXPECT_EQ(rows.registerOffset(2)[0], 16);
  EXPECT_EQ(rows.replication(), 4u);
  EXPECT_EQ(c.registerGroups(1)[3].front(), 34u);
  EXPECT_EQ(c.slice(0).numRegisters(), 16u);
}

TEST(TileLayout, CopiesAreNotReducedTwice) {
  // Warps hold copies of a whole operand A along warpsN.
  TileLayout a = *mmaOperandA(32, 32, 1, 2);
  EXPECT_EQ(a.reductionWarpMasks(1), std::vector<unsigned>{});
  EXPECT_EQ(a.reductionWarpMasks(0), std::vector<unsigned>{});
}

TEST(TileLayout, ReductionOfRank1CrossesAllThreads) {
  TileLayout b = *blocked1D(256, 64);
  EXPECT_EQ(b.reductionLaneMasks(0), (std::vector<unsigned>{1, 2, 4, 8, 16}));
  EXPECT_EQ(b.reductionWarpMasks(0), std::vector<unsigned>{1});
}

TEST(Conversion, AccumulatorIsOperandAInTheSameOrder) {
  for (auto [rows, cols] : {std::pair(128, 64), std::pair(64, 80)}) {
    TileLayout c = *mmaAccumulator(rows, cols, 4);
    TileLayout a = *mmaOperandA(rows, cols, 4);
    auto permutation = conversion(c, a);
    ASSERT_TRUE(permutation);
    for (unsigned reg = 0; reg < a.numRegisters(); ++reg)
      EXPECT_EQ((*permutation)[reg], reg);
    forAll(a, [&](unsigned reg, unsigned lane, unsigned warp) {
      ASSERT_EQ(a.coordinate(reg, lane, warp),
                c.coordinate((*permutation)[reg], lane, warp));
    });
  }
}

TEST(RowGroups, PartitionsTheRegistersByRow) {
  TileLayout tile = *mmaAccumulator(128, 64, 4);
  TileLayout partial = *mmaPartialRows(128, 4);
  auto groups = rowGroups(tile, partial);
  ASSERT_TRUE(groups);
  ASSERT_EQ(groups->size(), partial.numRegisters());
  unsigned total = 0;
  for (unsigned reg = 0; reg < groups->size(); ++reg)
    for (unsigned source : (*groups)[reg]) {
      ++total;
      for (unsigned lane : {0u, 13u, 31u})
        for (unsigned warp : {0u, 3u}) {
          Coordinate from = tile.coordinate(source, lane, warp);
          Coordinate to = partial.coordinate(reg, lane, warp);
          EXPECT_EQ(from[0], to[0]);
          EXPECT_EQ(to[1], int32_t(lane % 4));
        }
    }
  EXPECT_EQ(total, tile.numRegisters());
}

TEST(RowGroups, RefusesRowsOfOtherThreads) {
  EXPECT_FALSE(
      rowGroups(*mmaAccumulator(64, 64, 2, 2), *mmaPartialRows(64, 4)));
  EXPECT_FALSE(rowGroups(*mmaAccumulator(64, 64, 4), *mmaPartialRows(32, 4)));
}

TEST(Conversion, FindsAPermutation) {
  // The same tile with m tiles before n tiles.
  Atom atom = {{{0, 1}, {8, 0}},
               {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}},
               {{32, 0}, {64, 0}}};
  TileLayout dst =
      *TileLayout::create({128, 64}, atom, {{0, 2, 16}, {1, 8, 8}});
  TileLayout src = *mmaAccumulator(128, 64, 4);
  EXPECT_NE(src, dst);
  auto permutation = conversion(src, dst);
  ASSERT_TRUE(permutation);
  EXPECT_EQ((*permutation)[4], 32u);
  EXPECT_EQ((*permutation)[8], 4u);
}

TEST(Conversion, RefusesWhatNeedsCommunication) {
  TileLayout c = *mmaAccumulator(64, 64, 4);
  EXPECT_FALSE(conversion(c, *mmaOperandB(64, 64, 4))); // other lanes
  EXPECT_FALSE(conversion(c, *blocked2D(64, 64, 4, 8)));
  EXPECT_FALSE(conversion(c, *mmaAccumulator(64, 128, 4))); // other shape
  EXPECT_FALSE(conversion(c, *mmaAccumulator(64, 64, 2)));  // other warps
  EXPECT_FALSE(conversion(*mmaAccumulator(64, 64, 2, 2),    // columns apart
                          *mmaOperandA(64, 64, 2, 2)));
}

TEST(Conversion, RefusesRowsOfOtherWarps) {
  std::vector<Coordinate> lanes = {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}};
  TileLayout src =
      *TileLayout::create({128}, {{}, lanes, {{32, 0}, {64, 0}}}, {});
  TileLayout dst =
      *TileLayout::create({128}, {{}, lanes, {{64, 0}, {32, 0}}}, {});
  EXPECT_FALSE(conversion(src, dst));
}

TEST(Conversion, RefusesRegistersTheSourceLacks) {
  // The same lanes, but row 8 is in no register of the source.
  Atom atom = {{}, {{0, 0}, {0, 0}, {1, 0}, {2, 0}, {4, 0}}, {}};
  TileLayout all = *TileLayout::create({16}, atom, {{0, 2, 8}});
  TileLayout strided = *TileLayout::create({16}, atom, {{0, 2, 16}});
  EXPECT_FALSE(conversion(strided, all));
}

TEST(TileLayout, EqualityIgnoresTheDescription) {
  std::vector<Coordinate> lanes = {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}};
  TileLayout bit = *TileLayout::create({64}, {{{32, 0}}, lanes, {}}, {});
  TileLayout repeated =
      *TileLayout::create({64}, {{}, lanes, {}}, {{0, 2, 32}});
  EXPECT_EQ(bit, repeated);
  EXPECT_NE(bit, *blocked1D(64, 64));
  EXPECT_NE(bit, *blocked1D(63, 32));
}

TEST(TileLayout, Prints) {
  EXPECT_EQ(mmaAccumulator(32, 80, 2)->str(),
            "tile<32x80> registers [(0, 1), (8, 0)] lanes [(0, 2), (0, 4), "
            "(1, 0), (2, 0), (4, 0)] warps [(16, 0)] x10 by 8 along 1 x1 by 16 "
            "along 0");
  EXPECT_EQ(blocked1D(40, 32)->str(), "tile<40> registers [] lanes [(1), (2), "
                                      "(4), (8), (16)] warps [] x2 by 32 along "
                                      "0");
}

TEST(TileLayout, RefusesWhatIsNoLayout) {
  std::vector<Coordinate> lanes = {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}};
  auto reason = [](std::vector<int32_t> shape, Atom atom,
                   std::vector<Repetition> repetitions) {
    std::string error;
    EXPECT_FALSE(TileLayout::create(shape, atom, repetitions, &error));
    return error;
  };
  EXPECT_EQ(reason({}, {{}, lanes, {}}, {}),
            "expected a tile of rank 1 or 2 but got rank 0");
  EXPECT_EQ(reason({32}, {}, {}), "expected 5 lane bits but got 0");
  EXPECT_EQ(reason({32}, {{{0, 1}}, lanes, {}}, {}),
            "expected a bit of the atom to move by less than 65536 along the "
            "dimensions of the tile but got (0, 1)");
  EXPECT_EQ(reason({32}, {{{48, 0}}, lanes, {}}, {}),
            "expected registers, lanes and warps to address disjoint bits of "
            "the coordinates; bits that share one cannot be added");
  EXPECT_EQ(reason({32}, {{{32, 0}, {32, 0}}, lanes, {}}, {}),
            "expected the registers of a thread to hold different elements; "
            "drop the register bits that repeat others");
  EXPECT_EQ(reason({32}, {{}, lanes, {}}, {{1, 2, 32}}),
            "expected a repetition along dimension 0 to 0 with positive count "
            "and stride but got dimension 1, count 2, stride 32");
  EXPECT_EQ(reason({65}, {{}, lanes, {}}, {{0, 2, 32}}),
            "expected a length of 1 to 64, what the layout covers, along "
            "dimension 0 but got 65");
  EXPECT_EQ(reason({1 << 30}, {{}, lanes, {}}, {{0, 1 << 25, 32}}),
            "expected at most 2^20 registers for each thread but got 33554432; "
            "use a smaller tile");
}

} // namespace
