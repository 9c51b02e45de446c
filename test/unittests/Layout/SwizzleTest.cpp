//===- SwizzleTest.cpp - swizzles permute and spread ----------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bank model is held against cases counted by hand; the swizzles are held
// against the bank model for the row lengths of real head sizes.
//
//===----------------------------------------------------------------------===//

#include "goat/Layout/Swizzle.h"
#include "goat/Layout/Fragments.h"

#include <gtest/gtest.h>
#include <vector>

using namespace goat::layout;

namespace {

SwizzledTile tileOf(int32_t rows, int32_t rowBytes, int32_t panelBytes = 0) {
  std::string error;
  auto tile = SwizzledTile::create(rows, rowBytes, panelBytes, &error);
  EXPECT_TRUE(tile) << error;
  return *tile;
}

/// The addresses of a warp whose lane i touches offset(i).
template <typename Offset> std::array<uint32_t, 32> warp(Offset offset) {
  std::array<uint32_t, 32> addresses;
  for (uint32_t lane = 0; lane < 32; ++lane)
    addresses[lane] = offset(lane);
  return addresses;
}

// 16-bit elements, D = 32, 64, 96, 128, 192, 256 and short panels.
const std::vector<int32_t> rowLengths = {16,  32,  64,  128, 160,
                                         192, 256, 384, 512};

TEST(BankConflicts, AgreeWithCasesCountedByHand) {
  auto strided = [](uint32_t stride) {
    return warp([=](uint32_t lane) { return lane * stride; });
  };
  EXPECT_EQ(bankConflicts(strided(4), 4), 0u);    // one word for each bank
  EXPECT_EQ(bankConflicts(strided(0), 4), 0u);    // one word for all lanes
  EXPECT_EQ(bankConflicts(strided(8), 4), 1u);    // even banks, two words each
  EXPECT_EQ(bankConflicts(strided(128), 4), 31u); // one bank
  EXPECT_EQ(bankConflicts(strided(2), 2), 0u);    // two lanes for each word
  EXPECT_EQ(bankConflicts(strided(8), 8), 0u);
  EXPECT_EQ(bankConflicts(strided(16), 8), 2u); // two halves, 2 words each
  EXPECT_EQ(bankConflicts(strided(16), 16), 0u);
  EXPECT_EQ(bankConflicts(strided(128), 16), 28u); // four quarters, 8 words
}

TEST(Swizzle, IsItsOwnInverse) {
  for (Swizzle s : {Swizzle{3, 4, 3}, Swizzle{2, 4, 3}, Swizzle{3, 4, 5}})
    for (uint32_t address = 0; address < 1 << 13; ++address)
      ASSERT_EQ(s.apply(s.apply(address)), address);
}

TEST(SwizzledTile, IsABijectionOntoItsBytesThatKeepsChunksWhole) {
  for (int32_t rowBytes : rowLengths) {
    SwizzledTile tile = tileOf(24, rowBytes);
    std::vector<bool> seen(tile.sizeInBytes(), false);
    for (int32_t row = 0; row < 24; ++row)
      for (int32_t col = 0; col < rowBytes; ++col) {
        uint32_t offset = tile.offset(row, col);
        ASSERT_LT(offset, seen.size());
        ASSERT_FALSE(seen[offset]) << rowBytes;
        seen[offset] = true;
        ASSERT_EQ(offset, tile.offset(row, col & ~15) + (col & 15));
      }
  }
}

TEST(SwizzledTile, LdmatrixHasNoBankConflicts) {
  for (int32_t rowBytes : rowLengths) {
    SwizzledTile tile = tileOf(32, rowBytes);
    for (int32_t col = 0; col < rowBytes; col += 16) {
      auto addresses =
          warp([&](uint32_t lane) { return tile.offset(lane, col); });
      EXPECT_EQ(bankConflicts(addresses, 16), 0u) << rowBytes << " " << col;
    }
  }
}

TEST(SwizzledTile, CopiesOf16BytesHaveNoBankConflicts) {
  // Neighbouring lanes take neighbouring chunks of a panel, then rows.
  for (int32_t rowBytes : rowLengths) {
    SwizzledTile tile = tileOf(32, rowBytes);
    uint32_t chunks = tile.panelBytes() / 16;
    auto addresses = warp([&](uint32_t lane) {
      return tile.offset(lane / chunks, lane % chunks * 16);
    });
    EXPECT_EQ(bankConflicts(addresses, 16), 0u) << rowBytes;
  }
}

/// The conflicts of a read of `vector` 32-bit elements by each lane from where
/// register `reg` of `layout` lies in a tile.
unsigned conflictsOf(const TileLayout &layout, unsigned reg, unsigned vector,
                     int32_t rowBytes) {
  SwizzledTile tile = tileOf(layout.shape()[0], rowBytes);
  return bankConflicts(warp([&](uint32_t lane) {
                         Coordinate at = layout.coordinate(reg, lane, 0);
                         return tile.offset(at[0], 4 * at[1]);
                       }),
                       4 * vector);
}

TEST(SwizzledTile, FragmentsOfB32HaveNoBankConflictsInRowsOf128Bytes) {
  for (int32_t columns : {32, 64, 96, 256}) {
    TileLayout b = *mmaOperandB32(16, columns, DepthOrder::Paired);
    for (unsigned reg = 0; reg < b.numRegisters(); ++reg)
      EXPECT_EQ(conflictsOf(b, reg, 1, 4 * columns), 0u) << columns;
  }
  // Narrower panels keep the rows of one parity in half of the banks.
  EXPECT_EQ(conflictsOf(*mmaOperandB32(16, 16, DepthOrder::Paired), 0, 1, 64),
            1u);
}

TEST(SwizzledTile, RowsOfAnAccumulatorHaveNoBankConflicts) {
  // Rows that threads of an accumulator hold, and columns of its transpose, 16
  // bytes at a time; pairs of its columns in one row.
  for (int32_t columns : {8, 16, 24, 32, 40, 64, 80, 96, 128, 256}) {
    SwizzledTile tile = tileOf(32, 4 * columns);
    for (uint32_t start = 0; start < 4u * columns; start += 16)
      for (uint32_t row = 0; row < 16; ++row) {
        auto rows = warp([&](uint32_t lane) {
          return tile.offset(row / 8 * 8 + lane / 4, start);
        });
        EXPECT_EQ(bankConflicts(rows, 16), 0u) << columns;
        auto keys = warp([&](uint32_t lane) {
          return tile.offset((row & ~7) + lane % 4 * 2 + row % 2, start);
        });
        EXPECT_EQ(bankConflicts(keys, 16), 0u) << columns;
        auto pairs = warp([&](uint32_t lane) {
          return tile.offset(row, (start & ~31) + lane % 4 * 8);
        });
        EXPECT_EQ(bankConflicts(pairs, 8), 0u) << columns;
      }
  }
}

TEST(SwizzledTile, WithoutSwizzleLdmatrixConflicts) {
  // The same access on plain rows: what the swizzle is for.
  for (auto [rowBytes, conflicts] :
       {std::pair(64u, 12u), std::pair(128u, 28u), std::pair(256u, 28u)}) {
    auto addresses =
        warp([rowBytes = rowBytes](uint32_t lane) { return lane * rowBytes; });
    EXPECT_EQ(bankConflicts(addresses, 16), conflicts) << rowBytes;
  }
}

TEST(SwizzledTile, OffsetIsPanelPlusRowPlusMaskedColumn) {
  for (int32_t rowBytes : rowLengths) {
    SwizzledTile tile = tileOf(16, rowBytes);
    uint32_t panel = tile.panelBytes();
    for (uint32_t row = 0; row < 16; ++row) {
      EXPECT_EQ(tile.columnMask(row), tile.columnMask(row % 8));
      for (uint32_t col = 0; col < uint32_t(rowBytes); ++col)
        ASSERT_EQ(tile.offset(row, col),
                  col / panel * 16 * panel + row * panel +
                      (col % panel ^ tile.columnMask(row)));
    }
  }
}

TEST(SwizzledTile, PatternsOfTheHardwareModes) {
  auto expect = [](int32_t rowBytes, unsigned bits, unsigned shift) {
    Swizzle s = tileOf(8, rowBytes).swizzle();
    EXPECT_EQ(s.bits, bits) << rowBytes;
    EXPECT_EQ(s.base, 4u);
    EXPECT_EQ(s.shift, shift) << rowBytes;
  };
  expect(32, 1, 3);
  expect(64, 2, 3);
  expect(128, 3, 3);
  expect(256, 3, 3);
  EXPECT_EQ(tileOf(64, 192).panelBytes(), 64);
  // Row 5, chunk 2 of a 128-byte row is stored as chunk 7.
  EXPECT_EQ(tileOf(8, 128).offset(5, 32), 5u * 128 + 112);
  // The second panel of a 256-byte row starts after all rows.
  EXPECT_EQ(tileOf(64, 256).offset(0, 128), 64u * 128);
}

TEST(SwizzledTile, RefusesWhatItCannotHold) {
  auto reason = [](int32_t rows, int32_t rowBytes, int32_t panelBytes) {
    std::string error;
    EXPECT_FALSE(SwizzledTile::create(rows, rowBytes, panelBytes, &error));
    return error;
  };
  EXPECT_EQ(reason(12, 64, 0),
            "expected a positive multiple of 8 rows but got 12");
  EXPECT_EQ(reason(8, 40, 0), "expected rows of a positive multiple of 16 "
                              "bytes but got 40; pad the rows");
  EXPECT_EQ(reason(8, 192, 128),
            "expected a panel of a power of two of at least 16 bytes that "
            "divides the row of 192 bytes but got 128");
  EXPECT_EQ(reason(1 << 20, 1 << 20, 0),
            "expected a tile of less than 2^31 bytes but got 1099511627776");
}

} // namespace
