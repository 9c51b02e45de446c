//===- FragmentsTest.cpp - fragments match the PTX ISA --------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layouts of matrix instructions against the formulas of the PTX ISA, entry
// by entry, and against entries read off its figures.
//
//===----------------------------------------------------------------------===//

#include "goat/Layout/Fragments.h"

#include <gtest/gtest.h>

using namespace goat::layout;

namespace {

TEST(Fragments, AccumulatorOfOneM16N8) {
  TileLayout c = *mmaAccumulator(16, 8, 1);
  ASSERT_EQ(c.numRegisters(), 4u);
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(c.coordinate(i, lane, 0),
                (Coordinate{lane / 4 + (i < 2 ? 0 : 8), lane % 4 * 2 + i % 2}));
  // T13 holds c0 to c3 at row 3 and 11, columns 2 and 3.
  EXPECT_EQ(c.coordinate(0, 13, 0), (Coordinate{3, 2}));
  EXPECT_EQ(c.coordinate(3, 13, 0), (Coordinate{11, 3}));
}

TEST(Fragments, OperandAOfOneM16K16) {
  TileLayout a = *mmaOperandA(16, 16, 1);
  ASSERT_EQ(a.numRegisters(), 8u);
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 8; ++i) {
      bool upper = i < 2 || (i >= 4 && i < 6);
      EXPECT_EQ(a.coordinate(i, lane, 0),
                (Coordinate{lane / 4 + (upper ? 0 : 8),
                            lane % 4 * 2 + i % 2 + (i < 4 ? 0 : 8)}));
    }
  EXPECT_EQ(a.coordinate(6, 31, 0), (Coordinate{15, 14}));
}

TEST(Fragments, OperandBOfOneK16N8) {
  TileLayout b = *mmaOperandB(16, 8);
  ASSERT_EQ(b.numRegisters(), 4u);
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(b.coordinate(i, lane, 0),
                (Coordinate{lane % 4 * 2 + i % 2 + (i < 2 ? 0 : 8), lane / 4}));
  EXPECT_EQ(b.coordinate(2, 6, 0), (Coordinate{12, 1}));
}

TEST(Fragments, Operands32OfOneM16N8K8) {
  TileLayout a = *mmaOperandA32(16, 8, DepthOrder::Natural, 1);
  TileLayout b = *mmaOperandB32(8, 8, DepthOrder::Natural);
  ASSERT_EQ(a.numRegisters(), 4u);
  ASSERT_EQ(b.numRegisters(), 2u);
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(
          a.coordinate(i, lane, 0),
          (Coordinate{lane / 4 + (i % 2 ? 8 : 0), lane % 4 + (i < 2 ? 0 : 4)}));
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(b.coordinate(i, lane, 0),
                (Coordinate{lane % 4 + 4 * i, lane / 4}));
  }
  // T13 holds a2 at row 3, column 5, and b1 at row 5, column 3.
  EXPECT_EQ(a.coordinate(2, 13, 0), (Coordinate{3, 5}));
  EXPECT_EQ(b.coordinate(1, 13, 0), (Coordinate{5, 3}));
}

TEST(Fragments, Operands32AgreeOnTheDepthOfEachSlot) {
  for (DepthOrder order : {DepthOrder::Natural, DepthOrder::Paired}) {
    TileLayout a = *mmaOperandA32(64, 48, order, 2);
    TileLayout b = *mmaOperandB32(48, 24, order, 2);
    // Fragment by fragment along the depth: slot t + 4h of A is in registers
    // 2h and 2h + 1 of threads 4g + t, and of B in register h.
    for (unsigned fragment = 0; fragment < 6; ++fragment)
      for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned half : {0u, 1u})
          for (unsigned reg : {0u, 1u})
            ASSERT_EQ(a.coordinate(4 * fragment + 2 * half + reg, lane, 1)[1],
                      b.coordinate(2 * fragment + half, lane, 1)[0]);
  }
}

