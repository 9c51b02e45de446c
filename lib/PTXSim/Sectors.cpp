//===- Sectors.cpp - which global memory was touched ----------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hash table with linear probing whose entries carry the epoch they belong
// to, and bit maps in anonymous mappings.
//
//===----------------------------------------------------------------------===//

#include "Sectors.h"

#include <algorithm>
#include <sys/mman.h>

namespace goat::ptxsim {

bool SectorSet::insert(uint64_t sector) {
  if (2 * count >= entries.size())
    grow();
  size_t last = entries.size() - 1;
  // Fibonacci hashing: the high bits of the product depend on all of the key.
  size_t at = (sector * 0x9E3779B97F4A7C15ull >> 32) & last;
  while (entries[at].epoch == epoch) {
    if (entries[at].sector == sector)
      return false;
    at = (at + 1) & last;
  }
  entries[at] = {sector, epoch};
  ++count;
  return true;
}

void SectorSet::grow() {
  std::vector<Entry> old = std::move(entries);
  uint32_t oldEpoch = epoch;
  entries.assign(std::max<size_t>(256, 2 * old.size()), Entry());
  epoch = 1;
  count = 0;
  for (const Entry &entry : old)
    if (entry.epoch == oldEpoch)
      insert(entry.sector);
}

void SectorSet::clear() {
  count = 0;
  if (++epoch == 0) {
    entries.assign(entries.size(), Entry());
    epoch = 1;
  }
}

SectorMap::SectorMap(const MemoryImpl &memory) {
  for (const auto &allocation : memory.allocations) {
    Bits bits;
    // An allocation may begin and end within a sector.
    uint64_t sectors = (allocation->size >> sectorShift) + 2;
    bits.half = sectors / 64 + 1;
    bits.bytes = 2 * bits.half * sizeof(uint64_t);
    void *mapped = mmap(nullptr, bits.bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED)
      continue; // its sectors are not counted
    bits.words = static_cast<uint64_t *>(mapped);
    maps[allocation.get()] = bits;
  }
}

SectorMap::~SectorMap() {
  for (auto &[allocation, bits] : maps)
    munmap(bits.words, bits.bytes);
}

bool SectorMap::mark(const Allocation &allocation, uint64_t sector,
                     bool isWrite) {
  auto it = maps.find(&allocation);
  if (it == maps.end())
    return false;
  const Bits &bits = it->second;
  uint64_t index = sector - (allocation.base >> sectorShift);
  uint64_t *word = bits.words + (isWrite ? bits.half : 0) + index / 64;
  uint64_t bit = uint64_t(1) << index % 64;
  if (__atomic_load_n(word, __ATOMIC_RELAXED) & bit)
    return false;
  return !(__atomic_fetch_or(word, bit, __ATOMIC_RELAXED) & bit);
}

} // namespace goat::ptxsim
