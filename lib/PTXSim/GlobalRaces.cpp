//===- GlobalRaces.cpp - races in global memory ---------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shadow is one anonymous mapping per allocation, so that it costs memory
// only where the kernel goes; it lives as long as the launch. What clusters
// tell each other is kept by address, and cut short where it grows large.
//
//===----------------------------------------------------------------------===//

#include "GlobalRaces.h"
#include "Access.h"
#include "Cluster.h"

#include <sys/mman.h>

namespace goat::ptxsim {

namespace {

/// Beyond that many clusters or addresses everything passes for ordered.
constexpr size_t maxClusters = 4096;
constexpr size_t maxAddresses = size_t(1) << 16;

uint64_t shadowBytes(const Allocation &allocation, unsigned shift) {
  // The first granule may begin before the allocation.
  return ((allocation.size >> shift) + 2) * sizeof(RaceGranule);
}

} // namespace

bool RemoteKnowledge::knows(AccessMark mark) const {
  if (isComplete)
    return true;
  auto it = clusters.find(mark.cluster());
  return it != clusters.end() && mark.party() < it->second.size() &&
         mark.clock() <= it->second[mark.party()];
}

void RemoteKnowledge::add(const RemoteKnowledge &other) {
  isComplete |= other.isComplete;
  for (const auto &[cluster, clock] : other.clusters)
    join(clusters[cluster], clock);
}

void RemoteKnowledge::limit() {
  isComplete |= clusters.size() > maxClusters;
  if (isComplete)
    clusters.clear();
}

GlobalRaces::GlobalRaces(MemoryImpl &memory, uint32_t granuleBytes)
    : memory(memory) {
  granuleShift = static_cast<unsigned>(__builtin_ctz(granuleBytes));
  for (auto &allocation : memory.allocations) {
    if (allocation->isReadOnly || !allocation->size)
      continue;
    uint64_t bytes = shadowBytes(*allocation, granuleShift);
    void *mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    // Without room for the shadow of a huge allocation it is not watched.
    if (mapped == MAP_FAILED)
      continue;
    madvise(mapped, bytes, MADV_NOHUGEPAGE);
    allocation->races = static_cast<RaceGranule *>(mapped);
  }
}

GlobalRaces::~GlobalRaces() {
  for (auto &allocation : memory.allocations) {
    if (allocation->races)
      munmap(allocation->races, shadowBytes(*allocation, granuleShift));
    allocation->races = nullptr;
  }
}

void GlobalRaces::release(uint64_t address, uint64_t cluster, const Clock &own,
                          const RemotePointer &known, bool replaces) {
  std::lock_guard<std::mutex> lock(mutex);
  isUsed = true;
  auto next = std::make_shared<RemoteKnowledge>();
  auto it = released.find(address);
  if (it != released.end() && !replaces)
    next->add(*it->second);
  if (known)
    next->add(*known);
  join(next->clusters[cluster], own);
  next->isComplete |= released.size() > maxAddresses;
  next->limit();
  released[address] = std::move(next);
}

void GlobalRaces::forget(uint64_t address) {
  if (!isUsed.load(std::memory_order_relaxed))
    return;
  std::lock_guard<std::mutex> lock(mutex);
  released.erase(address);
}

RemotePointer GlobalRaces::find(uint64_t address) {
  if (!isUsed.load(std::memory_order_relaxed))
    return nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  auto it = released.find(address);
  return it == released.end() ? nullptr : it->second;
}

uint32_t RemoteLog::acquire(const RemotePointer &remote) {
  if (remote != last) {
    last = remote;
    if (entries.empty()) {
      entries.push_back(remote);
    } else {
      auto next = std::make_shared<RemoteKnowledge>(*entries.back());
      next->add(*remote);
      next->limit();
      entries.push_back(std::move(next));
    }
  }
  return static_cast<uint32_t>(entries.size());
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

namespace {

/// The accesses of one warp, compared with those before.
class Checker {
public:
  Checker(Warp &warp, const Instr &instr)
      : warp(warp), instr(instr), cluster(warp.block.cluster),
        remote(cluster.remotes.at(warp.clock.back())),
        mine(cluster.index, warp.party, warp.clock[warp.party],
             instr.access.isStrong) {}

  // A plain read beside atomics is no race here: loops around compare-and-swap
  // begin with one.
  void read(RaceGranule &granule, unsigned lane) {
    AccessMark writer(granule.writer.load(std::memory_order_relaxed));
    if (writer && !writer.isStrong() && !isOrdered(writer))
      note(lane, writer, false, false);
    if (mine.isStrong())
      return;
    AccessMark reader(granule.reader.load(std::memory_order_relaxed));
    if (reader.raw() == mine.raw() || reader.isMany())
      return;
    bool isOfMany =
        reader && reader.cluster() != mine.cluster() && !isOrdered(reader);
    granule.reader.store((isOfMany ? AccessMark::many() : mine).raw(),
                         std::memory_order_relaxed);
  }

  void write(RaceGranule &granule, unsigned lane) {
    AccessMark writer(granule.writer.load(std::memory_order_relaxed));
    AccessMark reader(granule.reader.load(std::memory_order_relaxed));
    if (writer && !(writer.isStrong() && mine.isStrong()) && !isOrdered(writer))
      note(lane, writer, false, true);
    else if (reader && !mine.isStrong() && !isOrdered(reader))
      note(lane, reader, true, true);
    if (writer.raw() != mine.raw())
      granule.writer.store(mine.raw(), std::memory_order_relaxed);
    if (reader && !mine.isStrong())
      granule.reader.store(0, std::memory_order_relaxed);
  }

  void report(const LaneAccess &access, const Allocation &allocation,
              uint32_t bytes) {
    if (!lanes)
      return;
    uint64_t address = access.address[__builtin_ctz(lanes)];
    std::string who;
    if (other.isMany())
      who = "several blocks read";
    else if (other.cluster() == cluster.index)
      who = cluster.partyName(other.party(), warp.block);
    else
      who = cluster.remoteName(other.cluster(), other.party());
    if (!other.isMany())
      who += otherReads ? " reads" : " wrote";
    warp.report(FindingKind::GlobalRace, instr, lanes, address,
                std::string(isWrite ? "writes " : "reads ") +
                    std::to_string(bytes) + " bytes at offset " +
                    std::to_string(address - allocation.base) + " of '" +
                    allocation.name + "' that " + who +
                    ", and nothing orders the two",
                allocation.name);
  }

private:
  bool isOrdered(AccessMark mark) const {
    // Who has learnt from other clusters may know all that have read.
    if (mark.isMany())
      return remote != nullptr;
    if (mark.cluster() == cluster.index)
      return mark.clock() <= warp.clock[mark.party()];
    return !mark.clock() || (remote && remote->knows(mark));
  }
  void note(unsigned lane, AccessMark mark, bool reads, bool writes) {
    if (!lanes) {
      other = mark;
      otherReads = reads;
      isWrite = writes;
    }
    lanes |= 1u << lane;
  }

  Warp &warp;
  const Instr &instr;
  Cluster &cluster;
  RemotePointer remote;
  AccessMark mine, other;
  bool otherReads = false, isWrite = false;
  uint32_t lanes = 0;
};

} // namespace

void checkGlobalRaces(Warp &warp, const Instr &instr, AccessKind kind,
                      uint32_t bytes, uint32_t mask, const LaneAccess &access,
                      const Allocation &allocation) {
  const GlobalRaces *races = warp.worker.launch.races.get();
  if (!races || !allocation.races)
    return;
  unsigned shift = races->shift();
  uint64_t first = allocation.base >> shift;
  Checker checker(warp, instr);
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    uint64_t address = access.address[lane];
    if (!allocation.contains(address, bytes))
      continue;
    // Granules of which only a part is touched are left alone.
    uint64_t begin = (address + (uint64_t(1) << shift) - 1) >> shift;
    uint64_t end = (address + bytes) >> shift;
    for (uint64_t g = begin; g < end; ++g) {
      RaceGranule &granule = allocation.races[g - first];
      if (kind == AccessKind::Read)
        checker.read(granule, lane);
      else
        checker.write(granule, lane);
    }
  }
  checker.report(access, allocation, bytes);
}

} // namespace goat::ptxsim
