//===- Swizzle.cpp - shared memory without bank conflicts -----------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choice of swizzle for a row length, and the model of the banks that tests
// hold it against.
//
//===----------------------------------------------------------------------===//

#include "goat/Layout/Swizzle.h"

#include <algorithm>
#include <set>

using namespace goat::layout;

std::optional<SwizzledTile> SwizzledTile::create(int32_t rows, int32_t rowBytes,
                                                 int32_t panelBytes,
                                                 std::string *error) {
  auto refuse = [&](std::string reason) {
    if (error)
      *error = std::move(reason);
    return std::nullopt;
  };
  if (rows < 8 || rows % 8)
    return refuse("expected a positive multiple of 8 rows but got " +
                  std::to_string(rows));
  if (rowBytes < 16 || rowBytes % 16)
    return refuse("expected rows of a positive multiple of 16 bytes but got " +
                  std::to_string(rowBytes) + "; pad the rows");
  if (int64_t(rows) * rowBytes > INT32_MAX)
    return refuse("expected a tile of less than 2^31 bytes but got " +
                  std::to_string(int64_t(rows) * rowBytes));
  if (panelBytes == 0)
    panelBytes = std::min(rowBytes & -rowBytes, 128);
  if (panelBytes < 16 || (panelBytes & (panelBytes - 1)) ||
      rowBytes % panelBytes)
    return refuse("expected a panel of a power of two of at least 16 bytes "
                  "that divides the row of " +
                  std::to_string(rowBytes) + " bytes but got " +
                  std::to_string(panelBytes));
  unsigned log2Panel = 0;
  while (1 << log2Panel < panelBytes)
    ++log2Panel;
  // Rows shorter than 128 bytes already differ in the low chunk bits they do
  // not span; the row bits above those are what the chunk index lacks.
  constexpr unsigned log2Chunk = 4, log2Banks = 7;
  unsigned bits = std::min(log2Panel, log2Banks) - log2Chunk;
  unsigned shift = std::max(log2Panel, log2Banks) - log2Chunk;
  return SwizzledTile(rows, rowBytes, panelBytes, {bits, log2Chunk, shift});
}

uint32_t SwizzledTile::columnMask(uint32_t row) const {
  uint32_t address = row * bytesPerPanelRow;
  return pattern.apply(address) ^ address;
}

uint32_t SwizzledTile::offset(uint32_t row, uint32_t colByte) const {
  uint32_t panel = colByte / bytesPerPanelRow;
  return panel * numRows * bytesPerPanelRow +
         pattern.apply(row * bytesPerPanelRow + colByte % bytesPerPanelRow);
}

unsigned goat::layout::bankConflicts(const std::array<uint32_t, 32> &addresses,
                                     unsigned bytesPerLane) {
  unsigned lanesPerPass = std::min(32u, 128 / bytesPerLane);
  unsigned conflicts = 0;
  for (unsigned first = 0; first < 32; first += lanesPerPass) {
    std::array<std::set<uint32_t>, 32> wordsOfBank;
    for (unsigned lane = first; lane < first + lanesPerPass; ++lane)
      for (uint32_t word = addresses[lane] / 4,
                    last = (addresses[lane] + bytesPerLane - 1) / 4;
           word <= last; ++word)
        wordsOfBank[word % 32].insert(word);
    size_t most = 1;
    for (const std::set<uint32_t> &words : wordsOfBank)
      most = std::max(most, words.size());
    conflicts += unsigned(most) - 1;
  }
  return conflicts;
}
