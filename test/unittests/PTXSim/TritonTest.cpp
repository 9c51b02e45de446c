//===- TritonTest.cpp - kernels another compiler emitted ------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The matmul and the attention compiled by Triton, against plain loops, at the
// described size and at others, clean under several schedules.
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

#include <random>

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

struct MatmulSize {
  unsigned m, n, k;
};

void runMatmul(const Module &module, MatmulSize size, uint64_t seed) {
  std::mt19937 random(7);
  auto draw = [&] { return (static_cast<int>(random() % 129) - 64) / 64.0f; };
  std::vector<float> a(size.m * size.k), b(size.k * size.n);
  std::vector<uint16_t> aBits, bBits;
  for (float &x : a)
    aBits.push_back(f16Bits(x = draw()));
  for (float &x : b)
    bBits.push_back(f16Bits(x = draw()));
  Memory memory;
  uint64_t aAddress = memory.allocate(2 * a.size(), "a", 16);
  uint64_t bAddress = memory.allocate(2 * b.size(), "b", 16);
  uint64_t cAddress = memory.allocate(4 * size.m * size.n, "c", 16);
  memory.write(aAddress, aBits.data(), 2 * a.size());
  memory.write(bAddress, bBits.data(), 2 * b.size());
  LaunchConfig config;
  config.grid = {(size.m + 63) / 64, (size.n + 63) / 64, 1};
  config.block = {128, 1, 1};
  config.dynamicSharedBytes = 16384;
  config.seed = seed;
  auto arguments = Arguments()
                       .pointer(aAddress)
                       .pointer(bAddress)
                       .pointer(cAddress)
                       .u32(size.m)
                       .u32(size.n)
                       .u32(size.k)
                       .u32(size.k)
                       .u32(size.n)
                       .u32(size.n)
                       .pointer(0);
  Result<LaunchResult> result =
      launch(module, "matmul", memory, arguments, config);
  ASSERT_TRUE(bool(result)) << result.error();
  EXPECT_EQ(listOf(*result), "");
  EXPECT_TRUE(result->completed);
  EXPECT_EQ(memory.countUninitialised(cAddress, 4 * size.m * size.n), 0u);
  std::vector<float> c(size.m * size.n);
  memory.read(cAddress, c.data(), 4 * c.size());
  // All products are multiples of 2^-12 below 2^10: the sum is exact in fp32.
  for (unsigned i = 0; i < size.m; ++i)
    for (unsigned j = 0; j < size.n; ++j) {
      double sum = 0;
      for (unsigned l = 0; l < size.k; ++l)
        sum += static_cast<double>(a[i * size.k + l]) * b[l * size.n + j];
      ASSERT_EQ(c[i * size.n + j], sum) << i << " " << j;
    }
}

TEST(Triton, Matmul) {
  Result<Module> module =
      Module::parse(readFile(inputs + "matmul.ptx"), "matmul.ptx");
  ASSERT_TRUE(bool(module)) << module.error();
  for (uint64_t seed : {0, 1, 2})
    runMatmul(*module, {100, 80, 112}, seed);
  runMatmul(*module, {1, 16, 16}, 3);
  runMatmul(*module, {129, 192, 64}, 4);
}

void runAttention(const Module &module, unsigned heads, unsigned length,
                  uint64_t seed) {
  constexpr unsigned dim = 64;
  size_t count = size_t(heads) * length * dim;
  std::mt19937 random(11);
  auto draw = [&] {
    return (static_cast<int>(random() % 2001) - 1000) / 500.0f;
  };
  std::vector<float> values[3];
  std::vector<uint16_t> bits[3];
  uint64_t address[3];
  Memory memory;
  const char *names[3] = {"q", "k", "v"};
  for (unsigned t = 0; t < 3; ++t) {
    for (size_t i = 0; i < count; ++i) {
      bits[t].push_back(bf16Bits(draw()));
      values[t].push_back(bf16Value(bits[t].back()));
    }
    address[t] = memory.allocate(2 * count, names[t], 16);
    memory.write(address[t], bits[t].data(), 2 * count);
  }
  uint64_t outAddress = memory.allocate(2 * count, "out", 16);
  uint64_t lseAddress = memory.allocate(4 * heads * length, "lse", 16);
  float scale = 0.125f;
  LaunchConfig config;
  config.grid = {(length + 63) / 64, heads, 1};
  config.block = {128, 1, 1};
  config.dynamicSharedBytes = 24576;
  config.seed = seed;
  auto arguments = Arguments()
                       .pointer(address[0])
                       .pointer(address[1])
                       .pointer(address[2])
                       .pointer(outAddress)
                       .pointer(lseAddress)
                       .u32(length)
                       .f32(scale * 1.44269504f)
                       .pointer(0);
  Result<LaunchResult> result =
      launch(module, "attention", memory, arguments, config);
  ASSERT_TRUE(bool(result)) << result.error();
  EXPECT_EQ(listOf(*result), "");
  EXPECT_TRUE(result->completed);
  std::vector<uint16_t> out(count);
  std::vector<float> lse(heads * length);
  ASSERT_TRUE(memory.read(outAddress, out.data(), 2 * count));
  ASSERT_TRUE(memory.read(lseAddress, lse.data(), 4 * lse.size()));
  EXPECT_EQ(memory.countUninitialised(outAddress, 2 * count), 0u);
  double errorSquared = 0, normSquared = 0;
  for (unsigned h = 0; h < heads; ++h)
    for (unsigned i = 0; i < length; ++i) {
      std::vector<double> score(i + 1);
      double most = -1e300, sum = 0;
      const float *q = &values[0][(size_t(h) * length + i) * dim];
      for (unsigned j = 0; j <= i; ++j) {
        const float *k = &values[1][(size_t(h) * length + j) * dim];
        for (unsigned d = 0; d < dim; ++d)
          score[j] += static_cast<double>(q[d]) * k[d];
        score[j] *= scale;
        most = std::max(most, score[j]);
      }
      for (double &s : score)
        sum += s = std::exp(s - most);
      // fp32 logarithm of the row sum: a few units in the last place.
      ASSERT_NEAR(lse[h * length + i], most + std::log(sum), 2e-5);
      for (unsigned d = 0; d < dim; ++d) {
        double y = 0;
        for (unsigned j = 0; j <= i; ++j)
          y += score[j] * values[2][(size_t(h) * length + j) * dim + d];
        y /= sum;
        double got = bf16Value(out[(size_t(h) * length + i) * dim + d]);
        errorSquared += (got - y) * (got - y);
        normSquared += y * y;
      }
    }
  // Rounding P and the output to bf16 costs about 2^-9 each.
  EXPECT_LT(std::sqrt(errorSquared / normSquared), 4e-3);
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

TEST(Triton, Attention) {
  Result<Module> module =
      Module::parse(readFile(inputs + "attention.ptx"), "attention.ptx");
  ASSERT_TRUE(bool(module)) << module.error();
  for (uint64_t seed : {0, 1, 2})
    runAttention(*module, 3, 200, seed);
  runAttention(*module, 1, 1, 3);
  runAttention(*module, 2, 65, 4);
}

} // namespace
