//===- ExecMbarrier.cpp - mbarrier objects and proxy fences ---------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mbarrier.*, cp.async.mbarrier.arrive, fence.mbarrier_init, fence.proxy. The
// state an arrival returns holds the phase and the pending count before it. A
// wait that fails either says so at once or holds the warp until a phase is
// complete; which of the two is drawn.
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "Cluster.h"

namespace goat::ptxsim {

namespace {

constexpr uint32_t dropFlag = 1;
constexpr uint32_t expectFlag = 2;
constexpr uint32_t noCompleteFlag = 4;
constexpr uint32_t parityFlag = 8;
constexpr uint32_t noIncrementFlag = 16;
constexpr unsigned pendingBits = 20;

uint64_t encodeState(const Mbarrier &mbarrier) {
  return mbarrier.phase << pendingBits | mbarrier.pending;
}

/// Calls `apply(lane, block, address)` for the lanes whose address is in shared
/// memory of a block that is there.
template <typename Fn>
void forEachMbarrier(Warp &warp, const Instr &instr, uint32_t slot,
                     uint32_t mask, Fn apply) {
  LaneAccess access;
  computeAddresses(warp, instr, slot, access);
  Cluster &cluster = warp.block.cluster;
  bool isGeneric = instr.access.space == Space::Generic;
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    uint64_t address = access.address[lane] - (isGeneric ? sharedWindow : 0);
    Block *block = instr.access.space == Space::Shared
                       ? &warp.block
                       : cluster.blockAt(address);
    if (!block) {
      warp.report(FindingKind::OutOfBounds, instr, 1u << lane,
                  access.address[lane],
                  "expected an mbarrier in shared memory");
      continue;
    }
    if (block != &warp.block &&
        !cluster.usePeer(warp, instr, *block, 1u << lane, address))
      continue;
    apply(lane, *block, address);
  }
}

void runInit(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint32_t *count = warp.lanes<uint32_t>(instr.op[1]);
  LaneAccess access;
  computeAddresses(warp, instr, instr.op[0], access);
  uint32_t valid =
      resolveAccess(warp, instr, instr.access.space, AccessKind::Write,
                    mbarrierBytes, mask, access);
  // Generic addresses have become offsets in the window.
  for (uint32_t left = valid; left; left &= left - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    uint64_t address = access.address[lane];
    if (!warp.block.shared.contains(address, mbarrierBytes)) {
      warp.report(FindingKind::OutOfBounds, instr, 1u << lane, address,
                  "expected an mbarrier in shared memory of the own block");
      continue;
    }
    if (!count[lane] || count[lane] > maxMbarrierCount)
      warp.report(FindingKind::MbarrierMisuse, instr, 1u << lane, address,
                  "expected a count from 1 to 2^20 - 1 but got " +
                      std::to_string(count[lane]));
    warp.block.cluster.initMbarrier(
        warp, warp.block, static_cast<uint32_t>(address),
        std::min(std::max(count[lane], 1u), maxMbarrierCount));
  }
}

void runInvalidate(Warp &warp, const Instr &instr, uint32_t mask) {
  Cluster &cluster = warp.block.cluster;
  forEachMbarrier(warp, instr, instr.op[0], mask,
                  [&](unsigned lane, Block &block, uint64_t address) {
                    Mbarrier *mbarrier =
                        cluster.findMbarrier(warp, instr, lane, block, address);
                    if (!mbarrier)
                      return;
                    for (uint32_t w = 0; w < mbarrier->uses.size(); ++w)
                      if (mbarrier->uses[w] > warp.clock[w])
                        warp.report(FindingKind::MbarrierMisuse, instr,
                                    1u << lane, address,
                                    "invalidates an mbarrier that " +
                                        cluster.partyName(w, warp.block) +
                                        " uses, without a barrier in between");
                    block.shared.setMbarrier(address, mbarrierBytes, false);
                    block.mbarriers.erase(static_cast<uint32_t>(address));
                  });
}

void runArrive(Warp &warp, const Instr &instr, uint32_t mask) {
  Cluster &cluster = warp.block.cluster;
  const uint32_t *source = instr.op + instr.numDst;
  const uint32_t *operand =
      instr.numSrc > 1 ? warp.lanes<uint32_t>(source[1]) : nullptr;
  // The destination may be an operand as well.
  uint64_t states[warpSize] = {};
  forEachMbarrier(
      warp, instr, source[0], mask,
      [&](unsigned lane, Block &block, uint64_t address) {
        Mbarrier *mbarrier =
            cluster.findMbarrier(warp, instr, lane, block, address);
        if (!mbarrier)
          return;
        uint32_t at = static_cast<uint32_t>(address);
        join(mbarrier->arrived,
             instr.access.releases ? warp.clock : warp.fenced);
        uint32_t count = 1;
        if (instr.flags & expectFlag)
          cluster.addTransactions(warp, instr, lane, block, at, *mbarrier,
                                  operand[lane]);
        else if (operand)
          count = operand[lane];
        states[lane] = encodeState(*mbarrier);
        if (instr.flags & dropFlag)
          mbarrier->expected -= std::min(count, mbarrier->expected);
        if ((instr.flags & noCompleteFlag) && count >= mbarrier->pending)
          warp.report(FindingKind::MbarrierMisuse, instr, 1u << lane, address,
                      "expected arrivals that leave the phase incomplete, as "
                      ".noComplete says, but got " +
                          std::to_string(count) + " of " +
                          std::to_string(mbarrier->pending) + " pending");
        cluster.arrive(warp, instr, lane, block, at, *mbarrier, count);
      });
  warp.clock[warp.party] += instr.access.releases;
  if (instr.numDst)
    warp.store<uint64_t>(instr.op[0], states, mask);
}

void runTransactions(Warp &warp, const Instr &instr, uint32_t mask) {
  Cluster &cluster = warp.block.cluster;
  const uint32_t *bytes = warp.lanes<uint32_t>(instr.op[1]);
  forEachMbarrier(warp, instr, instr.op[0], mask,
                  [&](unsigned lane, Block &block, uint64_t address) {
                    if (Mbarrier *mbarrier = cluster.findMbarrier(
                            warp, instr, lane, block, address))
                      cluster.addTransactions(
                          warp, instr, lane, block,
                          static_cast<uint32_t>(address), *mbarrier,
                          instr.flags & expectFlag ? int64_t(bytes[lane])
                                                   : -int64_t(bytes[lane]));
                  });
}

void runWait(Warp &warp, const Instr &instr, uint32_t mask) {
  Cluster &cluster = warp.block.cluster;
  bool isParity = instr.flags & parityFlag;
  uint32_t complete = 0, waitAddress = 0;
  uint64_t waitPhase = 0;
  forEachMbarrier(
      warp, instr, instr.op[0], mask,
      [&](unsigned lane, Block &block, uint64_t address) {
        Mbarrier *mbarrier =
            cluster.findMbarrier(warp, instr, lane, block, address);
        complete |= 1u << lane; // whoever waits for nothing goes on
        if (!mbarrier)
          return;
        uint64_t phase = mbarrier->phase, wanted;
        if (isParity) {
          uint32_t parity = warp.lanes<uint32_t>(instr.op[1])[lane];
          if (parity > 1)
            warp.report(FindingKind::MbarrierMisuse, instr, 1u << lane, address,
                        "expected a parity of 0 or 1 but got " +
                            std::to_string(parity));
          // The phase under way or the one before it.
          wanted = (phase & 1) == (parity & 1) ? phase : phase - 1;
        } else {
          wanted = warp.lanes<uint64_t>(instr.op[1])[lane] >> pendingBits;
          if (wanted != phase && wanted + 1 != phase) {
            warp.report(FindingKind::MbarrierMisuse, instr, 1u << lane, address,
                        "expected the state of phase " + std::to_string(phase) +
                            " or the one before but got that of phase " +
                            std::to_string(wanted));
            return;
          }
        }
        if (wanted == phase) {
          complete &= ~(1u << lane);
          waitAddress = static_cast<uint32_t>(address);
          waitPhase = phase;
          return;
        }
        join(instr.access.acquires ? warp.clock : warp.seen,
             mbarrier->completed);
        // Other lanes may be among those who arrived.
        warp.meetLanes(warp.existing);
      });
  bool fails = mask & ~complete;
  if (fails && !warp.givesUp && cluster.random() % 4) {
    // Counted when it is executed for good.
    InstrCounts &counts = warp.worker.counts[instr.id];
    --counts.warps;
    counts.threads -= static_cast<unsigned>(__builtin_popcount(mask));
    cluster.suspend(warp, instr, mask & ~complete, waitAddress, waitPhase);
    return;
  }
  warp.givesUp = false;
  if (fails)
    warp.yields = true;
  else
    warp.rotations = 0;
  warp.storePredicate(instr.predicateDst[0], complete, mask);
}

void runPendingCount(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint64_t *state = warp.lanes<uint64_t>(instr.op[1]);
  uint32_t values[warpSize];
  for (unsigned lane = 0; lane < warpSize; ++lane)
    values[lane] = static_cast<uint32_t>(state[lane] & maxMbarrierCount);
  warp.store<uint32_t>(instr.op[0], values, mask);
}

void runCopyArrive(Warp &warp, const Instr &instr, uint32_t mask) {
  Cluster &cluster = warp.block.cluster;
  forEachMbarrier(warp, instr, instr.op[0], mask,
                  [&](unsigned lane, Block &block, uint64_t address) {
                    Mbarrier *mbarrier =
                        cluster.findMbarrier(warp, instr, lane, block, address);
                    if (!mbarrier)
                      return;
                    if (!(instr.flags & noIncrementFlag))
                      ++mbarrier->pending;
                    AsyncOp op{&instr, &warp,
                               lane,   warp.takeCopies(lane),
                               &block, static_cast<uint32_t>(address),
                               0};
                    op.arrives = true;
                    cluster.inFlight.push_back(std::move(op));
                  });
}

bool decodeMbarrier(Decoder &d) {
  d.noteAsync();
  Instr &instr = d.instr;
  instr.access.space = parseSpace(d);
  instr.access.elementBytes = mbarrierBytes;
  auto setFlags = [&] {
    for (auto [name, flag] :
         {std::pair("expect_tx", expectFlag),
          std::pair("noComplete", noCompleteFlag),
          std::pair("parity", parityFlag), std::pair("noinc", noIncrementFlag),
          std::pair("arrive_drop", dropFlag)})
      instr.flags |= d.has(name) ? flag : 0;
  };
  if (d.has("init") || d.has("complete_tx") ||
      (d.has("expect_tx") && !d.has("arrive") && !d.has("arrive_drop"))) {
    instr.run = d.has("init") ? runInit : runTransactions;
    setFlags();
    return d.expectOperands(2) && d.addAddress(d.operand(0)) &&
           d.addSrc(d.operand(1), 4);
  }
  if (d.has("inval") || d.has("async")) {
    instr.run = d.has("inval") ? runInvalidate : runCopyArrive;
    setFlags();
    return d.expectOperands(1) && d.addAddress(d.operand(0));
  }
  if (d.has("pending_count")) {
    instr.run = runPendingCount;
    return d.expectOperands(2) && d.addDst(d.operand(0), 4) &&
           d.addSrc(d.operand(1), 8);
  }
  if (d.has("test_wait") || d.has("try_wait")) {
    instr.run = runWait;
    instr.access.acquires = !d.has("relaxed");
    setFlags();
    // A hint how long to wait may follow.
    return d.expectOperands(3, d.has("try_wait") ? 4 : 3) &&
           d.setPredicateDst(0, d.operand(0)) && d.addAddress(d.operand(1)) &&
           d.addSrc(d.operand(2), instr.flags & parityFlag ? 4 : 8) &&
           (d.numOperands() == 3 || d.addSrc(d.operand(3), 4));
  }
  instr.run = runArrive;
  instr.access.releases = !d.has("relaxed");
  setFlags();
  // [state,] address [, count]
  size_t next = 0;
  if (d.numOperands() && d.operand(0).kind != Operand::Address) {
    next = 1;
    bool hasState = d.operand(0).kind != Operand::Sink;
    if (hasState && instr.access.space == Space::SharedCluster)
      return d.fail("expected '_' as destination with .shared::cluster");
    if (hasState && !d.addDst(d.operand(0), 8))
      return false;
  }
  bool needsCount = instr.flags & (expectFlag | noCompleteFlag);
  if (!d.expectOperands(next + 1 + needsCount, next + 2))
    return false;
  return d.addAddress(d.operand(next)) &&
         (d.numOperands() == next + 1 || d.addSrc(d.operand(next + 1), 4));
}

void runInitFence(Warp &warp, const Instr &, uint32_t) {
  uint32_t parties = warp.block.cluster.numParties();
  for (uint32_t p = 0; p < parties; ++p) {
    uint32_t &known = warp.clock[2 * size_t(parties) + p];
    known = std::max(known, warp.clock[p]);
  }
  ++warp.clock[warp.party];
}

void runProxyFence(Warp &warp, const Instr &, uint32_t) {
  uint32_t parties = warp.block.cluster.numParties();
  for (uint32_t p = 0; p < parties; ++p) {
    uint32_t &known = warp.clock[parties + size_t(p)];
    known = std::max(known, warp.clock[p]);
  }
  ++warp.clock[warp.party];
}

void runNothing(Warp &, const Instr &, uint32_t) {}

template <Handler Run> bool decodeFence(Decoder &d) {
  d.noteAsync();
  d.instr.run = Run;
  // Tensor maps name the address and the size they fence.
  return d.expectOperands(0, d.has("tensormap::generic") ? 2 : 0);
}

} // namespace

