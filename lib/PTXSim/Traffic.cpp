//===- Traffic.cpp - what memory accesses cost ----------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes and bank conflicts in shared memory, sectors of global memory.
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "Wide.h"

#include <algorithm>

namespace goat::ptxsim {

namespace {

/// The bit of the bank each lane wants, 0 for lanes outside of `mask`.
GOAT_PTXSIM_CLONES
void findBanks(const uint64_t *address, unsigned unitShift, unsigned banks,
               uint32_t mask, uint32_t *bit) {
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    uint32_t bank = static_cast<uint32_t>(address[lane] >> unitShift);
    bit[lane] = (mask >> lane & 1) << (bank & (banks - 1));
  }
}

} // namespace

void countShared(Warp &warp, const Instr &instr, const uint64_t *address,
                 uint32_t bytes, uint32_t mask) {
  // A pass serves 128 bytes: 32 lanes of 4 bytes, 16 of 8 or 8 of 16. Aligned
  // accesses of 8 and 16 bytes take 2 and 4 neighbouring banks, so banks count
  // in units of the access. Within a pass every bank delivers one unit; lanes
  // that want the same one share it.
  unsigned unitShift = bytes <= 4 ? 2 : bytes == 8 ? 3 : 4;
  unsigned banks = 128u >> unitShift;
  uint32_t bits[warpSize];
  findBanks(address, unitShift, banks, mask, bits);
  uint64_t total = 0, extra = 0;
  for (unsigned begin = 0; begin < warpSize; begin += banks) {
    uint32_t group = banks == 32 ? mask : mask >> begin & ((1u << banks) - 1);
    if (!group)
      continue;
    uint32_t taken = 0;
    for (unsigned lane = begin; lane < begin + banks; ++lane)
      taken |= bits[lane];
    if (__builtin_popcount(taken) == __builtin_popcount(group)) {
      ++total;
      continue;
    }
    taken = 0;
    uint32_t unit[warpSize];
    unsigned passes = 1;
    // Units that found their bank taken by another one.
    uint32_t spilled[warpSize];
    unsigned numSpilled = 0;
    for (uint32_t left = group; left; left &= left - 1) {
      unsigned lane = begin + static_cast<unsigned>(__builtin_ctz(left));
      uint32_t index = static_cast<uint32_t>(address[lane] >> unitShift);
      uint32_t bank = index & (banks - 1);
      if (!(taken >> bank & 1)) {
        taken |= 1u << bank;
        unit[bank] = index;
      } else if (unit[bank] != index) {
        spilled[numSpilled++] = index;
      }
    }
    if (numSpilled) {
      std::sort(spilled, spilled + numSpilled);
      unsigned distinct = static_cast<unsigned>(
          std::unique(spilled, spilled + numSpilled) - spilled);
      unsigned perBank[warpSize] = {};
      for (unsigned i = 0; i < distinct; ++i)
        passes = std::max(passes, 1 + ++perBank[spilled[i] & (banks - 1)]);
    }
    total += passes;
    extra += passes - 1;
  }
  InstrCounts &counts = warp.worker.counts[instr.id];
  counts.wavefronts += total;
  counts.conflicts += extra;
}

void noteSectors(Warp &warp, uint64_t region, uint64_t sectors, AccessKind kind,
                 const Allocation *&allocation) {
  // Reads and writes of one sector are different things to the memory.
  uint64_t added = warp.block.sectors.insert(
      region << 1 | (kind == AccessKind::Write), sectors);
  if (!added)
    return;
  Worker &worker = warp.worker;
  worker.blockSectors += static_cast<unsigned>(__builtin_popcountll(added));
  // Allocations are so far apart that a region has one at most, which may begin
  // within the first of the sectors.
  uint64_t first =
      (region << regionShift) + static_cast<unsigned>(__builtin_ctzll(added));
  uint64_t address = first << sectorShift;
  uint64_t last = address + (1u << sectorShift) - 1;
  if (!allocation ||
      !(allocation->contains(address, 1) || allocation->contains(last, 1))) {
    allocation = worker.launch.memory.find(last);
    if (!allocation)
      allocation = worker.launch.memory.find(address);
    if (!allocation)
      return;
  }
  SectorMap &map = *worker.launch.sectors;
  if (kind != AccessKind::Write)
    worker.uniqueSectorsRead += map.mark(*allocation, region, added, false);
  if (kind != AccessKind::Read)
    worker.uniqueSectorsWritten += map.mark(*allocation, region, added, true);
}

void countGlobal(Warp &warp, const Instr &instr, AccessKind kind,
                 const uint64_t *address, uint32_t bytes, uint32_t mask) {
  uint64_t sectors[warpSize];
  unsigned count = 0;
  bool isSorted = true;
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    uint64_t sector = address[lane] >> sectorShift;
    if (count && sector == sectors[count - 1])
      continue;
    isSorted &= !count || sector > sectors[count - 1];
    sectors[count++] = sector;
  }
  if (!isSorted) {
    std::sort(sectors, sectors + count);
    count =
        static_cast<unsigned>(std::unique(sectors, sectors + count) - sectors);
  }
  const Allocation *allocation = warp.worker.allocationCache[instr.id];
  for (unsigned i = 0; i < count;) {
    uint64_t region = regionOf(sectors[i]), bits = 0;
    for (; i < count && regionOf(sectors[i]) == region; ++i)
      bits |= bitOf(sectors[i]);
    noteSectors(warp, region, bits, kind, allocation);
  }
  InstrCounts &counts = warp.worker.counts[instr.id];
  counts.sectors += count;
  counts.bytes +=
      uint64_t(bytes) * static_cast<unsigned>(__builtin_popcount(mask));
}

} // namespace goat::ptxsim
