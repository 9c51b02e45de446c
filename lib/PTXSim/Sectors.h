//===- Sectors.h - which global memory was touched ------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sectors are the 32 bytes that global memory moves at a time. How many
// different ones a block and a launch touch says what caches could save.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_PTXSIM_SECTORS_H
#define GOAT_LIB_PTXSIM_SECTORS_H

#include "MemoryImpl.h"

#include <memory>
#include <unordered_map>
#include <vector>

namespace goat::ptxsim {

constexpr unsigned sectorShift = 5;

/// Sectors are kept in regions of 64: the sector's address without the lowest
/// six bits of its number is the region, these bits say which bit of a word.
constexpr unsigned regionShift = 6;
inline uint64_t regionOf(uint64_t sector) { return sector >> regionShift; }
inline uint64_t bitOf(uint64_t sector) {
  return uint64_t(1) << (sector & ((1u << regionShift) - 1));
}

/// The sectors of one block: a hash table that is emptied in no time.
class SectorSet {
public:
  /// Adds sectors of one region, and returns those that were not there. The
  /// key tells apart what shall count apart.
  uint64_t insert(uint64_t key, uint64_t sectors);
  void clear();

private:
  struct Entry {
    uint64_t key = 0;
    uint64_t sectors = 0;
    uint32_t epoch = 0;
  };
  void grow();

  std::vector<Entry> entries;
  size_t count = 0;
  uint32_t epoch = 1;
};

/// The sectors of a launch: two bits for each in every allocation, in pages
/// that are only backed once touched. Several threads may mark at a time.
class SectorMap {
public:
  explicit SectorMap(const MemoryImpl &memory);
  ~SectorMap();
  SectorMap(const SectorMap &) = delete;

  /// How many of the sectors of a region, which lie in `allocation`, were not
  /// marked as read, or as written.
  unsigned mark(const Allocation &allocation, uint64_t region, uint64_t sectors,
                bool isWrite);

private:
  struct Bits {
    uint64_t *words = nullptr;
    uint64_t bytes = 0;
    /// Words of the read marks; those of the written ones follow.
    uint64_t half = 0;
  };
  std::unordered_map<const Allocation *, Bits> maps;
};

} // namespace goat::ptxsim

#endif // GOAT_LIB_PTXSIM_SECTORS_H
