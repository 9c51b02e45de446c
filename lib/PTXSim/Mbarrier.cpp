//===- Mbarrier.cpp - phases of mbarriers ---------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A phase is complete when no arrival and no byte is pending. The copies of the
// phase reach shared memory at that moment, as writes by the party that stands
// for the mbarrier's copies, whom only those know who observe the completion.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"
#include "Reduction.h"

#include <cstdio>

namespace goat::ptxsim {

namespace {

std::string nameOf(uint64_t address) {
  char name[48];
  std::snprintf(name, sizeof(name), "the mbarrier at 0x%llx",
                static_cast<unsigned long long>(address));
  return name;
}

void land(const Landing &landing, uint32_t writer, uint32_t now) {
  SharedMemory &shared = landing.block->shared;
  uint8_t *destination = shared.at(landing.address);
  if (landing.reduction)
    applyReduction(landing.reduction, destination,
                   landing.source
                       ? landing.source
                       : reinterpret_cast<const uint8_t *>(&landing.fill),
                   landing.bytes, false);
  else if (landing.source)
    std::memcpy(destination, landing.source, landing.bytes);
  else
    for (uint32_t i = 0; i < landing.bytes; ++i)
      destination[i] =
          static_cast<uint8_t>(landing.fill >> 8 * (i % landing.fillBytes));
  if (landing.block->worker.isChecked)
    shared.endCopy(landing.address, landing.bytes, writer, now);
  if (landing.readFrom)
    landing.readFrom->shared.cancelAsyncRead(landing.readAddress,
                                             landing.bytes);
}

} // namespace

void Cluster::initMbarrier(Warp &warp, Block &block, uint32_t address,
                           uint32_t count) {
  Mbarrier mbarrier;
  mbarrier.expected = mbarrier.pending = count;
  mbarrier.copyParty = firstCopyParty() + nextCopyParty++ % asyncParties;
  mbarrier.initParty = warp.party;
  mbarrier.initClock = warp.clock[warp.party];
  mbarrier.uses.assign(numWarps, 0);
  mbarrier.uses[warp.party] = mbarrier.initClock;
  block.mbarriers[address] = std::move(mbarrier);
  block.shared.setMbarrier(address, mbarrierBytes, true);
}

Mbarrier *Cluster::findMbarrier(Warp &warp, const Instr &instr, uint32_t lane,
                                Block &block, uint64_t address) {
  auto refuse = [&](FindingKind kind, const std::string &reason) {
    warp.report(kind, instr, 1u << lane, address, reason);
    return nullptr;
  };
  if (address % mbarrierBytes)
    return refuse(FindingKind::Misaligned,
                  "expected an mbarrier at an address divisible by 8");
  if (!block.shared.contains(address, mbarrierBytes))
    return refuse(FindingKind::OutOfBounds,
                  "expected an mbarrier in shared memory");
  auto it = block.mbarriers.find(static_cast<uint32_t>(address));
  if (it == block.mbarriers.end())
    return refuse(FindingKind::MbarrierMisuse,
                  nameOf(address) + " is not initialised");
  Mbarrier &mbarrier = it->second;
  uint32_t init = mbarrier.initParty;
  if (warp.clock[init] < mbarrier.initClock &&
      warp.clock[2 * size_t(parties) + init] < mbarrier.initClock) {
    warp.report(FindingKind::MbarrierMisuse, instr, 1u << lane, address,
                nameOf(address) + " is initialised by " +
                    partyName(init, warp.block) +
                    ", without a barrier in between");
    warp.clock[init] = mbarrier.initClock;
  }
  mbarrier.uses[warp.party] = warp.clock[warp.party];
  return &mbarrier;
}

void Cluster::arrive(Warp &warp, const Instr &instr, uint32_t lane,
                     Block &block, uint32_t address, Mbarrier &mbarrier,
                     uint32_t count) {
  if (count > mbarrier.pending) {
    warp.report(FindingKind::MbarrierMisuse, instr, 1u << lane, address,
                nameOf(address) + " takes " + std::to_string(mbarrier.pending) +
                    " arrivals more in this phase but got " +
                    std::to_string(count));
    count = mbarrier.pending;
  }
  mbarrier.pending -= count;
  completePhase(block, mbarrier);
}

void Cluster::addTransactions(Warp &warp, const Instr &instr, uint32_t lane,
                              Block &block, uint32_t address,
                              Mbarrier &mbarrier, int64_t bytes) {
  mbarrier.transactions += bytes;
  int64_t limit = maxMbarrierCount;
  if (mbarrier.transactions > limit || mbarrier.transactions < -limit)
    warp.report(FindingKind::MbarrierMisuse, instr, 1u << lane, address,
                "the transaction count of " + nameOf(address) + " becomes " +
                    std::to_string(mbarrier.transactions) +
                    ", expected it to stay within 2^20 - 1");
  completePhase(block, mbarrier);
}

void Cluster::completePhase(Block &block, Mbarrier &mbarrier) {
  idleRounds = 0;
  if (mbarrier.pending || mbarrier.transactions)
    return;
  uint32_t party = mbarrier.copyParty;
  uint32_t now = ++copyClocks[party - firstCopyParty()];
  for (const Landing &landing : mbarrier.landings)
    land(landing, party, now);
  mbarrier.landings.clear();
  mbarrier.completed = std::move(mbarrier.arrived);
  mbarrier.arrived.clear();
  mbarrier.completed.resize(clockSize(), 0);
  mbarrier.completed[party] = now;
  if (!mbarrier.hasGenericLanding)
    mbarrier.completed[parties + party] = now;
  mbarrier.hasGenericLanding = false;
  mbarrier.pending = mbarrier.expected;
  ++mbarrier.phase;
  for (auto &warp : block.warps)
    if (warp->state == Warp::State::Waiting &&
        warp->waitsFor == Warp::WaitsFor::Mbarrier)
      warp->state = Warp::State::Ready;
}

void Cluster::completeOne() {
  size_t which = random() % inFlight.size();
  AsyncOp op = std::move(inFlight[which]);
  inFlight.erase(inFlight.begin() + static_cast<ptrdiff_t>(which));
  Warp &warp = *op.warp;
  auto it = op.block->mbarriers.find(op.mbarrier);
  if (op.block->hasLeft() || it == op.block->mbarriers.end()) {
    warp.report(op.block->hasLeft() ? FindingKind::MissingAsyncWait
                                    : FindingKind::MbarrierMisuse,
                *op.instr, 1u << op.lane, op.mbarrier,
                op.block->hasLeft()
                    ? "the block leaves the kernel while this is in flight"
                    : nameOf(op.mbarrier) +
                          " is invalidated while this is in flight");
    return;
  }
  Mbarrier &mbarrier = it->second;
  mbarrier.landings.insert(mbarrier.landings.end(), op.landings.begin(),
                           op.landings.end());
  if (op.arrives) {
    mbarrier.hasGenericLanding |= !op.landings.empty();
    arrive(warp, *op.instr, op.lane, *op.block, op.mbarrier, mbarrier, 1);
  } else {
    addTransactions(warp, *op.instr, op.lane, *op.block, op.mbarrier, mbarrier,
                    -static_cast<int64_t>(op.bytes));
  }
}

} // namespace goat::ptxsim
