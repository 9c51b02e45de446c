//===- Shared.cpp - shared memory of a block ------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An access by warp a at its clock c happens before an access by warp b when b
// has learnt, through barriers or through a release it has acquired, of a's
// clock c or a later one.
//
//===----------------------------------------------------------------------===//

#include "Shared.h"
#include "MemoryImpl.h"

namespace goat::ptxsim {

void SharedMemory::reset(uint32_t begin, uint32_t bytes,
                         const std::vector<SharedSegment> &parts,
                         uint32_t granule, uint32_t warps, bool isWatched) {
  base = begin;
  size = bytes;
  segments = &parts;
  isDivided = parts.size() > 1;
  numWarps = warps;
  shift = 0;
  while ((2u << shift) <= granule)
    ++shift;
  uint32_t count = isWatched ? (bytes >> shift) + 1 : 0;
  // What a block finds in shared memory is left over from others.
  data.assign(bytes, 0xCB);
  granules.assign(count, Granule());
  readClocks.assign(size_t(count) * warps, 0);
  strongReads.clear();
  strongWrites.clear();
  pendingReads.clear();
}

const SharedSegment *SharedMemory::segmentBefore(uint64_t address) const {
  const SharedSegment *best = nullptr;
  for (const SharedSegment &segment : *segments)
    if (address >= base && address - base >= segment.begin)
      best = &segment;
  return best;
}

SharedMemory::Problem SharedMemory::explainRead(const Granule &granule,
                                                const uint32_t *clock,
                                                uint32_t &otherWarp) const {
  if (granule.state == inFlight || granule.state == reducing)
    return Problem::InFlight;
  if (granule.state == untouched)
    return Problem::Uninitialised;
  if (granule.state == mbarrier)
    return Problem::Mbarrier;
  if (granule.writeClock <= clock[granule.writer])
    return Problem::None;
  if (granule.writer >= numWarps)
    return Problem::InFlight;
  otherWarp = granule.writer;
  return Problem::WriteRace;
}

SharedMemory::Problem SharedMemory::explainWrite(const Granule &granule,
                                                 const uint32_t *reads,
                                                 const uint32_t *clock,
                                                 uint32_t &otherWarp) const {
  if (granule.state == inFlight || granule.state == reducing)
    return Problem::InFlight;
  if (granule.state == mbarrier)
    return Problem::Mbarrier;
  if (granule.writeClock > clock[granule.writer]) {
    if (granule.writer >= numWarps)
      return Problem::InFlight;
    otherWarp = granule.writer;
    return Problem::WriteRace;
  }
  for (uint32_t w = 0; w < numWarps; ++w)
    if (reads[w] > clock[w])
      otherWarp = w;
  return Problem::ReadRace;
}

SharedMemory::Problem SharedMemory::strong(uint64_t address, uint32_t bytes,
                                           bool reads, bool writes,
                                           uint32_t warp, const uint32_t *clock,
                                           uint32_t &otherWarp) {
  if (strongWrites.empty()) {
    strongReads.assign(readClocks.size(), 0);
    strongWrites.assign(readClocks.size(), 0);
  }
  uint32_t first = static_cast<uint32_t>(address - base) >> shift;
  uint32_t last = static_cast<uint32_t>(address - base + bytes - 1) >> shift;
  Problem problem = Problem::None;
  for (uint32_t g = first; g <= last; ++g) {
    Granule &granule = granules[g];
    if (granule.writeClock > clock[granule.writer]) {
      otherWarp = granule.writer;
      problem = Problem::WriteRace;
    } else if (writes && !isKnown(readClocks, g, clock, otherWarp)) {
      problem = Problem::ReadRace;
    }
    if (granule.state == inFlight || granule.state == reducing ||
        (problem == Problem::WriteRace && granule.writer >= numWarps))
      problem = Problem::InFlight;
    else if (granule.state == mbarrier)
      problem = Problem::Mbarrier;
    else if (writes && !pendingReads.empty() && pendingReads[g])
      problem = Problem::PendingRead;
    else if (reads && granule.state == untouched)
      problem = Problem::Uninitialised;
    if (reads)
      strongReads[size_t(g) * numWarps + warp] = clock[warp];
    if (writes) {
      strongWrites[size_t(g) * numWarps + warp] = clock[warp];
      if (granule.state == untouched)
        granule.state = written;
    }
  }
  return problem;
}

SharedMemory::Problem SharedMemory::checkLanes(const Granule &granule,
                                               const SharedAccess &by,
                                               Problem problem,
                                               uint32_t &other) const {
  if (granule.writer == by.warp &&
      !by.order->knows(by.lane, granule.writeLane, granule.writeTime)) {
    if (granule.writeTime == by.now)
      return problem == Problem::None ? Problem::Overlap : problem;
    other = granule.writeLane;
    return Problem::LaneWriteRace;
  }
  const Granule::Reader &reader = granule.reader;
  if (reader.warp == by.warp &&
      !by.order->knows(by.lane, reader.lane, reader.time)) {
    other = reader.lane;
    return Problem::LaneReadRace;
  }
  return problem;
}

bool SharedMemory::isFenced(uint32_t g, const uint32_t *proxyClock,
                            uint32_t &other) const {
  const Granule &granule = granules[g];
  if (granule.state == written &&
      granule.writeClock > proxyClock[granule.writer]) {
    other = granule.writer;
    return false;
  }
  return strongWrites.empty() || isKnown(strongWrites, g, proxyClock, other);
}

SharedMemory::Problem SharedMemory::beginCopy(uint64_t address, uint32_t bytes,
                                              const SharedAccess &by,
                                              const uint32_t *proxyClock,
                                              uint32_t &other) {
  uint32_t first = static_cast<uint32_t>(address - base) >> shift;
  uint32_t last = static_cast<uint32_t>(address - base + bytes - 1) >> shift;
  bool needsFence = false;
  uint32_t unfenced = 0;
  for (uint32_t g = first; proxyClock && g <= last; ++g)
    needsFence |= !isFenced(g, proxyClock, unfenced);
  Problem problem = write(address, bytes, by, other);
  for (uint32_t g = first; g <= last; ++g)
    granules[g].state = inFlight;
  if (problem == Problem::None && needsFence) {
    problem = Problem::MissingFence;
    other = unfenced;
  }
  return problem;
}

SharedMemory::Problem SharedMemory::beginReduction(uint64_t address,
                                                   uint32_t bytes,
                                                   const SharedAccess &by,
                                                   const uint32_t *proxyClock,
                                                   uint32_t &other) {
  uint32_t first = static_cast<uint32_t>(address - base) >> shift;
  uint32_t last = static_cast<uint32_t>(address - base + bytes - 1) >> shift;
  Problem problem = Problem::None;
  for (uint32_t g = first; g <= last; ++g) {
    // Among themselves reductions need no order.
    if (granules[g].state == reducing)
      continue;
    bool isUntouched = granules[g].state == untouched;
    uint32_t unfenced = 0;
    bool needsFence = proxyClock && !isFenced(g, proxyClock, unfenced);
    Problem found = write(base + (uint64_t(g) << shift), 1, by, other);
    if (found == Problem::None && isUntouched)
      found = Problem::Uninitialised;
    if (found == Problem::None && needsFence) {
      found = Problem::MissingFence;
      other = unfenced;
    }
    problem = found == Problem::None ? problem : found;
    granules[g].state = reducing;
  }
  return problem;
}

void SharedMemory::endCopy(uint64_t address, uint32_t bytes, uint32_t writer,
                           uint32_t now) {
  uint32_t first = static_cast<uint32_t>(address - base) >> shift;
  uint32_t last = static_cast<uint32_t>(address - base + bytes - 1) >> shift;
  for (uint32_t g = first; g <= last; ++g) {
    granules[g] = Granule();
    granules[g].writeClock = now;
    granules[g].writer = static_cast<uint16_t>(writer);
    granules[g].state = written;
  }
}

void SharedMemory::endCopy(uint64_t address, uint32_t bytes,
                           const SharedAccess &by) {
  endCopy(address, bytes, by.warp, by.clock[by.warp]);
  uint32_t first = static_cast<uint32_t>(address - base) >> shift;
  uint32_t last = static_cast<uint32_t>(address - base + bytes - 1) >> shift;
  for (uint32_t g = first; g <= last; ++g) {
    granules[g].writeLane = static_cast<uint8_t>(by.lane);
    granules[g].writeTime = by.now;
  }
}

SharedMemory::Problem SharedMemory::beginAsyncRead(uint64_t address,
                                                   uint32_t bytes,
                                                   const uint32_t *clock,
                                                   const uint32_t *proxyClock,
                                                   uint32_t &otherWarp) {
  if (pendingReads.empty())
    pendingReads.assign(granules.size(), 0);
  uint32_t first = static_cast<uint32_t>(address - base) >> shift;
  uint32_t last = static_cast<uint32_t>(address - base + bytes - 1) >> shift;
  Problem problem = Problem::None;
  for (uint32_t g = first; g <= last; ++g) {
    const Granule &granule = granules[g];
    ++pendingReads[g];
    if (granule.state != written || granule.writeClock > clock[granule.writer])
      problem = explainRead(granule, clock, otherWarp);
    else if (!strongWrites.empty() &&
             !isKnown(strongWrites, g, clock, otherWarp))
      problem = Problem::WriteRace;
    else if (!isFenced(g, proxyClock, otherWarp))
      problem = Problem::MissingFence;
  }
  return problem;
}

void SharedMemory::endAsyncRead(uint64_t address, uint32_t bytes,
                                uint32_t reader, uint32_t now) {
  if (pendingReads.empty())
    return;
  uint32_t first = static_cast<uint32_t>(address - base) >> shift;
  uint32_t last = static_cast<uint32_t>(address - base + bytes - 1) >> shift;
  for (uint32_t g = first; g <= last; ++g) {
    --pendingReads[g];
    readClocks[size_t(g) * numWarps + reader] = now;
  }
}

void SharedMemory::cancelAsyncRead(uint64_t address, uint32_t bytes) {
  if (pendingReads.empty())
    return;
  uint32_t first = static_cast<uint32_t>(address - base) >> shift;
  uint32_t last = static_cast<uint32_t>(address - base + bytes - 1) >> shift;
  for (uint32_t g = first; g <= last; ++g)
    --pendingReads[g];
}

void SharedMemory::setMbarrier(uint64_t address, uint32_t bytes, bool isOne) {
  if (granules.empty())
    return;
  uint32_t first = static_cast<uint32_t>(address - base) >> shift;
  uint32_t last = static_cast<uint32_t>(address - base + bytes - 1) >> shift;
  for (uint32_t g = first; g <= last; ++g)
    granules[g].state = isOne ? mbarrier : untouched;
}

} // namespace goat::ptxsim
