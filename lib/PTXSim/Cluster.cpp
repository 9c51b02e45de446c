//===- Cluster.cpp - scheduling the warps of a cluster --------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Picks warps at random for random stretches, keeps the barrier of the cluster,
// and explains why nothing moves when nothing does.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"

#include <cstdio>

namespace goat::ptxsim {

Cluster::Cluster(Worker &worker) : worker(worker) {
  const LaunchState &launch = worker.launch;
  const auto &ntid = launch.config.block;
  warpsPerBlock = (ntid[0] * ntid[1] * ntid[2] + warpSize - 1) / warpSize;
  numWarps = warpsPerBlock * launch.blocksPerGang;
  isAsync = launch.usesAsync;
  if (isAsync)
    warpgroupsPerBlock = (warpsPerBlock + warpgroupWarps - 1) / warpgroupWarps;
  numWarpgroups = warpgroupsPerBlock * launch.blocksPerGang;
  parties = firstCopyParty() + (isAsync ? asyncParties : 0);
  for (uint32_t rank = 0; rank < launch.blocksPerGang; ++rank)
    blocks.push_back(std::make_unique<Block>(worker, *this, rank));
}

void Cluster::start(uint64_t linearIndex) {
  const LaunchState &launch = worker.launch;
  std::array<uint32_t, 3> origin = launch.originOf(linearIndex);
  const auto &size = launch.gang;
  index = linearIndex;
  remotes.clear();
  random.seed(launch.config.seed * 0x9E3779B97F4A7C15ull + linearIndex);
  released.clear();
  inFlight.clear();
  barrierClock.clear();
  barrierCompleted.clear();
  isBarrierOpen = false;
  copyClocks.fill(0);
  nextCopyParty = 0;
  idleRounds = 0;
  peerUses.assign(blocks.size() > 1 ? blocks.size() * numWarps : 0, PeerUse());
  warps.clear();
  for (auto &block : blocks) {
    uint32_t rank = block->rank;
    block->start({origin[0] + rank % size[0],
                  origin[1] + rank / size[0] % size[1],
                  origin[2] + rank / size[0] / size[1]});
    for (auto &warp : block->warps)
      warps.push_back(warp.get());
  }
}

void Cluster::run(uint64_t linearIndex) {
  LaunchState &launch = worker.launch;
  const LaunchConfig &config = launch.config;
  start(linearIndex);
  std::vector<Warp *> ready;
  uint64_t issued = 0;
  uint64_t limit = config.maxBlockInstructions;
  while (!launch.stop.load(std::memory_order_relaxed)) {
    ready.clear();
    bool isDone = true;
    for (Warp *warp : warps) {
      if (warp->state == Warp::State::Ready)
        ready.push_back(warp);
      isDone &= warp->state == Warp::State::Done;
    }
    if (isDone) {
      while (!inFlight.empty())
        completeOne();
      for (Warp *warp : warps)
        warp->finishStores();
      for (auto &block : blocks)
        block->checkWarpgroups();
      return;
    }
    if (ready.empty()) {
      if (!resolveStall())
        return;
      continue;
    }
    uint64_t draw = random();
    if (!inFlight.empty() && (draw >> 48) % 8 == 0)
      completeOne();
    Warp &warp = *ready[draw % ready.size()];
    uint64_t budget = uint64_t(16) << (draw >> 32) % 6;
    bool isAlone = ready.size() == 1 && inFlight.empty();
    issued += warp.run(isAlone ? 4096 : budget);
    if (isBarrierOpen)
      checkBarrier();
    if (warp.state == Warp::State::Done) {
      idleRounds = 0;
      if (blocks.size() > 1)
        checkLeft(warp.block);
    }
    if (issued / blocks.size() > limit) {
      const Instr &at = warp.code[std::min(warp.pc, warp.codeSize - 1)];
      warp.report(FindingKind::StepLimit, at, warp.active, 0,
                  "the block has executed " + std::to_string(limit) +
                      " warp instructions and goes on; raise the limit if it "
                      "may");
      return;
    }
  }
}

std::string Cluster::partyName(uint32_t party, const Block &block) const {
  if (party >= firstCopyParty())
    return "a copy";
  if (party >= numWarps) {
    uint32_t group = party - numWarps;
    uint32_t rank = group / warpgroupsPerBlock;
    return "a wgmma of warpgroup " +
           std::to_string(group % warpgroupsPerBlock) +
           (rank == block.rank
                ? ""
                : " of the block of rank " + std::to_string(rank));
  }
  std::string name = "warp " + std::to_string(party % warpsPerBlock);
  uint32_t rank = party / warpsPerBlock;
  if (rank != block.rank)
    name += " of the block of rank " + std::to_string(rank);
  return name;
}

std::string Cluster::remoteName(uint64_t cluster, uint32_t party) const {
  const auto &size = worker.launch.gang;
  std::array<uint32_t, 3> block = worker.launch.originOf(cluster);
  uint32_t rank = party / warpsPerBlock;
  block[0] += rank % size[0];
  block[1] += rank / size[0] % size[1];
  block[2] += rank / size[0] / size[1];
  return "warp " + std::to_string(party % warpsPerBlock) + " of block (" +
         std::to_string(block[0]) + "," + std::to_string(block[1]) + "," +
         std::to_string(block[2]) + ")";
}

//===----------------------------------------------------------------------===//
// Peers
//===----------------------------------------------------------------------===//

bool Cluster::usePeer(Warp &warp, const Instr &instr, Block &target,
                      uint32_t mask, uint64_t address) {
  std::string rank = std::to_string(target.rank);
  if (target.hasLeft()) {
    warp.report(FindingKind::ClusterPeer, instr, mask, address,
                "uses shared memory of the block of rank " + rank +
                    ", which has left the kernel");
    return false;
  }
  bool isStarted = false;
  for (uint32_t w = 0; w < warpsPerBlock; ++w) {
    uint32_t party = target.rank * warpsPerBlock + w;
    isStarted |= warp.clock[party] != 0;
    isStarted |= isAsync && warp.clock[2 * parties + party] != 0;
  }
  if (!isStarted)
    warp.report(FindingKind::ClusterPeer, instr, mask, address,
                "uses shared memory of the block of rank " + rank +
                    ", which is not known to have started; "
                    "barrier.cluster tells");
  peerUses[size_t(target.rank) * numWarps + warp.party] = {
      warp.clock[warp.party], &instr, mask, address};
  return true;
}

void Cluster::checkLeft(Block &block) {
  if (!block.hasLeft())
    return;
  Clock known;
  for (const auto &warp : block.warps)
    join(known, warp->clock);
  for (uint32_t w = 0; w < numWarps; ++w) {
    PeerUse &use = peerUses[size_t(block.rank) * numWarps + w];
    if (use.clock > known[w])
      warps[w]->report(FindingKind::ClusterPeer, *use.instr, use.lanes,
                       use.address,
                       "uses shared memory of the block of rank " +
                           std::to_string(block.rank) +
                           ", which leaves the kernel without waiting for it");
  }
}

//===----------------------------------------------------------------------===//
// barrier.cluster
//===----------------------------------------------------------------------===//

void Cluster::arriveAtBarrier(Warp &warp, const Instr &instr, uint32_t mask) {
  uint32_t again = mask & (warp.clusterArrived | warp.clusterCompleted);
  if (again)
    warp.report(FindingKind::BarrierMismatch, instr, again, 0,
                "arrives at the barrier of the cluster twice without waiting "
                "for it in between");
  warp.clusterArrived |= mask;
  isBarrierOpen = true;
  idleRounds = 0;
  if (instr.access.releases) {
    join(barrierClock, warp.clock);
    ++warp.clock[warp.party];
  } else {
    join(barrierClock, warp.fenced);
    if (isAsync) {
      // Initialisations of mbarriers are released by their own fence.
      barrierClock.resize(clockSize(), 0);
      for (size_t i = 2 * size_t(parties); i < clockSize(); ++i)
        barrierClock[i] = std::max(barrierClock[i], warp.clock[i]);
      // Arriving says at least that the block has started.
      uint32_t &started = barrierClock[2 * parties + warp.party];
      started = std::max(started, 1u);
    }
  }
}

void Cluster::checkBarrier() {
  for (const Warp *warp : warps)
    if (warp->existing & ~warp->exited & ~warp->clusterArrived)
      return;
  isBarrierOpen = false;
  idleRounds = 0;
  barrierCompleted = std::move(barrierClock);
  barrierClock.clear();
  for (Warp *warp : warps) {
    warp->clusterCompleted = warp->clusterArrived;
    warp->clusterArrived = 0;
    if (warp->state == Warp::State::Waiting &&
        warp->waitsFor == Warp::WaitsFor::ClusterBarrier)
      warp->state = Warp::State::Ready;
  }
}

void Cluster::waitAtBarrier(Warp &warp, const Instr &instr, uint32_t mask) {
  uint32_t stray = mask & ~(warp.clusterArrived | warp.clusterCompleted);
  if (stray)
    warp.report(FindingKind::BarrierMismatch, instr, stray, 0,
                "waits at the barrier of the cluster without having arrived");
  if (isBarrierOpen)
    checkBarrier();
  if (mask & warp.clusterArrived) {
    --warp.pc; // to be executed again
    warp.state = Warp::State::Waiting;
    warp.waitsAt = &instr;
    warp.waitsFor = Warp::WaitsFor::ClusterBarrier;
    warp.yields = true;
    return;
  }
  warp.clusterCompleted &= ~mask;
  warp.meetLanes(mask);
  if (instr.access.acquires)
    join(warp.clock, barrierCompleted);
  else
    join(warp.seen, barrierCompleted);
}

//===----------------------------------------------------------------------===//
// Stalls
//===----------------------------------------------------------------------===//

void Cluster::suspend(Warp &warp, const Instr &instr, uint32_t mask,
                      uint32_t address, uint64_t phase) {
  --warp.pc; // to be executed again
  warp.yields = true;
  if (warp.rotatePaths())
    return;
  warp.rotations = 0;
  warp.state = Warp::State::Waiting;
  warp.waitsAt = &instr;
  warp.waitsFor = Warp::WaitsFor::Mbarrier;
  warp.waitsForBarrier = address;
  warp.waitsForPhase = phase;
  warp.waitingLanes = mask;
}

bool Cluster::resolveStall() {
  if (!inFlight.empty()) {
    completeOne();
    return true;
  }
  for (auto &block : blocks)
    if (block->releaseAbandoned())
      return true;
  // Waits for an mbarrier may give up and try again; the kernel may do
  // something else in between, but not for ever.
  constexpr uint32_t maxIdleRounds = 64;
  bool isRetried = false;
  if (idleRounds++ < maxIdleRounds)
    for (Warp *warp : warps)
      if (warp->state == Warp::State::Waiting &&
          warp->waitsFor == Warp::WaitsFor::Mbarrier) {
        warp->givesUp = true;
        warp->state = Warp::State::Ready;
        isRetried = true;
      }
  if (!isRetried)
    reportDeadlock();
  return isRetried;
}

void Cluster::reportDeadlock() {
  std::string who;
  Warp *first = nullptr;
  for (Warp *warp : warps) {
    if (warp->state != Warp::State::Waiting)
      continue;
    const Block &block = warp->block;
    std::string what;
    switch (warp->waitsFor) {
    case Warp::WaitsFor::Barrier:
      what = block.describeBarrier(*warp);
      break;
    case Warp::WaitsFor::ClusterBarrier: {
      size_t arrived = 0, present = 0;
      for (const Warp *other : warps) {
        arrived += other->clusterArrived != 0;
        present += other->state != Warp::State::Done;
      }
      what = "the barrier of the cluster, which " + std::to_string(arrived) +
             " of " + std::to_string(present) + " warps have reached";
      break;
    }
    case Warp::WaitsFor::Mbarrier: {
      char address[32];
      std::snprintf(address, sizeof(address), "0x%x", warp->waitsForBarrier);
      what = "phase " + std::to_string(warp->waitsForPhase) +
             " of the mbarrier at " + address;
      auto it = block.mbarriers.find(warp->waitsForBarrier);
      if (it != block.mbarriers.end()) {
        const Mbarrier &mbarrier = it->second;
        what += ", whose phase " + std::to_string(mbarrier.phase) +
                " is under way and takes " + std::to_string(mbarrier.pending) +
                " of " + std::to_string(mbarrier.expected) + " arrivals and " +
                std::to_string(mbarrier.transactions) + " bytes more";
      }
      break;
    }
    case Warp::WaitsFor::Warpgroup:
      what = "the other warps of its warpgroup to execute its wgmmas";
      break;
    }
    if (!first)
      first = warp;
    who += (who.empty() ? "" : "; ") + partyName(warp->party, first->block) +
           " waits at line " + std::to_string(warp->waitsAt->line) + " for " +
           what;
  }
  if (first)
    first->report(FindingKind::Deadlock, *first->waitsAt, first->active,
                  first->waitsForBarrier, who);
}

} // namespace goat::ptxsim
