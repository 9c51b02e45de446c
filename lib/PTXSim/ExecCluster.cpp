//===- ExecCluster.cpp - clusters and their shared memory -----------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// barrier.cluster, mapa, getctarank. Shared memory of the block of rank r lies
// at r * 2^24 in the window of the cluster, the own block's included.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"
#include "Opcodes.h"

namespace goat::ptxsim {

namespace {

void requirePresent(Warp &warp, const Instr &instr, uint32_t mask) {
  uint32_t missing = warp.existing & ~warp.exited & ~mask;
  if (instr.flags && missing)
    warp.report(FindingKind::BarrierDivergence, instr, missing, 0,
                "only some lanes of the warp reach the barrier of the cluster");
}

void runArrive(Warp &warp, const Instr &instr, uint32_t mask) {
  requirePresent(warp, instr, mask);
  warp.block.cluster.arriveAtBarrier(warp, instr, mask);
}

void runWait(Warp &warp, const Instr &instr, uint32_t mask) {
  requirePresent(warp, instr, mask);
  warp.block.cluster.waitAtBarrier(warp, instr, mask);
}

bool decodeBarrier(Decoder &d) {
  bool isArrive = d.has("arrive");
  d.instr.run = isArrive ? runArrive : runWait;
  d.instr.access.releases = isArrive && !d.has("relaxed");
  d.instr.access.acquires = !isArrive;
  d.instr.flags = d.has("aligned");
  return d.expectOperands(0);
}

template <typename T>
void runMapAddress(Warp &warp, const Instr &instr, uint32_t mask) {
  const T *address = warp.lanes<T>(instr.op[1]);
  const uint32_t *rank = warp.lanes<uint32_t>(instr.op[2]);
  uint64_t window = static_cast<uint64_t>(instr.imm);
  uint32_t outside = 0;
  T values[warpSize];
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    if (rank[lane] >= warp.block.cluster.blocks.size())
      outside |= mask & 1u << lane;
    uint64_t offset = (address[lane] - window) & ((1u << rankShift) - 1);
    values[lane] =
        static_cast<T>(window + (uint64_t(rank[lane]) << rankShift) + offset);
  }
  if (outside) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(outside));
    warp.report(FindingKind::OutOfBounds, instr, outside, rank[lane],
                "expected a rank below " +
                    std::to_string(warp.block.cluster.blocks.size()) +
                    " but got " + std::to_string(rank[lane]));
  }
  warp.store<T>(instr.op[0], values, mask);
}

template <typename T>
void runGetRank(Warp &warp, const Instr &instr, uint32_t mask) {
  const T *address = warp.lanes<T>(instr.op[1]);
  uint32_t values[warpSize];
  for (unsigned lane = 0; lane < warpSize; ++lane)
    values[lane] = static_cast<uint32_t>(
        (address[lane] - static_cast<uint64_t>(instr.imm)) >> rankShift);
  warp.store<uint32_t>(instr.op[0], values, mask);
}

bool decodeMapAddress(Decoder &d) {
  bool isRank = d.opcode()[0] == 'g';
  unsigned bytes = d.has("u64") ? 8 : 4;
  if (!d.has("shared::cluster")) {
    if (bytes != 8)
      return d.fail("expected .u64 for generic addresses");
    d.instr.imm = static_cast<int64_t>(sharedWindow);
  }
  if (isRank) {
    d.instr.run = bytes == 8 ? runGetRank<uint64_t> : runGetRank<uint32_t>;
    return d.expectOperands(2) && d.addDst(d.operand(0), 4) &&
           d.addSrc(d.operand(1), bytes);
  }
  d.instr.run = bytes == 8 ? runMapAddress<uint64_t> : runMapAddress<uint32_t>;
  return d.expectOperands(3) && d.addDst(d.operand(0), bytes) &&
         d.addSrc(d.operand(1), bytes) && d.addSrc(d.operand(2), 4);
}

} // namespace

std::vector<OpcodeRow> clusterOpcodes() {
  return {
      {"barrier.cluster.arrive(.release|.relaxed)?(.aligned)?", OpClass::Sync,
       decodeBarrier},
      {"barrier.cluster.wait(.acquire)?(.aligned)?", OpClass::Sync,
       decodeBarrier},
      {"mapa(.shared::cluster)?(.u32|.u64)", OpClass::Integer,
       decodeMapAddress},
      {"getctarank(.shared::cluster)?(.u32|.u64)", OpClass::Integer,
       decodeMapAddress},
  };
}

} // namespace goat::ptxsim