TEST(Fragments, PairedOperandA32IsTheAccumulatorInAnotherOrder) {
  for (auto [rows, columns, warps] :
       {std::array{128, 64, 4}, std::array{16, 8, 1}, std::array{64, 48, 4}}) {
    TileLayout c = *mmaAccumulator(rows, columns, warps);
    TileLayout a = *mmaOperandA32(rows, columns, DepthOrder::Paired, warps);
    ASSERT_EQ(a.numRegisters(), c.numRegisters());
    for (unsigned reg = 0; reg < c.numRegisters(); ++reg) {
      const unsigned places[] = {0, 2, 1, 3};
      EXPECT_EQ(a.registerOffset(reg),
                c.registerOffset(reg / 4 * 4 + places[reg % 4]));
    }
    EXPECT_TRUE(conversion(c, a));
    EXPECT_FALSE(conversion(
        c, *mmaOperandA32(rows, columns, DepthOrder::Natural, warps)));
  }
}

TEST(Fragments, WgmmaAccumulatorOfOneM64) {
  for (int n : {8, 80, 176, 256}) {
    TileLayout d = *wgmmaAccumulator(64, n);
    ASSERT_EQ(d.numRegisters(), unsigned(n / 2));
    ASSERT_EQ(d.numWarps(), 4u);
    for (int warp = 0; warp < 4; ++warp)
      for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < n / 2; ++i)
          ASSERT_EQ(d.coordinate(i, lane, warp),
                    (Coordinate{16 * warp + lane / 4 + (i / 2 % 2 ? 8 : 0),
                                8 * (i / 4) + lane % 4 * 2 + i % 2}));
  }
}

TEST(Fragments, AccumulatorGivesEachWarpConsecutiveRows) {
  TileLayout c = *mmaAccumulator(128, 64, 4);
  EXPECT_EQ(c.numRegisters(), 64u);
  EXPECT_EQ(c.warpBasis(0), (Coordinate{32, 0}));
  EXPECT_EQ(c.warpBasis(1), (Coordinate{64, 0}));
  // Order: 4 of a fragment, 8 n tiles, 2 m tiles.
  EXPECT_EQ(c.registerOffset(4), (Coordinate{0, 8}));
  EXPECT_EQ(c.registerOffset(31), (Coordinate{8, 57}));
  EXPECT_EQ(c.registerOffset(32), (Coordinate{16, 0}));
}

TEST(Fragments, AccumulatorSplitsColumnsOverWarpsN) {
  TileLayout c = *mmaAccumulator(64, 128, 2, 2);
  EXPECT_EQ(c.warpBasis(0), (Coordinate{32, 0}));
  EXPECT_EQ(c.warpBasis(1), (Coordinate{0, 64}));
  EXPECT_EQ(c.numRegisters(), 64u);
}

TEST(Fragments, WarpgroupsOwnConsecutiveRows) {
  TileLayout d = *wgmmaAccumulator(256, 128, 2);
  EXPECT_EQ(d.numWarps(), 8u);
  EXPECT_EQ(d.warpBasis(2), (Coordinate{128, 0}));
  EXPECT_EQ(d.registerOffset(64), (Coordinate{64, 0}));
}

TEST(Fragments, OneWarpgroupIsFourWarpsOfM16) {
  EXPECT_EQ(*wgmmaAccumulator(64, 96), *mmaAccumulator(64, 96, 4));
}

TEST(Fragments, Blocked1DPutsElementEInThreadEModThreads) {
  TileLayout b = *blocked1D(300, 128);
  ASSERT_EQ(b.numRegisters(), 3u);
  for (int e = 0; e < 384; ++e)
    EXPECT_EQ(b.coordinate(e / 128, e % 32, e % 128 / 32)[0], e);
  EXPECT_TRUE(b.isAlwaysInRange(0));
  EXPECT_TRUE(b.isAlwaysInRange(1));
  EXPECT_FALSE(b.isAlwaysInRange(2));
  EXPECT_TRUE(b.isInRange({299, 0}));
  EXPECT_FALSE(b.isInRange({300, 0}));
  TileLayout small = *blocked1D(5, 64);
  EXPECT_EQ(small.numRegisters(), 1u);
  EXPECT_FALSE(small.isAlwaysInRange(0));
}

