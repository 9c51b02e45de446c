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

uint64_t SectorSet::insert(uint64_t key, uint64_t sectors) {
  if (2 * count >= entries.size())
    grow();
  size_t last = entries.size() - 1;
  // Fibonacci hashing: the high bits of the product depend on all of the key.
  size_t at = (key * 0x9E3779B97F4A7C15ull >> 32) & last;
  while (entries[at].epoch == epoch) {
    Entry &entry = entries[at];
    if (entry.key == key) {
      uint64_t added = sectors & ~entry.sectors;
      entry.sectors |= added;
      return added;
    }
    at = (at + 1) & last;
  }
  entries[at] = {key, sectors, epoch};
  ++count;
  return sectors;
}

void SectorSet::grow() {
  std::vector<Entry> old = std::move(entries);
  uint32_t oldEpoch = epoch;
  entries.assign(std::max<size_t>(64, 2 * old.size()), Entry());
  epoch = 1;
  count = 0;
  for (const Entry &entry : old)
    if (entry.epoch == oldEpoch)
      insert(entry.key, entry.sectors);
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
    // An allocation may begin and end within a region.
    bits.half = (allocation->size >> (sectorShift + regionShift)) + 2;
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

unsigned SectorMap::mark(const Allocation &allocation, uint64_t region,
                         uint64_t sectors, bool isWrite) {
  auto it = maps.find(&allocation);
  if (it == maps.end())
    return 0;
  const Bits &bits = it->second;
  uint64_t index = region - regionOf(allocation.base >> sectorShift);
  uint64_t *word = bits.words + (isWrite ? bits.half : 0) + index;
  if (!(sectors & ~__atomic_load_n(word, __ATOMIC_RELAXED)))
    return 0;
  uint64_t before = __atomic_fetch_or(word, sectors, __ATOMIC_RELAXED);
  return static_cast<unsigned>(__builtin_popcountll(sectors & ~before));
}

} // namespace goat::ptxsim
