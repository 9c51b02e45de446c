//===- GroupKernels.cpp - cooperative groups and barriers from nvcc -------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the kernels of cuda/groups.cu against plain C++.
//
//===----------------------------------------------------------------------===//

#include "ForeignKernel.h"

#include <algorithm>
#include <numeric>

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

FOREIGN_KERNEL("cuda/groups", tiles,
               "tiles of 4 to 32 lanes: reductions, scans, votes") {
  std::vector<int> in(64), expected;
  for (int i = 0; i < 64; ++i)
    in[i] = i * 31 % 53;
  auto out = device.empty<int>(6 * 64);
  device.launch({1}, {64}, device.upload(in), out);
  for (int i = 0; i < 64; ++i) {
    auto first = [&](int size) { return in.begin() + i / size * size; };
    expected.push_back(std::accumulate(first(8), first(8) + 8, 0));
    expected.push_back(*std::max_element(first(4), first(4) + 4));
    expected.push_back(std::accumulate(first(16), in.begin() + i + 1, 0));
    int folded = 0;
    for (auto it = first(16); it != in.begin() + i; ++it)
      folded ^= *it;
    expected.push_back(folded);
    int odd = 0;
    for (int j = 0; j < 8; ++j)
      odd |= (first(8)[j] & 1) << j;
    bool hasSeven = std::count(first(32), first(32) + 32, 7) > 0;
    expected.push_back(hasSeven + 2 + 4 * odd + 2048 * (i / 32));
    expected.push_back(std::accumulate(first(32), first(32) + 32, 0));
  }
  EXPECT_EQ(device.get(out), expected);
}

FOREIGN_KERNEL("cuda/groups", coalesced,
               "the lanes that are here, and those with the same label") {
  std::vector<int> in(96);
  for (int i = 0; i < 96; ++i)
    in[i] = i * i % 41;
  auto counter = device.zeros<int>(1);
  auto slots = device.empty<int>(96), sums = device.empty<int>(96);
  device.launch({3}, {32}, device.upload(in), counter, slots, sums);
  std::vector<int> gotSlots = device.get(slots), used, expected;
  for (int i = 0; i < 96; ++i) {
    if (in[i] % 3 == 0)
      used.push_back(gotSlots[i]);
    else
      EXPECT_EQ(gotSlots[i], -1);
    int sum = 0;
    for (int j = i / 32 * 32; j < i / 32 * 32 + 32; ++j)
      sum += in[j] % 4 == in[i] % 4 ? in[j] : 0;
    expected.push_back(sum);
  }
  EXPECT_EQ(device.get(sums), expected);
  std::sort(used.begin(), used.end());
  for (size_t i = 0; i < used.size(); ++i)
    EXPECT_EQ(used[i], static_cast<int>(i));
  EXPECT_EQ(device.get(counter)[0], static_cast<int>(used.size()));
}

FOREIGN_KERNEL("cuda/groups", matches,
               "match of 32 and 64 bits, votes, `redux` of every operation, "
               "half of the lanes") {
  std::vector<uint64_t> in(32);
  for (uint64_t i = 0; i < 32; ++i)
    in[i] = uint64_t(5) << 40 | (i % 7 * 13 + 3);
  auto out = device.empty<uint32_t>(10 * 32);
  device.launch({1}, {32}, device.upload(in), out);
  std::vector<uint32_t> got = device.get(out);
  uint32_t sum = 0, all = ~0u, any = 0, parity = 0, least = ~0u, most = 0;
  for (uint64_t x : in) {
    uint32_t low = static_cast<uint32_t>(x);
    sum += low;
    all &= low | 0x40;
    any |= low;
    parity ^= low;
    least = std::min(least, low);
    most = std::max(most, low);
  }
  for (int i = 0; i < 32; ++i) {
    uint32_t same = 0, sameParity = 0, second = 0;
    for (int j = 0; j < 32; ++j) {
      same |= uint32_t(in[i] == in[j]) << j;
      if (j & 4) {
        sameParity |= uint32_t((in[i] & 1) == (in[j] & 1)) << j;
        second |= uint32_t(in[j] >> 1 & 1) << j;
      }
    }
    const uint32_t expected[10] = {same,   ~0u,
                                   1,      uint32_t(most > 90) | 2,
                                   sum,    least + (most << 16),
                                   all,    any,
                                   parity, i & 4 ? sameParity ^ second : 0};
    for (int k = 0; k < 10; ++k)
      EXPECT_EQ(got[10 * i + k], expected[k]) << k << " of lane " << i;
  }
}

FOREIGN_KERNEL("cuda/groups", shuffles,
               "four directions, segments of 8, 16 and 32 lanes, fp64") {
  std::vector<double> in(32), expected;
  for (int i = 0; i < 32; ++i)
    in[i] = i * 8 - 100;
  auto out = device.empty<double>(8 * 32);
  device.launch({1}, {32}, device.upload(in), out);
  for (int i = 0; i < 32; ++i) {
    expected.push_back(in[(i * 5 + 3) % 32]);
    expected.push_back(in[i / 8 * 8 + (i + 1) % 8]);
    expected.push_back(in[i % 16 < 3 ? i : i - 3]);
    expected.push_back(in[i % 8 + 5 < 8 ? i + 5 : i]);
    expected.push_back(in[i ^ 9]);
    // Lanes of a segment may read those before it, not those after it.
    int from = i ^ 20;
    expected.push_back(in[from / 16 <= i / 16 ? from : i]);
    expected.push_back(in[i ? i - 1 : 0]);
    expected.push_back(in[i ? i : 31]);
  }
  EXPECT_EQ(device.get(out), expected);
}

FOREIGN_KERNEL("cuda/groups", countingBarriers,
               "`barrier.red` that counts, and, or") {
  std::vector<int> in(96), expected;
  for (int i = 0; i < 96; ++i)
    in[i] = i * 7 % 100 - 49;
  auto out = device.empty<int>(96);
  device.launch({1}, {96}, device.upload(in), out);
  int positive = static_cast<int>(
      std::count_if(in.begin(), in.end(), [](int x) { return x > 0; }));
  bool some = std::count(in.begin(), in.end(), 49) > 0;
  expected.assign(96, positive + 1000 + 2000 * some);
  EXPECT_EQ(device.get(out), expected);
}

FOREIGN_KERNEL("cuda/groups", namedBarriers,
               "a producer and three consumers with `bar.arrive` and "
               "`bar.sync` on four names") {
  const int rounds = 7;
  std::vector<int> in(32 * rounds), expected;
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<int>(i * 19 % 101);
  auto out = device.empty<int>(96);
  device.launch({1}, {128}, device.upload(in), out, rounds);
  for (int warp = 1; warp < 4; ++warp)
    for (int lane = 0; lane < 32; ++lane) {
      int sum = 0;
      for (int round = 0; round < rounds; ++round)
        sum += in[32 * round + (lane + warp) % 32] * warp;
      expected.push_back(sum);
    }
  EXPECT_EQ(device.get(out), expected);
}

} // namespace
