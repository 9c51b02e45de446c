//===- CooperativeKernels.cpp - cooperative groups from nvcc --------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the kernels of cuda/cooperative.cu against plain C++.
//
//===----------------------------------------------------------------------===//

#include "ForeignKernel.h"

#include <algorithm>
#include <numeric>

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

std::vector<int> smallNumbers(size_t count, uint32_t seed) {
  std::vector<int> numbers;
  for (uint32_t word : randomWords(count, seed))
    numbers.push_back(static_cast<int>(word % 201) - 100);
  return numbers;
}

FOREIGN_KERNEL("cuda/cooperative", gridSum,
               "a barrier of the grid between two reductions") {
  const int n = 2000;
  std::vector<int> in = smallNumbers(n, 200);
  auto out = device.empty<int>(5 * 96);
  device.launch({5}, {96}, device.upload(in), device.empty<int>(5), out, n);
  int sum = std::accumulate(in.begin(), in.end(), 0);
  std::vector<int> got = device.get(out);
  for (int i = 0; i < 5 * 96; ++i)
    EXPECT_EQ(got[i], sum + i);
}

FOREIGN_KERNEL("cuda/cooperative", jacobiGrid,
               "a relaxation, a barrier of the grid after every step") {
  const int n = 150, steps = 5;
  std::vector<float> a = gridOfUnits(n, 64, 201), b(n);
  auto first = device.upload(a), second = device.empty<float>(n);
  device.launch({3}, {64}, first, second, n, steps);
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < n; ++i)
      b[i] = i && i < n - 1 ? 0.5f * (a[i - 1] + a[i + 1]) : a[i];
    a.swap(b);
  }
  EXPECT_EQ(device.get(second), a); // an odd number of steps
}

FOREIGN_KERNEL("cuda/cooperative", tileAlgorithms,
               "scans and reductions of tiles and of threads with one label") {
  const int n = 96;
  std::vector<int> in = smallNumbers(n, 202);
  for (int &x : in)
    x = std::abs(x);
  auto out = device.empty<int>(6 * n);
  device.launch({1}, {n}, device.upload(in), out);
  std::vector<int> got = device.get(out);
  for (int i = 0; i < n; ++i) {
    int tile = i / 16 * 16, warp = i / 32 * 32;
    int sum = 0, before = 0, least = in[tile], most = in[tile], same = 0;
    int size = 0, rank = 0;
    for (int j = tile; j < tile + 16; ++j) {
      sum += j <= i ? in[j] : 0;
      before = j < i ? std::max(before, in[j]) : before;
      least = std::min(least, in[j]);
      most = std::max(most, in[j]);
    }
    for (int j = warp; j < warp + 32; ++j) {
      same += in[j] % 3 == in[i] % 3 ? in[j] : 0;
      bool isHalf = (in[j] & 1) == (in[i] & 1);
      size += isHalf;
      rank += isHalf && j < i;
    }
    EXPECT_EQ(got[i], sum);
    if (i > tile)
      EXPECT_EQ(got[n + i], before);
    EXPECT_EQ(got[2 * n + i], least);
    EXPECT_EQ(got[3 * n + i], same);
    EXPECT_EQ(got[4 * n + i], 100 * size + rank);
    EXPECT_EQ(got[5 * n + i], most);
  }
}

FOREIGN_KERNEL("cuda/cooperative", appendPositive,
               "threads that are here reserve room with one atomic") {
  std::vector<int> in = smallNumbers(512, 203), expected;
  for (int x : in)
    if (x > 0)
      expected.push_back(x);
  auto out = device.empty<int>(expected.size());
  auto count = device.zeros<int>(1);
  device.launch({4}, {128}, device.upload(in), out, count);
  EXPECT_EQ(device.get(count)[0], static_cast<int>(expected.size()));
  std::vector<int> got = device.get(out);
  std::sort(got.begin(), got.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(got, expected);
}

FOREIGN_KERNEL("cuda/cooperative", awaitedCopy,
               "a copy that the block makes and awaits together") {
  std::vector<int> in = smallNumbers(512, 204);
  auto out = device.empty<int>(512);
  device.launch({2}, {256}, device.upload(in), out);
  for (int block = 0; block < 2; ++block)
    std::reverse(in.begin() + 256 * block, in.begin() + 256 * (block + 1));
  EXPECT_EQ(device.get(out), in);
}

FOREIGN_KERNEL("cuda/cooperative", phases,
               "`cuda::barrier`: phases with arrival and waiting apart") {
  const int n = 128, rounds = 5;
  auto out = device.empty<int>(n);
  device.launch({1}, {n}, out, rounds);
  std::vector<int> data(n), next(n);
  std::iota(data.begin(), data.end(), 0);
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < n; ++i)
      next[i] = data[(i + 1) % n] + 1;
    data.swap(next);
  }
  EXPECT_EQ(device.get(out), data);
}

FOREIGN_KERNEL("cuda/cooperative", pipelineSums,
               "`cuda::pipeline` of two stages for the block") {
  const int stages = 7;
  std::vector<int> in = smallNumbers(128 * stages, 205), expected(128, 0);
  auto out = device.empty<int>(128);
  device.launch({1}, {128}, device.upload(in), out, stages);
  for (int stage = 0; stage < stages; ++stage)
    for (int i = 0; i < 128; ++i)
      expected[i] += in[128 * stage + 127 - i];
  EXPECT_EQ(device.get(out), expected);
}

} // namespace
