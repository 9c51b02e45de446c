//===- Block.cpp - the warps and barriers of a block ----------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps the sixteen named barriers, and what was released with the values in
// memory.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"

#include <algorithm>

namespace goat::ptxsim {

void Block::start(const std::array<uint32_t, 3> &blockIndex) {
  LaunchState &launch = worker.launch;
  const LaunchConfig &config = launch.config;
  index = blockIndex;
  uint32_t threads = config.block[0] * config.block[1] * config.block[2];
  uint32_t numWarps = (threads + warpSize - 1) / warpSize;
  sectors.clear();
  shared.reset(sharedBase + (rank << rankShift), launch.sharedBytes,
               launch.sharedSegments, launch.sharedGranule,
               cluster.firstCopyParty(), worker.isChecked);
  for (Barrier &barrier : barriers)
    barrier = Barrier();
  mbarriers.clear();
  warpgroups.assign((numWarps + 3) / 4, Warpgroup());
  while (warps.size() < numWarps)
    warps.push_back(std::make_unique<Warp>(*this, worker));
  for (uint32_t w = 0; w < numWarps; ++w) {
    uint32_t left = threads - w * warpSize;
    warps[w]->start(w, left >= warpSize ? allLanes : (1u << left) - 1,
                    rank * numWarps + w, cluster.clockSize());
  }
}

bool Block::hasLeft() const {
  for (const auto &warp : warps)
    if (warp->state != Warp::State::Done)
      return false;
  return true;
}

void Block::order(Warp &warp, const AccessInfo &access, AccessKind kind,
                  uint64_t window, const uint64_t *address, uint32_t mask) {
  bool reads = kind != AccessKind::Write, writes = kind != AccessKind::Read;
  // From whom the value comes nobody asks: it may be another lane.
  if (reads && access.acquires)
    warp.meetLanes(warp.existing);
  auto &released = cluster.released;
  GlobalRaces *races =
      window || access.isBlockScope ? nullptr : worker.launch.races.get();
  if (reads && !released.empty())
    for (uint32_t left = mask; left; left &= left - 1) {
      auto it = released.find(window + address[__builtin_ctz(left)]);
      if (it != released.end())
        join(access.acquires ? warp.clock : warp.seen, it->second);
    }
  if (reads && races)
    for (uint32_t left = mask; left; left &= left - 1)
      if (RemotePointer remote = races->find(address[__builtin_ctz(left)]))
        warp.clock.back() =
            std::max(warp.clock.back(), cluster.remotes.acquire(remote));
  if (!writes)
    return;
  const Clock &own = access.releases ? warp.clock : warp.fenced;
  const Clock &wide = access.releases ? warp.clock : warp.fencedWide;
  for (uint32_t left = mask; left; left &= left - 1) {
    uint64_t key = window + address[__builtin_ctz(left)];
    // A store takes away what was released with the value before; an atomic
    // update passes it on.
    if (kind == AccessKind::Write && !released.empty())
      released.erase(key);
    if (!own.empty())
      join(released[key], own);
    if (races && !wide.empty())
      races->release(key, cluster.index, wide, cluster.remotes.at(wide.back()),
                     kind == AccessKind::Write);
    else if (races && kind == AccessKind::Write)
      races->forget(key);
  }
  // What the warp does from here on is not released.
  warp.clock[warp.party] += access.releases;
}

void Block::fence(Warp &warp, bool isBlockScope) {
  warp.laneOrder.fence(warp.now());
  join(warp.clock, warp.seen);
  warp.fenced = warp.clock;
  if (!isBlockScope)
    warp.fencedWide = warp.clock;
  ++warp.clock[warp.party];
}

void Block::arrive(Warp &warp, const Instr &instr, uint32_t barrierIndex,
                   uint32_t threads, bool waits, uint32_t lanes,
                   uint32_t lanesSet) {
  Barrier &barrier = barriers[barrierIndex];
  bool countsAll = threads == 0;
  uint32_t expected =
      countsAll ? static_cast<uint32_t>(warps.size()) : threads / warpSize;
  if (barrier.arrivedWarps == 0) {
    barrier.expectedWarps = expected;
    barrier.countsAll = countsAll;
  } else if (barrier.expectedWarps != expected) {
    warp.report(FindingKind::BarrierMismatch, instr, lanes, barrierIndex,
                "barrier " + std::to_string(barrierIndex) + " expects " +
                    std::to_string(expected * warpSize) +
                    " threads here but the warps that arrived before expect " +
                    std::to_string(barrier.expectedWarps * warpSize));
  }
  ++barrier.arrivedWarps;
  join(barrier.clock, warp.clock);
  barrier.population +=
      static_cast<uint32_t>(__builtin_popcount(lanesSet & lanes));
  barrier.all &= (lanes & ~lanesSet) == 0;
  barrier.any |= (lanes & lanesSet) != 0;
  // What the warp does from here on is after its arrival.
  ++warp.clock[warp.party];
  if (waits) {
    warp.meetLanes(lanes);
    barrier.waiting.push_back(&warp);
    warp.state = Warp::State::Waiting;
    warp.waitsAt = &instr;
    warp.waitsFor = Warp::WaitsFor::Barrier;
    warp.waitsForBarrier = barrierIndex;
    warp.yields = true;
  }
  if (barrier.arrivedWarps >= barrier.expectedWarps)
    release(barrier);
}

void Block::release(Barrier &barrier) {
  for (Warp *warp : barrier.waiting) {
    join(warp->clock, barrier.clock);
    warp->state = Warp::State::Ready;
    const Instr &instr = *warp->waitsAt;
    // bar.red leaves its result: flags say which reduction.
    if (instr.flags == 'p') {
      uint32_t values[warpSize];
      std::fill(values, values + warpSize, barrier.population);
      warp->store(instr.op[0], values, warp->active);
    } else if (instr.flags == 'a' || instr.flags == 'o') {
      bool bit = instr.flags == 'a' ? barrier.all : barrier.any;
      warp->storePredicate(instr.predicateDst[0], bit ? allLanes : 0,
                           warp->active);
    }
    warp->waitsAt = nullptr;
  }
  barrier = Barrier();
}

bool Block::releaseAbandoned() {
  for (size_t b = 0; b < barriers.size(); ++b) {
    Barrier &barrier = barriers[b];
    if (barrier.waiting.empty() || !barrier.countsAll)
      continue;
    Warp &warp = *barrier.waiting.front();
    size_t left = 0;
    for (auto &other : warps)
      left += other->state == Warp::State::Done;
    if (!left)
      continue;
    warp.report(FindingKind::BarrierDivergence, *warp.waitsAt, warp.active, b,
                "barrier " + std::to_string(b) + " waits for all " +
                    std::to_string(warps.size()) + " warps but " +
                    std::to_string(left) +
                    " of them have left the kernel without reaching it");
    release(barrier);
    return true;
  }
  return false;
}

std::string Block::describeBarrier(const Warp &warp) const {
  const Barrier &barrier = barriers[warp.waitsForBarrier];
  return "barrier " + std::to_string(warp.waitsForBarrier) + ", which " +
         std::to_string(barrier.arrivedWarps) + " of " +
         std::to_string(barrier.expectedWarps) + " warps have reached";
}

} // namespace goat::ptxsim
