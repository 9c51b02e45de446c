//===- ClusterKernels.cpp - distributed shared memory from nvcc -----------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the kernels of cuda/clusters.cu against plain C++.
//
//===----------------------------------------------------------------------===//

#include "ForeignKernel.h"

#include <numeric>

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

std::vector<int> someNumbers(size_t count) {
  std::vector<int> numbers(count);
  for (size_t i = 0; i < count; ++i)
    numbers[i] = static_cast<int>(i * 37 % 1009);
  return numbers;
}

FOREIGN_KERNEL("cuda/clusters", clusterRanks,
               "where a block stands in a cluster of 2 x 2") {
  auto out = device.empty<int>(4 * 24);
  device.launch({6, 4}, {32}, out);
  std::vector<int> expected;
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 6; ++x) {
      int rank = x % 2 + 2 * (y % 2);
      expected.insert(expected.end(), {rank + 400, x % 2 + 10 * (y % 2), 122,
                                       32 * rank + 128000});
    }
  EXPECT_EQ(device.get(out), expected);
}

FOREIGN_KERNEL("cuda/clusters", clusterSum,
               "one block reads the others' shared memory") {
  std::vector<int> in = someNumbers(12 * 64), expected;
  auto out = device.empty<int>(3);
  device.launch({12}, {64}, device.upload(in), out);
  for (int i = 0; i < 3; ++i)
    expected.push_back(
        std::accumulate(in.begin() + 256 * i, in.begin() + 256 * (i + 1), 0));
  EXPECT_EQ(device.get(out), expected);
}

FOREIGN_KERNEL("cuda/clusters", clusterHistogram,
               "bins spread over two blocks, atomics into the other's memory") {
  const int n = 2000;
  std::vector<uint8_t> in(n);
  std::vector<int> expected(128);
  for (int i = 0; i < n; ++i) {
    in[i] = static_cast<uint8_t>(i * i / 7);
    ++expected[in[i] & 127];
  }
  auto bins = device.zeros<int>(128);
  device.launch({4}, {96}, device.upload(in), bins, n);
  EXPECT_EQ(device.get(bins), expected);
}

FOREIGN_KERNEL(
    "cuda/clusters", clusterRing,
    "values pushed to the next block, cluster barriers whose arrival "
    "and waiting are apart") {
  const int rounds = 6;
  std::vector<int> in = someNumbers(8 * 64);
  auto out = device.empty<int>(in.size());
  device.launch({8}, {64}, device.upload(in), out, rounds);
  std::vector<int> value = in, work(in.size());
  for (int round = 0; round < rounds; ++round) {
    std::vector<int> before = value;
    for (int block = 0; block < 8; ++block)
      for (int i = 0; i < 64; ++i) {
        int from = block / 4 * 4 + (block + 3) % 4;
        work[64 * block + i] =
            work[64 * block + i] * 3 + before[64 * block + i];
        value[64 * block + i] = before[64 * from + 63 - i] + round;
      }
  }
  for (size_t i = 0; i < value.size(); ++i)
    value[i] += work[i];
  EXPECT_EQ(device.get(out), value);
}

FOREIGN_KERNEL(
    "cuda/clusters", remoteBarriers,
    "arrivals on the mbarrier of another block, in both directions") {
  const int rounds = 5;
  std::vector<int> in = someNumbers(32 * rounds), expected(32);
  auto out = device.empty<int>(32);
  device.launch({2}, {32}, device.upload(in), out, rounds);
  for (int round = 0; round < rounds; ++round)
    for (int i = 0; i < 32; ++i)
      expected[i] = expected[i] * 3 + in[32 * round + 31 - i];
  EXPECT_EQ(device.get(out), expected);
}

} // namespace
