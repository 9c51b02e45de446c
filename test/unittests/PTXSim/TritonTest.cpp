//===- TritonTest.cpp - mutants of a kernel another compiler emitted ------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attention compiled by Triton with a wait or a barrier left out.
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

const std::string inputs = GOAT_PTXSIM_INPUTS "/triton/";

std::string listOf(const LaunchResult &result) {
  std::string all;
  for (const Finding &finding : result.findings)
    all += finding.str() + "\n";
  return all;
}

/// Replaces the `index`-th line that contains `text`; false if there is none.
bool replaceLine(std::string &ptx, const std::string &text, unsigned index,
                 const std::string &replacement) {
  size_t at = 0;
  for (unsigned i = 0;; ++i) {
    at = ptx.find(text, at);
    if (at == std::string::npos)
      return false;
    if (i == index)
      break;
    ++at;
  }
  ptx.replace(at, ptx.find('\n', at) - at, replacement);
  return true;
}

/// The findings of the attention on data that is all ones.
std::string findingsOf(const std::string &ptx, uint64_t seed) {
  Result<Module> module = Module::parse(ptx, "mutant.ptx");
  EXPECT_TRUE(bool(module)) << module.error();
  const unsigned length = 200;
  std::vector<uint16_t> ones(length * 64, 0x3f80);
  Memory memory;
  Arguments arguments;
  for (const char *name : {"q", "k", "v"}) {
    uint64_t address = memory.allocate(2 * ones.size(), name, 16);
    memory.write(address, ones.data(), 2 * ones.size());
    arguments.pointer(address);
  }
  arguments.pointer(memory.allocate(2 * ones.size(), "out", 16));
  arguments.pointer(memory.allocate(4 * length, "lse", 16));
  arguments.u32(length).f32(0.18f).pointer(0);
  LaunchConfig config;
  config.grid = {4, 1, 1};
  config.block = {128, 1, 1};
  config.dynamicSharedBytes = 24576;
  config.seed = seed;
  Result<LaunchResult> result =
      launch(*module, "attention", memory, arguments, config);
  EXPECT_TRUE(bool(result)) << result.error();
  return listOf(*result);
}

TEST(Triton, AMissingWaitIsFound) {
  const std::string original = readFile(inputs + "attention.ptx");
  EXPECT_EQ(findingsOf(original, 0), "");
  unsigned waits = 0;
  for (;; ++waits) {
    std::string mutant = original;
    if (!replaceLine(mutant, "cp.async.wait_group", waits,
                     "cp.async.wait_group 4;"))
      break;
    EXPECT_NE(findingsOf(mutant, 0), "") << "wait " << waits;
  }
  EXPECT_EQ(waits, 4u);
}

TEST(Triton, AMissingBarrierIsFound) {
  const std::string original = readFile(inputs + "attention.ptx");
  std::vector<unsigned> notNeeded;
  unsigned barriers = 0;
  for (;; ++barriers) {
    std::string mutant = original;
    if (!replaceLine(mutant, "bar.sync", barriers, ""))
      break;
    bool isFound = false;
    for (uint64_t seed = 0; seed < 3 && !isFound; ++seed)
      isFound = !findingsOf(mutant, seed).empty();
    if (!isFound)
      notNeeded.push_back(barriers);
  }
  EXPECT_EQ(barriers, 11u);
  // Three barriers stand between copies to different buffers, or to the same
  // bytes by the same threads: Triton is careful there, nothing is wrong
  // without them.
  EXPECT_EQ(notNeeded, (std::vector<unsigned>{0, 3, 4}));
}

} // namespace