std::vector<OpcodeRow> mbarrierOpcodes() {
  constexpr OpClass c = OpClass::Sync;
#define GOAT_CTA "(.shared|.shared::cta)?"
#define GOAT_ANY "(.shared|.shared::cta|.shared::cluster)?"
  return {
      {"mbarrier(.init|.inval)" GOAT_CTA ".b64", c, decodeMbarrier},
      {"mbarrier(.expect_tx|.complete_tx)(.relaxed.cta|.relaxed.cluster)"
       "?" GOAT_ANY ".b64",
       c, decodeMbarrier},
      {"mbarrier(.arrive|.arrive_drop)(.expect_tx)?(.release.cta|"
       ".release.cluster|.relaxed.cta|.relaxed.cluster)?" GOAT_ANY ".b64",
       c, decodeMbarrier},
      {"mbarrier(.arrive|.arrive_drop).noComplete(.release.cta)?" GOAT_CTA
       ".b64",
       c, decodeMbarrier},
      {"mbarrier(.test_wait|.try_wait)(.parity)?(.acquire.cta|"
       ".acquire.cluster|.relaxed.cta|.relaxed.cluster)?" GOAT_CTA ".b64",
       c, decodeMbarrier},
      {"mbarrier.pending_count.b64", c, decodeMbarrier},
      {"cp.async.mbarrier.arrive(.noinc)?" GOAT_CTA ".b64", c, decodeMbarrier},
      {"fence.mbarrier_init.release.cluster", c, decodeFence<runInitFence>},
      {"fence.proxy.async(.shared::cta|.shared::cluster)?", c,
       decodeFence<runProxyFence>},
      {"fence.proxy.async::generic(.acquire.sync_restrict::shared::cluster|"
       ".release.sync_restrict::shared::cta).cluster",
       c, decodeFence<runProxyFence>},
      {"fence.proxy.async.global", c, decodeFence<runNothing>},
      {"(fence|membar).proxy.alias", c, decodeFence<runNothing>},
      {"fence.proxy.tensormap::generic(.release|.acquire)"
       "(.cta|.cluster|.gpu|.sys)",
       c, decodeFence<runNothing>},
  };
#undef GOAT_CTA
#undef GOAT_ANY
}

} // namespace goat::ptxsim
