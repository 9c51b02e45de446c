//===- ControlFlow.cpp - where diverged lanes meet ------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the control flow graph of a decoded function and computes immediate
// post-dominators by the iterative algorithm of Cooper, Harvey and Kennedy on
// the reversed graph, with one virtual exit.
//
//===----------------------------------------------------------------------===//

#include "Opcodes.h"
#include "Program.h"

#include <algorithm>

namespace goat::ptxsim {

namespace {

struct BasicBlock {
  uint32_t first = 0;
  uint32_t end = 0;
  std::vector<uint32_t> successors;
  std::vector<uint32_t> predecessors;
};

std::vector<BasicBlock> buildBlocks(const Function &function) {
  const std::vector<Instr> &code = function.code;
  uint32_t size = static_cast<uint32_t>(code.size());
  std::vector<bool> leader(size + 1, false);
  leader[0] = true;
  auto lead = [&](uint32_t index) { leader[std::min(index, size)] = true; };
  for (uint32_t i = 0; i < size; ++i) {
    if (code[i].target != noTarget)
      lead(code[i].target);
    if (code[i].targets)
      for (uint32_t target : *code[i].targets)
        lead(target);
    if (code[i].target != noTarget || code[i].targets || endsThread(code[i]))
      lead(i + 1);
  }
  std::vector<uint32_t> blockOf(size + 1, 0);
  std::vector<BasicBlock> blocks;
  for (uint32_t i = 0; i < size; ++i) {
    if (leader[i]) {
      blocks.emplace_back();
      blocks.back().first = i;
    }
    blockOf[i] = static_cast<uint32_t>(blocks.size() - 1);
    blocks.back().end = i + 1;
  }
  uint32_t exit = static_cast<uint32_t>(blocks.size());
  blockOf[size] = exit;
  blocks.emplace_back();
  blocks.back().first = blocks.back().end = size;
  for (uint32_t b = 0; b < exit; ++b) {
    const Instr &last = code[blocks[b].end - 1];
    std::vector<uint32_t> &next = blocks[b].successors;
    bool isBranch = last.target != noTarget || last.targets;
    bool isConditional = last.guard.index != noPredicate;
    if (last.target != noTarget)
      next.push_back(blockOf[std::min(last.target, size)]);
    if (last.targets)
      for (uint32_t target : *last.targets)
        next.push_back(blockOf[std::min(target, size)]);
    if (endsThread(last))
      next.push_back(exit);
    if (isConditional || (!isBranch && !endsThread(last)))
      next.push_back(blockOf[blocks[b].end]);
    std::sort(next.begin(), next.end());
    next.erase(std::unique(next.begin(), next.end()), next.end());
    for (uint32_t successor : next)
      blocks[successor].predecessors.push_back(b);
  }
  return blocks;
}

/// Post-order of the reversed graph from the exit.
std::vector<uint32_t> reversePostOrder(const std::vector<BasicBlock> &blocks) {
  std::vector<uint32_t> order;
  std::vector<bool> seen(blocks.size(), false);
  std::vector<std::pair<uint32_t, size_t>> stack;
  uint32_t exit = static_cast<uint32_t>(blocks.size() - 1);
  stack.push_back({exit, 0});
  seen[exit] = true;
  while (!stack.empty()) {
    auto &[block, next] = stack.back();
    if (next < blocks[block].predecessors.size()) {
      uint32_t predecessor = blocks[block].predecessors[next++];
      if (!seen[predecessor]) {
        seen[predecessor] = true;
        stack.push_back({predecessor, 0});
      }
    } else {
      order.push_back(block);
      stack.pop_back();
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

} // namespace

void findReconvergence(Function &function) {
  if (function.code.empty())
    return;
  std::vector<BasicBlock> blocks = buildBlocks(function);
  uint32_t exit = static_cast<uint32_t>(blocks.size() - 1);
  // A loop without a way out does not reach the exit; pretend that it may
  // leave, so that every block has a post-dominator.
  std::vector<uint32_t> order = reversePostOrder(blocks);
  if (order.size() < blocks.size()) {
    std::vector<bool> reached(blocks.size(), false);
    for (uint32_t block : order)
      reached[block] = true;
    for (uint32_t b = exit; b-- > 0;)
      if (!reached[b]) {
        blocks[b].successors.push_back(exit);
        blocks[exit].predecessors.push_back(b);
      }
    order = reversePostOrder(blocks);
  }
  std::vector<uint32_t> position(blocks.size(), 0);
  for (uint32_t i = 0; i < order.size(); ++i)
    position[order[i]] = i;
  std::vector<uint32_t> dominator(blocks.size(), noTarget);
  dominator[exit] = exit;
  bool changed = true;
  while (changed) {
    changed = false;
    for (uint32_t block : order) {
      if (block == exit)
        continue;
      uint32_t best = noTarget;
      for (uint32_t successor : blocks[block].successors) {
        if (dominator[successor] == noTarget)
          continue;
        uint32_t other = successor;
        if (best == noTarget) {
          best = other;
          continue;
        }
        while (best != other) {
          while (position[best] > position[other])
            best = dominator[best];
          while (position[other] > position[best])
            other = dominator[other];
        }
      }
      if (dominator[block] != best) {
        dominator[block] = best;
        changed = true;
      }
    }
  }
  for (uint32_t b = 0; b < exit; ++b) {
    Instr &last = function.code[blocks[b].end - 1];
    if (last.target == noTarget && !last.targets)
      continue;
    uint32_t meet = dominator[b];
    last.reconvergence =
        meet == exit || meet == noTarget ? noTarget : blocks[meet].first;
  }
}

} // namespace goat::ptxsim
