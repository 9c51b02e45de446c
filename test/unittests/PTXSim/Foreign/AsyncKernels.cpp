//===- AsyncKernels.cpp - pipelines and split barriers from nvcc ----------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the kernels of cuda/async.cu against plain C++.
//
//===----------------------------------------------------------------------===//

#include "ForeignKernel.h"

#include <algorithm>

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

std::vector<int> someNumbers(size_t count) {
  std::vector<int> numbers(count);
  for (size_t i = 0; i < count; ++i)
    numbers[i] = static_cast<int>(i * 37 % 1009);
  return numbers;
}

/// Column `at(i)` of each row of `width`, folded with 3.
template <typename Column>
std::vector<int> foldRows(const std::vector<int> &in, int width, Column at) {
  std::vector<int> sums(width);
  for (int i = 0; i < width; ++i)
    for (size_t row = 0; row < in.size() / width; ++row)
      sums[i] =
          static_cast<int>(static_cast<uint32_t>(sums[i]) * 3 +
                           static_cast<uint32_t>(in[row * width + at(i)]));
  return sums;
}

FOREIGN_KERNEL("cuda/async", pipelinePrimitives,
               "`__pipeline_memcpy_async` two chunks ahead") {
  const int chunks = 6;
  std::vector<int> in = someNumbers(chunks * 256), expected;
  auto out = device.empty<int>(chunks * 64);
  device.launch({1}, {64}, device.upload(in), out, chunks);
  for (int chunk = 0; chunk < chunks; ++chunk)
    for (int i = 0; i < 64; ++i) {
      const int *mine = &in[256 * chunk + 4 * i];
      const int *next = &in[256 * chunk + 4 * ((i + 1) % 64)];
      expected.push_back(mine[0] + mine[1] * 2 + next[2] + next[3] * 3);
    }
  EXPECT_EQ(device.get(out), expected);
}

FOREIGN_KERNEL("cuda/async", smallAsyncCopies,
               "copies of 4 and 8 bytes, the rest filled with zeros") {
  const int n = 50;
  std::vector<float> in(64), expected;
  for (int i = 0; i < 64; ++i)
    in[i] = static_cast<float>(i + 1);
  auto out = device.empty<float>(64);
  device.launch({1}, {64}, device.upload(in), out, n);
  for (int i = 63; i >= 0; --i)
    expected.push_back((i < n ? in[i] : 0) + in[i / 2 * 2] * 10 +
                       (i % 2 ? 0 : in[i / 2 * 2 + 1] * 100));
  EXPECT_EQ(device.get(out), expected);
}

FOREIGN_KERNEL("cuda/async", threadPipeline, "`cuda::pipeline` of a thread") {
  std::vector<int> in = someNumbers(64 * 5);
  auto out = device.empty<int>(64);
  device.launch({1}, {64}, device.upload(in), out, 5);
  EXPECT_EQ(device.get(out), foldRows(in, 64, [](int i) { return i; }));
}

FOREIGN_KERNEL("cuda/async", blockPipeline,
               "`cuda::pipeline` of a block: mbarriers and `cp.async`") {
  std::vector<int> in = someNumbers(128 * 5);
  auto out = device.empty<int>(128);
  device.launch({1}, {128}, device.upload(in), out, 5);
  EXPECT_EQ(device.get(out), foldRows(in, 128, [](int i) { return 127 - i; }));
}

FOREIGN_KERNEL("cuda/async", rolePipeline,
               "`cuda::pipeline` with producer and consumer warps") {
  const int rows = 7;
  std::vector<int> in = someNumbers(64 * rows);
  auto out = device.empty<int>(64);
  device.launch({1}, {128}, device.upload(in), out, rows);
  for (int row = 0; row < rows; ++row)
    for (int i = 0; i < 64; ++i)
      in[64 * row + i] += row;
  EXPECT_EQ(device.get(out), foldRows(in, 64, [](int i) { return 63 - i; }));
}

FOREIGN_KERNEL("cuda/async", splitBarrier,
               "`cuda::barrier`: arrive, work, wait, in phases") {
  const int rounds = 5;
  std::vector<int> in = someNumbers(96);
  auto out = device.empty<int>(96);
  device.launch({1}, {96}, device.upload(in), out, rounds);
  std::vector<int> value = in, other(96);
  for (int round = 0; round < rounds; ++round) {
    std::vector<int> before = value;
    for (int i = 0; i < 96; ++i) {
      other[i] = other[i] * 5 + before[i];
      value[i] += before[(i + 41) % 96] - other[i] % 7;
    }
  }
  EXPECT_EQ(device.get(out), value);
}

FOREIGN_KERNEL("cuda/async", barrierDrops,
               "`arrive_and_drop`: one warp less in each phase") {
  auto out = device.empty<int>(128);
  device.launch({1}, {128}, out);
  EXPECT_EQ(device.get(out), std::vector<int>(128, 32 * (1 + 2 + 3 + 4)));
}

FOREIGN_KERNEL("cuda/async", groupCopy,
               "`cooperative_groups::memcpy_async` and `wait`") {
  const int rows = 5;
  std::vector<int> numbers = someNumbers(128 * rows);
  std::vector<float> in(numbers.begin(), numbers.end()), expected(128);
  auto out = device.empty<float>(128);
  device.launch({1}, {128}, device.upload(in), out, rows);
  for (int row = 0; row < rows; ++row)
    for (int i = 0; i < 128; ++i)
      expected[i] += in[128 * row + (i * 3 + row) % 128];
  EXPECT_EQ(device.get(out), expected);
}

FOREIGN_KERNEL("cuda/async", barrierCopy,
               "`memcpy_async` that completes on a `cuda::barrier`") {
  std::vector<int> in = someNumbers(128 * 6);
  auto out = device.empty<int>(128);
  device.launch({1}, {128}, device.upload(in), out, 6);
  EXPECT_EQ(device.get(out), foldRows(in, 128, [](int i) { return 127 - i; }));
}

} // namespace