TEST(Fragments, Blocked2DCopiesRowsInVectors) {
  TileLayout b = *blocked2D(64, 64, 4, 8);
  EXPECT_EQ(b.numRegisters(), 32u);
  EXPECT_EQ(b.coordinate(0, 9, 0), (Coordinate{1, 8}));
  EXPECT_EQ(b.registerOffset(8), (Coordinate{16, 0}));
  // 96 columns are 12 vectors: 4 threads along a row, three times.
  TileLayout odd = *blocked2D(64, 96, 4, 8);
  EXPECT_EQ(odd.laneBasis(2), (Coordinate{1, 0}));
  EXPECT_EQ(odd.registerOffset(8), (Coordinate{0, 32}));
  EXPECT_EQ(odd.registerOffset(24), (Coordinate{32, 0}));
}

TEST(Fragments, RefuseSizesThatDoNotFit) {
  std::string error;
  EXPECT_FALSE(mmaAccumulator(100, 64, 4, 1, &error));
  EXPECT_EQ(error, "mma accumulator layout, dimension 0: expected a positive "
                   "multiple of 64 but got 100");
  EXPECT_FALSE(mmaOperandA(64, 24, 4, 1, &error));
  EXPECT_EQ(error, "mma operand A layout, dimension 1: expected a positive "
                   "multiple of 16 but got 24");
  EXPECT_FALSE(mmaOperandB(16, 64, 3, 1, &error));
  EXPECT_EQ(error, "mma operand B layout, dimension 0: expected a power of two "
                   "of at most 32 warps or warpgroups but got 3");
  EXPECT_FALSE(mmaOperandA32(64, 12, DepthOrder::Paired, 4, 1, &error));
  EXPECT_EQ(error, "mma operand A of 32 bits layout, dimension 1: expected a "
                   "positive multiple of 8 but got 12");
  EXPECT_FALSE(mmaOperandB32(4, 64, DepthOrder::Natural, 1, 1, &error));
  EXPECT_EQ(error, "mma operand B of 32 bits layout, dimension 0: expected a "
                   "positive multiple of 8 but got 4");
  EXPECT_FALSE(mmaAccumulator(192, 64, 4, 1, &error));
  EXPECT_EQ(error, "mma accumulator layout, dimension 0: expected 4 owners to "
                   "get a power of two each but got 48; use another tile or "
                   "one owner");
  EXPECT_FALSE(wgmmaAccumulator(0, 64, 1, &error));
  EXPECT_EQ(error, "wgmma accumulator layout, dimension 0: expected a positive "
                   "multiple of 64 but got 0");
  EXPECT_FALSE(mmaAccumulator(512, 512, 32, 32, &error));
  EXPECT_EQ(error, "mma accumulator layout: expected at most 32 warps but got "
                   "2^10");
  EXPECT_FALSE(blocked1D(128, 96, &error));
  EXPECT_EQ(error, "blocked layout: expected 32, 64, ... or 1024 threads but "
                   "got 96");
  EXPECT_FALSE(blocked1D(0, 32, &error));
  EXPECT_EQ(error, "blocked layout: expected a positive length but got 0");
  EXPECT_FALSE(blocked2D(8, 12, 1, 8, &error));
  EXPECT_EQ(error, "blocked layout: expected a power of two that divides the "
                   "12 columns as the vector but got 8");
  EXPECT_FALSE(blocked2D(8, 16, 6, 8, &error));
  EXPECT_EQ(error, "blocked layout: expected a power of two of at most 32 "
                   "warps but got 6");
  EXPECT_FALSE(blocked2D(0, 16, 1, 8, &error));
  EXPECT_EQ(error, "blocked layout: expected a positive shape but got 0x16");
}

} // namespace
