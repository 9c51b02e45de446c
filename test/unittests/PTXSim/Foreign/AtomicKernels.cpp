//===- AtomicKernels.cpp - atomics from nvcc ------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the kernels of cuda/atomics.cu. The results do not depend on the order
// in which threads come, or only in ways the tests allow for.
//
//===----------------------------------------------------------------------===//

#include "ForeignKernel.h"

#include <algorithm>
#include <map>
#include <numeric>

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

FOREIGN_KERNEL("cuda/atomics", integerAtomics,
               "every operation on 32 and 64 bits of global memory") {
  const int n = 192;
  std::vector<int> in;
  for (uint32_t word : randomWords(n, 50))
    in.push_back(static_cast<int>(word) >> 4);
  std::vector<int> cells = {10, 20, 30, 40, 50, 60, -1, 0, 99, 3, 22, 0};
  std::vector<uint64_t> wide = {1, 2, 3, ~uint64_t(0), 0, 5};
  auto cellsBuffer = device.upload(cells);
  auto wideBuffer = device.upload(wide);
  auto exchanged = device.zeros<uint64_t>(1);
  device.launch({3}, {64}, device.upload(in), cellsBuffer, wideBuffer,
                exchanged);
  for (int i = 0; i < n; ++i) {
    int x = in[i];
    uint32_t u = static_cast<uint32_t>(x);
    auto unsignedCell = [&](int at) {
      return static_cast<uint32_t>(cells[at]);
    };
    cells[0] = static_cast<int>(unsignedCell(0) + u);
    cells[1] = static_cast<int>(unsignedCell(1) - u);
    cells[2] = std::min(cells[2], x);
    cells[3] = std::max(cells[3], x);
    cells[4] = static_cast<int>(std::min(unsignedCell(4), u));
    cells[5] = static_cast<int>(std::max(unsignedCell(5), u));
    cells[6] &= x | 0xffff;
    cells[7] |= x & 0xff00;
    cells[8] ^= x;
    cells[9] = cells[9] >= 16 ? 0 : cells[9] + 1;
    cells[10] = cells[10] == 0 || cells[10] > 22 ? 22 : cells[10] - 1;
    uint64_t y = uint64_t(u * u) + static_cast<uint64_t>(i);
    y = static_cast<uint64_t>(u) * u + static_cast<uint64_t>(i);
    wide[0] += y;
    wide[1] = static_cast<uint64_t>(
        std::min(static_cast<int64_t>(wide[1]), int64_t(x)));
    wide[2] = std::max(wide[2], y);
    wide[3] &= ~(uint64_t(1) << (i % 60));
    wide[4] |= uint64_t(1) << (i % 61);
    wide[5] ^= y << 17;
  }
  std::vector<int> got = device.get(cellsBuffer);
  // Whoever came last stays; everybody else was seen by the next one.
  EXPECT_EQ(device.get(exchanged)[0] + static_cast<uint64_t>(got[11]),
            uint64_t(n) * (n + 1) / 2);
  cells[11] = got[11];
  EXPECT_EQ(got, cells);
  EXPECT_EQ(device.get(wideBuffer), wide);
}

FOREIGN_KERNEL("cuda/atomics", sharedAtomics,
               "operations on 32 and 64 bits of shared memory, block scope") {
  std::vector<int> in;
  for (uint32_t word : randomWords(96, 51))
    in.push_back(static_cast<int>(word % 4001) - 2000);
  auto out = device.empty<int>(11);
  device.launch({1}, {96}, device.upload(in), out);
  std::vector<int> expected(11);
  uint64_t wide = 0;
  for (int x : in) {
    expected[0] += x;
    expected[1] = std::min(expected[1], x);
    expected[2] = std::max(expected[2], x);
    expected[3] |= static_cast<int>(1u << (x & 31));
    expected[4] ^= x;
    wide += static_cast<uint64_t>(int64_t(x)) << 8;
    expected[9] = std::max(expected[9], x & 0xffff);
  }
  expected[5] = 96 % 7;
  expected[6] = 96;
  expected[7] = 1; // one thread found the cell empty
  expected[8] = static_cast<int>(wide >> 8);
  expected[10] = 48;
  EXPECT_EQ(device.get(out), expected);
}

FOREIGN_KERNEL(
    "cuda/atomics", floatAtomics,
    "sums in fp32, fp64, fp16, bf16 and pairs of them, system scope") {
  const unsigned n = 128;
  std::vector<float> in(n);
  for (unsigned i = 0; i < n; ++i)
    in[i] = static_cast<float>(static_cast<int>(i % 7) - 3);
  float sum = std::accumulate(in.begin(), in.end(), 0.0f); // small and exact
  auto single = device.zeros<float>(1);
  auto twice = device.zeros<double>(1);
  auto pair = device.zeros<uint16_t>(2);
  auto half = device.zeros<uint16_t>(2);
  auto bfloat = device.zeros<uint16_t>(2);
  device.launch({4}, {32}, device.upload(in), single, twice, pair, half,
                bfloat);
  EXPECT_EQ(device.get(single)[0], sum);
  EXPECT_EQ(device.get(twice)[0], sum * 1024);
  EXPECT_EQ(halfValue(device.get(pair)[0]), sum);
  EXPECT_EQ(halfValue(device.get(pair)[1]), -sum);
  EXPECT_EQ(halfValue(device.get(half)[0]), sum);
  EXPECT_EQ(bf16Value(device.get(bfloat)[0]), sum);
}

