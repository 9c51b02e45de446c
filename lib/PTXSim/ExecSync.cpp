//===- ExecSync.cpp - barriers and fences ---------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bar, barrier, bar.red, bar.warp.sync and memory fences.
//
//===----------------------------------------------------------------------===//

#include "Launch.h"
#include "Opcodes.h"

namespace goat::ptxsim {

namespace {

constexpr uint64_t hasCountFlag = 1;
constexpr uint64_t arriveFlag = 2;

void runBarrier(Warp &warp, const Instr &instr, uint32_t mask) {
  unsigned lane = static_cast<unsigned>(__builtin_ctz(mask));
  const uint32_t *source = instr.op + instr.numDst;
  uint32_t barrier = warp.lanes<uint32_t>(source[0])[lane];
  uint32_t threads = 0;
  if (instr.imm & hasCountFlag)
    threads = warp.lanes<uint32_t>(source[1])[lane];
  if (barrier >= 16) {
    warp.report(FindingKind::BarrierMismatch, instr, mask, barrier,
                "expected a barrier from 0 to 15 but got " +
                    std::to_string(barrier));
    return;
  }
  if ((instr.imm & hasCountFlag) && (threads == 0 || threads % warpSize)) {
    warp.report(FindingKind::BarrierMismatch, instr, mask, barrier,
                "expected a number of threads divisible by 32 but got " +
                    std::to_string(threads));
    threads = (threads + warpSize - 1) / warpSize * warpSize;
  }
  uint32_t present = warp.existing & ~warp.exited;
  if (mask != present)
    warp.report(FindingKind::BarrierDivergence, instr, present & ~mask, barrier,
                "only some lanes of the warp reach the barrier");
  uint32_t set = 0;
  if (instr.flags)
    set = warp.readPredicate(instr, instr.predicateSrc[0], mask);
  warp.block.arrive(warp, instr, barrier, threads, !(instr.imm & arriveFlag),
                    mask, set);
}

bool decodeBarrier(Decoder &d) {
  d.instr.run = runBarrier;
  bool isReduction = d.has("red");
  bool arrives = d.has("arrive");
  size_t next = isReduction ? 1 : 0;
  size_t last = d.numOperands();
  if (isReduction) {
    if (!d.expectOperands(3, 4))
      return false;
    --last;
    d.instr.flags = d.has("popc") ? 'p' : d.has("and") ? 'a' : 'o';
    if (d.has("popc") ? !d.addDst(d.operand(0), 4)
                      : !d.setPredicateDst(0, d.operand(0)))
      return false;
    if (!d.setPredicateSrc(0, d.operand(last)))
      return false;
  } else if (!d.expectOperands(arrives ? 2 : 1, 2)) {
    return false;
  }
  d.instr.imm = static_cast<int64_t>((last - next == 2 ? hasCountFlag : 0) |
                                     (arrives ? arriveFlag : 0));
  for (size_t i = next; i < last; ++i)
    if (!d.addSrc(d.operand(i), 4))
      return false;
  return true;
}

void runWarpSync(Warp &warp, const Instr &instr, uint32_t mask) {
  uint32_t members = 0;
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    // Groups with masks of their own may meet side by side.
    uint32_t next = warp.lanes<uint32_t>(instr.op[0])[lane];
    bool isSame = next == members;
    members = next;
    if (isSame)
      continue;
    uint32_t missing = members & ~mask & ~warp.exited & warp.existing;
    if (missing) {
      warp.report(FindingKind::InactiveLane, instr, missing, 0,
                  "the mask names lanes that do not reach this instruction");
      return;
    }
    warp.meetLanes(members & mask);
  }
}

bool decodeWarpSync(Decoder &d) {
  d.instr.run = runWarpSync;
  return d.expectOperands(1) && d.addSrc(d.operand(0), 4);
}

void runFence(Warp &warp, const Instr &instr, uint32_t) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  warp.block.fence(warp, instr.access.isBlockScope);
}

bool decodeFence(Decoder &d) {
  d.instr.run = runFence;
  d.instr.access.isBlockScope = d.has("cta");
  return d.expectOperands(0);
}

} // namespace

std::vector<OpcodeRow> syncOpcodes() {
  constexpr OpClass c = OpClass::Sync;
  return {
      {"bar(.cta)?(.sync|.arrive)", c, decodeBarrier},
      {"bar(.cta)?.red(.popc.u32|.and.pred|.or.pred)", c, decodeBarrier},
      {"barrier(.cta)?(.sync|.arrive)(.aligned)?", c, decodeBarrier},
      {"barrier(.cta)?.red.popc(.aligned)?.u32", c, decodeBarrier},
      {"barrier(.cta)?.red(.and|.or)(.aligned)?.pred", c, decodeBarrier},
      {"bar.warp.sync", c, decodeWarpSync},
      {"membar(.cta|.gl|.sys)", c, decodeFence},
      {"fence(.sc|.acq_rel|.acquire|.release)?(.cta|.cluster|.gpu|.sys)", c,
       decodeFence},
      {"fence(.acquire.sync_restrict::shared::cluster|"
       ".release.sync_restrict::shared::cta).cluster",
       c, decodeFence},
  };
}

} // namespace goat::ptxsim
