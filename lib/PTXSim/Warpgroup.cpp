//===- Warpgroup.cpp - four warps that do the same ------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares what the warps of a warpgroup execute, step by step, and finds the
// instructions that share registers with wgmma.
//
//===----------------------------------------------------------------------===//

#include "Launch.h"

namespace goat::ptxsim {

void Block::stepWarpgroup(Warp &warp, const Instr &instr,
                          std::array<uint64_t, 2> operands) {
  uint32_t group = warp.id / warpgroupWarps;
  if ((group + 1) * warpgroupWarps > warps.size()) {
    warp.report(FindingKind::BarrierDivergence, instr, allLanes, 0,
                "expected a warpgroup of four warps");
    return;
  }
  Warpgroup &state = warpgroups[group];
  uint64_t index = warp.warpgroupStep++ - state.first;
  if (index == state.steps.size())
    state.steps.push_back({&instr, operands, 0});
  WarpgroupStep &step = state.steps[index];
  if (step.instr != &instr || step.operands != operands)
    warp.report(FindingKind::BarrierDivergence, instr, allLanes, 0,
                step.instr != &instr
                    ? "another warp of the warpgroup executes line " +
                          std::to_string(step.instr->line) + " instead"
                    : "another warp of the warpgroup has other descriptors");
  ++step.warps;
  while (!state.steps.empty() && state.steps.front().warps == warpgroupWarps) {
    state.steps.pop_front();
    ++state.first;
  }
}

void Block::checkWarpgroups() {
  for (size_t group = 0; group < warpgroups.size(); ++group)
    for (const WarpgroupStep &step : warpgroups[group].steps)
      warps[group * warpgroupWarps]->report(
          FindingKind::BarrierDivergence, *step.instr, allLanes, 0,
          "only " + std::to_string(step.warps) +
              " of the four warps of the warpgroup execute this");
}

void findWgmmaRegisters(Function &function) {
  if (function.wgmmas.empty())
    return;
  std::vector<bool> isUsed(function.numSlots, false);
  for (const Instr &instr : function.code) {
    if (!instr.wgmma)
      continue;
    uint32_t count = instr.numDst + (instr.wgmma->isAInRegisters ? 4u : 0u);
    for (uint32_t i = 0; i < count; ++i)
      isUsed[instr.op[i]] = true;
  }
  for (Instr &instr : function.code)
    for (uint32_t i = 0; i < uint32_t(instr.numDst) + instr.numSrc; ++i)
      instr.touchesWgmma |= !instr.wgmma && isUsed[instr.op[i]];
}

} // namespace goat::ptxsim