FOREIGN_KERNEL("cuda/atomics", casLoops,
               "compare-and-swap of 16, 32 and 64 bits until it succeeds") {
  std::vector<int> in;
  for (int i = 0; i < 128; ++i)
    in.push_back(i * 11 % 64);
  auto product = device.upload(std::vector<float>{1});
  auto bytes = device.zeros<uint32_t>(4);
  auto cells = device.zeros<uint16_t>(8);
  auto wide = device.zeros<uint64_t>(1);
  device.launch({2}, {64}, device.upload(in), product, bytes, cells, wide);
  float factor = 1;
  std::vector<uint32_t> expected(4);
  std::vector<uint16_t> expectedCells(8);
  for (int x : in) {
    factor *= x & 1 ? 2.0f : 0.5f;
    expected[x & 3] += 1u << 8 * (x >> 2 & 3);
    expectedCells[x & 7] = static_cast<uint16_t>(expectedCells[x & 7] + 3);
  }
  EXPECT_EQ(device.get(product)[0], factor);
  EXPECT_EQ(device.get(bytes), expected);
  EXPECT_EQ(device.get(cells), expectedCells);
  EXPECT_EQ(device.get(wide)[0], 128 * ((uint64_t(1) << 33) + 1));
}

FOREIGN_KERNEL("cuda/atomics", atomicRefs,
               "cuda::atomic_ref in device and system scope, every order") {
  std::vector<int> in;
  for (int i = 0; i < 96; ++i)
    in.push_back(i * 13 % 57);
  auto cells = device.zeros<int>(5);
  device.launch({3}, {32}, device.upload(in), cells);
  uint32_t sequence = 0, bits = 0;
  for (int x : in) {
    bits |= 1u << (x & 15);
    sequence = sequence * 5 + 1;
  }
  EXPECT_EQ(device.get(cells),
            (std::vector<int>{std::accumulate(in.begin(), in.end(), 0), 56,
                              static_cast<int>(bits),
                              static_cast<int>(sequence), 7}));
}

FOREIGN_KERNEL("cuda/atomics", hashTable,
               "open addressing with compare-and-swap") {
  const int n = 200;
  std::vector<uint32_t> keys = randomWords(n, 52);
  for (uint32_t &key : keys)
    key %= 90;
  auto slots = device.upload(std::vector<uint32_t>(128, ~0u));
  auto counts = device.zeros<uint32_t>(128);
  device.launch({2}, {128}, device.upload(keys), n, slots, counts, 127u);
  std::map<uint32_t, uint32_t> expected, got;
  for (uint32_t key : keys)
    ++expected[key];
  std::vector<uint32_t> gotSlots = device.get(slots);
  std::vector<uint32_t> gotCounts = device.get(counts);
  for (size_t i = 0; i < 128; ++i)
    if (gotSlots[i] != ~0u) {
      EXPECT_TRUE(got.emplace(gotSlots[i], gotCounts[i]).second);
    } else {
      EXPECT_EQ(gotCounts[i], 0u);
    }
  EXPECT_EQ(got, expected);
}

FOREIGN_KERNEL("cuda/atomics", spinLock,
               "a lock between warps and blocks, nanosleep, fences") {
  const int rounds = 5, visits = 3 * 2 * rounds;
  auto lock = device.zeros<int>(1);
  auto balance = device.zeros<int>(2);
  device.launch({3}, {64}, lock, balance, rounds);
  uint32_t sum = 0;
  for (uint32_t i = 1; i <= visits; ++i)
    sum = sum * 3 + i;
  EXPECT_EQ(device.get(balance),
            (std::vector<int>{visits, static_cast<int>(sum)}));
  EXPECT_EQ(device.get(lock)[0], 0);
}

FOREIGN_KERNEL("cuda/atomics", laneLock,
               "a lock that lanes of one warp fight for") {
  auto lock = device.zeros<int>(1);
  auto balance = device.zeros<int>(1);
  device.launch({2}, {64}, lock, balance);
  EXPECT_EQ(device.get(balance)[0], 128);
  EXPECT_EQ(device.get(lock)[0], 0);
}

FOREIGN_KERNEL("cuda/atomics", linkedList,
               "nodes pushed with exchanges from all blocks") {
  const int n = 160;
  auto head = device.upload(std::vector<int>{-1});
  auto next = device.empty<int>(n);
  device.launch({5}, {32}, head, next);
  std::vector<int> got = device.get(next), reached;
  for (int at = device.get(head)[0]; at != -1 && reached.size() <= n;
       at = got[at])
    reached.push_back(at);
  std::sort(reached.begin(), reached.end());
  std::vector<int> all(n);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(reached, all);
}

FOREIGN_KERNEL("cuda/atomics", flagBetweenWarps,
               "release and acquire between warps instead of a barrier") {
  std::vector<int> in(32), expected;
  std::iota(in.begin(), in.end(), 100);
  auto out = device.empty<int>(96);
  device.launch({1}, {128}, device.upload(in), out);
  for (int i = 0; i < 96; ++i)
    expected.push_back(in[i % 32] * 2 + i / 32 + 1);
  EXPECT_EQ(device.get(out), expected);
}

} // namespace
