//===- Loops.cpp - where a kernel spends its time -------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Basic blocks, dominators and natural loops of a listing. Neither LLVM nor
// ptxas lays a loop out in one piece, so the text between a label and a branch
// back to it is not the loop.
//
//===----------------------------------------------------------------------===//

#include "goat/Report/Code.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>
#include <map>

using namespace goat::report;

namespace {

struct Block {
  size_t begin = 0, end = 0;
  std::vector<size_t> successors, predecessors;
};

/// The flow graph of one listing.
class Graph {
public:
  explicit Graph(const Listing &listing);

  std::vector<Loop> loops() const;

private:
  void computeDominators();
  llvm::BitVector findRare(const llvm::BitVector &body, size_t header) const;
  bool isRegisterWork(size_t block) const;

  const Listing &listing;
  std::vector<Block> blocks;
  /// The blocks each block is dominated by, itself included; empty for a block
  /// that cannot be reached.
  std::vector<llvm::BitVector> dominators;
};

} // namespace

Graph::Graph(const Listing &listing) : listing(listing) {
  const size_t size = listing.instructions.size();
  llvm::BitVector starts(size + 1);
  starts.set(0);
  llvm::StringMap<size_t> labels;
  for (const auto &[label, index] : listing.labels) {
    labels[label] = index;
    starts.set(index);
  }
  for (auto [index, instruction] : llvm::enumerate(listing.instructions))
    if (!instruction.target.empty() || !instruction.fallsThrough)
      starts.set(index + 1);
  std::vector<size_t> blockOf(size + 1, 0);
  for (size_t index = 0; index < size; ++index) {
    if (starts[index]) {
      if (!blocks.empty())
        blocks.back().end = index;
      blocks.push_back({index, size, {}, {}});
    }
    blockOf[index] = blocks.size() - 1;
  }
  for (auto [number, block] : llvm::enumerate(blocks)) {
    const Instruction &last = listing.instructions[block.end - 1];
    auto target = labels.find(last.target);
    if (!last.target.empty() && target != labels.end() && target->second < size)
      block.successors.push_back(blockOf[target->second]);
    if (last.fallsThrough && block.end < size)
      block.successors.push_back(number + 1);
    for (size_t successor : block.successors)
      blocks[successor].predecessors.push_back(number);
  }
  computeDominators();
}

void Graph::computeDominators() {
  dominators.assign(blocks.size(), {});
  if (blocks.empty())
    return;
  dominators[0].resize(blocks.size());
  dominators[0].set(0);
  bool hasChanged = true;
  while (hasChanged) {
    hasChanged = false;
    for (size_t number = 1; number < blocks.size(); ++number) {
      llvm::BitVector common;
      for (size_t predecessor : blocks[number].predecessors) {
        if (dominators[predecessor].empty())
          continue;
        if (common.empty())
          common = dominators[predecessor];
        else
          common &= dominators[predecessor];
      }
      if (common.empty())
        continue;
      common.set(number);
      if (common != dominators[number]) {
        dominators[number] = std::move(common);
        hasChanged = true;
      }
    }
  }
}

bool Graph::isRegisterWork(size_t block) const {
  for (size_t i = blocks[block].begin; i < blocks[block].end; ++i)
    switch (listing.instructions[i].kind) {
    case Kind::Tensor:
    case Kind::LoadMatrix:
    case Kind::CopyAsync:
    case Kind::Shared:
    case Kind::Global:
      return false;
    default:
      break;
    }
  return true;
}

/// The blocks of a loop's body that a branch leads around and that work in
/// registers alone, unless they are few instructions.
llvm::BitVector Graph::findRare(const llvm::BitVector &body,
                                size_t header) const {
  constexpr size_t fewInstructions = 32;
  llvm::BitVector rare(blocks.size());
  for (unsigned entry : body.set_bits()) {
    const Block &block = blocks[entry];
    if (entry == header || block.predecessors.size() != 1 ||
        blocks[block.predecessors.front()].successors.size() != 2)
      continue;
    llvm::BitVector region(blocks.size());
    size_t size = 0;
    bool inRegisters = true;
    for (unsigned number : body.set_bits())
      if (!dominators[number].empty() && dominators[number][entry]) {
        region.set(number);
        size += blocks[number].end - blocks[number].begin;
        inRegisters &= isRegisterWork(number);
      }
    if (inRegisters && size >= fewInstructions)
      rare |= region;
  }
  return rare;
}

