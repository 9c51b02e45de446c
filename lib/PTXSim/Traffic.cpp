//===- Traffic.cpp - what memory accesses cost ----------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes and bank conflicts in shared memory, sectors of global memory.
//
//===----------------------------------------------------------------------===//

#include "Access.h"

#include <algorithm>

namespace goat::ptxsim {

void countShared(Warp &warp, const Instr &instr, const uint64_t *address,
                 uint32_t bytes, uint32_t mask) {
  // A pass serves 128 bytes: 32 lanes of 4 bytes, 16 of 8 or 8 of 16. Aligned
  // accesses of 8 and 16 bytes take 2 and 4 neighbouring banks, so banks count
  // in units of the access. Within a pass every bank delivers one unit; lanes
  // that want the same one share it.
  unsigned unitShift = bytes <= 4 ? 2 : bytes == 8 ? 3 : 4;
  unsigned banks = 128u >> unitShift;
  uint64_t total = 0, extra = 0;
  for (unsigned begin = 0; begin < warpSize; begin += banks) {
    uint32_t group = banks == 32 ? mask : mask >> begin & ((1u << banks) - 1);
    if (!group)
      continue;
    uint32_t taken = 0;
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

void noteSector(Warp &warp, uint64_t sector, AccessKind kind,
                const Allocation *&allocation) {
  // Reads and writes of one sector are different things to the memory.
  if (!warp.block.sectors.insert(sector << 1 | (kind == AccessKind::Write)))
    return;
  Worker &worker = warp.worker;
  ++worker.blockSectors;
  uint64_t address = sector << sectorShift;
  // An allocation may begin within its first sector.
  uint64_t last = address + (1u << sectorShift) - 1;
  if (!allocation ||
      !(allocation->contains(address, 1) || allocation->contains(last, 1))) {
    allocation = worker.launch.memory.find(last);
    if (!allocation)
      allocation = worker.launch.memory.find(address);
    if (!allocation)
      return;
  }
  SectorMap &sectors = *worker.launch.sectors;
  if (kind != AccessKind::Write)
    worker.uniqueSectorsRead += sectors.mark(*allocation, sector, false);
  if (kind != AccessKind::Read)
    worker.uniqueSectorsWritten += sectors.mark(*allocation, sector, true);
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
  for (unsigned i = 0; i < count; ++i)
    noteSector(warp, sectors[i], kind, allocation);
  InstrCounts &counts = warp.worker.counts[instr.id];
  counts.sectors += count;
  counts.bytes +=
      uint64_t(bytes) * static_cast<unsigned>(__builtin_popcount(mask));
}

} // namespace goat::ptxsim
