//===- Block.cpp - scheduling the warps of a block ------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Picks warps at random for random stretches, keeps the sixteen named barriers,
// and explains why nothing moves when nothing does.
//
//===----------------------------------------------------------------------===//

#include "Launch.h"

#include <algorithm>

namespace goat::ptxsim {

void Block::run(uint64_t linearIndex) {
  LaunchState &launch = worker.launch;
  const LaunchConfig &config = launch.config;
  index[0] = static_cast<uint32_t>(linearIndex % config.grid[0]);
  index[1] =
      static_cast<uint32_t>(linearIndex / config.grid[0] % config.grid[1]);
  index[2] =
      static_cast<uint32_t>(linearIndex / config.grid[0] / config.grid[1]);
  random.seed(config.seed * 0x9E3779B97F4A7C15ull + linearIndex);
  uint32_t threads = config.block[0] * config.block[1] * config.block[2];
  uint32_t numWarps = (threads + warpSize - 1) / warpSize;
  shared.reset(launch.sharedBytes, launch.sharedGranule, numWarps);
  for (Barrier &barrier : barriers) {
    barrier = Barrier();
    barrier.clock.assign(numWarps, 0);
  }
  released.clear();
  while (warps.size() < numWarps)
    warps.push_back(std::make_unique<Warp>(*this, worker));
  for (uint32_t w = 0; w < numWarps; ++w) {
    uint32_t left = threads - w * warpSize;
    warps[w]->start(w, left >= warpSize ? allLanes : (1u << left) - 1,
                    numWarps);
  }

  std::vector<Warp *> ready;
  uint64_t issued = 0;
  while (!launch.stop.load(std::memory_order_relaxed)) {
    ready.clear();
    bool isDone = true;
    for (auto &warp : warps) {
      if (warp->state == Warp::State::Ready)
        ready.push_back(warp.get());
      isDone &= warp->state == Warp::State::Done;
    }
    if (isDone)
      return;
    if (ready.empty()) {
      if (!resolveStall())
        return;
      continue;
    }
    uint64_t draw = random();
    Warp &warp = *ready[draw % ready.size()];
    uint64_t budget = uint64_t(16) << (draw >> 32) % 6;
    issued += warp.run(ready.size() == 1 ? 4096 : budget);
    if (issued > config.maxBlockInstructions) {
      const Instr &at = warp.code[std::min(warp.pc, warp.codeSize - 1)];
      warp.report(FindingKind::StepLimit, at, warp.active, 0,
                  "the block has executed " +
                      std::to_string(config.maxBlockInstructions) +
                      " warp instructions and goes on; raise the limit if it "
                      "may");
      return;
    }
  }
}

/// The later of both, clock by clock; an empty vector knows nothing.
static void join(std::vector<uint32_t> &into,
                 const std::vector<uint32_t> &from) {
  into.resize(std::max(into.size(), from.size()), 0);
  for (size_t w = 0; w < from.size(); ++w)
    into[w] = std::max(into[w], from[w]);
}

void Block::order(Warp &warp, const AccessInfo &access, AccessKind kind,
                  uint64_t window, const uint64_t *address, uint32_t mask) {
  bool reads = kind != AccessKind::Write, writes = kind != AccessKind::Read;
  if (reads && !released.empty())
    for (uint32_t left = mask; left; left &= left - 1) {
      auto it = released.find(window + address[__builtin_ctz(left)]);
      if (it != released.end())
        join(access.acquires ? warp.clock : warp.seen, it->second);
    }
  if (!writes)
    return;
  const std::vector<uint32_t> &own = access.releases ? warp.clock : warp.fenced;
  for (uint32_t left = mask; left; left &= left - 1) {
    uint64_t key = window + address[__builtin_ctz(left)];
    // A store takes away what was released with the value before; an atomic
    // update passes it on.
    if (kind == AccessKind::Write && !released.empty())
      released.erase(key);
    if (!own.empty())
      join(released[key], own);
  }
  // What the warp does from here on is not released.
  warp.clock[warp.id] += access.releases;
}

void Block::fence(Warp &warp) {
  join(warp.clock, warp.seen);
  warp.fenced = warp.clock;
  ++warp.clock[warp.id];
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
  for (size_t w = 0; w < warps.size(); ++w)
    barrier.clock[w] = std::max(barrier.clock[w], warp.clock[w]);
  barrier.population +=
      static_cast<uint32_t>(__builtin_popcount(lanesSet & lanes));
  barrier.all &= (lanes & ~lanesSet) == 0;
  barrier.any |= (lanes & lanesSet) != 0;
  // What the warp does from here on is after its arrival.
  ++warp.clock[warp.id];
  if (waits) {
    barrier.waiting.push_back(&warp);
    warp.state = Warp::State::Waiting;
    warp.waitsAt = &instr;
    warp.waitsForBarrier = barrierIndex;
    warp.yields = true;
  }
  if (barrier.arrivedWarps >= barrier.expectedWarps)
    release(barrier);
}

void Block::release(Barrier &barrier) {
  for (Warp *warp : barrier.waiting) {
    for (size_t w = 0; w < warps.size(); ++w)
      if (w != warp->id)
        warp->clock[w] = std::max(warp->clock[w], barrier.clock[w]);
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
  uint32_t numWarps = static_cast<uint32_t>(warps.size());
  barrier = Barrier();
  barrier.clock.assign(numWarps, 0);
}

bool Block::resolveStall() {
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
  std::string who;
  Warp *first = nullptr;
  for (auto &warp : warps) {
    if (warp->state != Warp::State::Waiting)
      continue;
    const Barrier &barrier = barriers[warp->waitsForBarrier];
    if (!first)
      first = warp.get();
    who += (who.empty() ? "" : "; ") + std::string("warp ") +
           std::to_string(warp->id) + " waits at line " +
           std::to_string(warp->waitsAt->line) + " for barrier " +
           std::to_string(warp->waitsForBarrier) + ", which " +
           std::to_string(barrier.arrivedWarps) + " of " +
           std::to_string(barrier.expectedWarps) + " warps have reached";
  }
  if (first)
    first->report(FindingKind::Deadlock, *first->waitsAt, first->active,
                  first->waitsForBarrier, who);
  return false;
}

} // namespace goat::ptxsim