std::vector<Loop> Graph::loops() const {
  std::map<size_t, llvm::BitVector> bodies;
  for (auto [number, block] : llvm::enumerate(blocks))
    for (size_t header : block.successors) {
      if (dominators[number].empty() || !dominators[number][header])
        continue;
      llvm::BitVector &body = bodies[header];
      body.resize(blocks.size());
      body.set(header);
      std::vector<size_t> work{number};
      while (!work.empty()) {
        size_t next = work.back();
        work.pop_back();
        if (body[next])
          continue;
        body.set(next);
        llvm::append_range(work, blocks[next].predecessors);
      }
    }
  std::vector<Loop> loops;
  for (const auto &[header, body] : bodies) {
    Loop loop;
    llvm::BitVector rare = findRare(body, header);
    for (unsigned number : body.set_bits())
      for (size_t i = blocks[number].begin; i < blocks[number].end; ++i)
        (rare[number] ? loop.rare : loop.instructions).push_back(i);
    for (const auto &[other, inner] : bodies)
      loop.hasInner |= other != header && body[other];
    loops.push_back(std::move(loop));
  }
  return loops;
}

std::vector<Loop> goat::report::findLoops(const Listing &listing) {
  return Graph(listing).loops();
}

static int64_t countKind(const Listing &listing, const Loop &loop, Kind kind) {
  return llvm::count_if(loop.instructions, [&](size_t index) {
    return listing.instructions[index].kind == kind;
  });
}

static bool hasExponential(const Listing &listing, const Loop &loop) {
  return llvm::any_of(loop.instructions, [&](size_t index) {
    llvm::StringRef opcode = listing.instructions[index].opcode;
    return opcode.starts_with("MUFU.EX2") || opcode.starts_with("ex2");
  });
}

/// `loops` without those that hold another one of them.
static std::vector<Loop> innermost(std::vector<Loop> loops) {
  std::vector<Loop> kept;
  for (const Loop &loop : loops)
    if (llvm::none_of(loops, [&](const Loop &other) {
          return other.instructions.size() < loop.instructions.size() &&
                 std::includes(
                     loop.instructions.begin(), loop.instructions.end(),
                     other.instructions.begin(), other.instructions.end());
        }))
      kept.push_back(loop);
  return kept;
}

std::vector<Loop> goat::report::findTileLoops(const Listing &listing) {
  std::vector<Loop> tensor, complete, exact;
  for (Loop &loop : findLoops(listing)) {
    const bool isComplete = hasExponential(listing, loop);
    if (countKind(listing, loop, Kind::Tensor) == 0) {
      if (isComplete && countKind(listing, loop, Kind::CopyAsync) &&
          countKind(listing, loop, Kind::FMA))
        exact.push_back(std::move(loop));
      continue;
    }
    if (isComplete)
      complete.push_back(loop);
    tensor.push_back(std::move(loop));
  }
  const Kind product =
      tensor.empty() && !exact.empty() ? Kind::FMA : Kind::Tensor;
  if (product == Kind::FMA)
    complete = std::move(exact);
  std::vector<Loop> loops =
      innermost(complete.empty() ? std::move(tensor) : std::move(complete));
  llvm::sort(loops, [&](const Loop &a, const Loop &b) {
    // |a| / products(a) < |b| / products(b); the earlier one when they are
    // equal.
    const int64_t left = a.instructions.size() * countKind(listing, b, product);
    const int64_t right =
        b.instructions.size() * countKind(listing, a, product);
    return left != right ? left < right
                         : a.instructions.front() < b.instructions.front();
  });
  return loops;
}
