//===- ParallelKernels.cpp - scans, sorts and reductions from nvcc --------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the kernels of cuda/parallel.cu against plain C++.
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

FOREIGN_KERNEL("cuda/parallel", blockScan,
               "prefix sums of blocks by shuffles and shared memory") {
  std::vector<int> in = smallNumbers(3 * 160, 40);
  auto out = device.empty<int>(in.size());
  device.launch({3}, {160}, device.upload(in), out);
  for (size_t i = 0; i < in.size(); ++i)
    if (i % 160)
      in[i] += in[i - 1];
  EXPECT_EQ(device.get(out), in);
}

FOREIGN_KERNEL("cuda/parallel", lookBackScan,
               "prefix sums of the grid: blocks spin on what others publish") {
  const int n = 1500;
  std::vector<int> in = smallNumbers(n, 41);
  auto out = device.empty<int>(n);
  device.launch({12}, {128}, device.upload(in), out, device.zeros<uint64_t>(12),
                device.zeros<uint32_t>(1), n);
  std::partial_sum(in.begin(), in.end(), in.begin());
  EXPECT_EQ(device.get(out), in);
}

FOREIGN_KERNEL("cuda/parallel", lastBlockSum,
               "a fence and a counter: the last block adds the others' sums") {
  const int n = 3000;
  std::vector<int> in = smallNumbers(n, 42);
  auto out = device.empty<int>(1);
  auto arrived = device.zeros<uint32_t>(1);
  device.launch({7}, {96}, device.upload(in), n, device.empty<int>(7), arrived,
                out);
  EXPECT_EQ(device.get(out)[0], std::accumulate(in.begin(), in.end(), 0));
  EXPECT_EQ(device.get(arrived)[0], 0u); // the counter wrapped around
}

FOREIGN_KERNEL("cuda/parallel", radixSort,
               "ranks by match and ballots, scatter through shared memory") {
  std::vector<uint32_t> in = randomWords(512, 43);
  for (size_t i = 0; i < in.size(); i += 3)
    in[i] %= 50; // many equal digits
  auto out = device.empty<uint32_t>(in.size());
  device.launch({2}, {256}, device.upload(in), out);
  std::sort(in.begin(), in.begin() + 256);
  std::sort(in.begin() + 256, in.end());
  EXPECT_EQ(device.get(out), in);
}

FOREIGN_KERNEL(
    "cuda/parallel", sparseProduct,
    "compressed rows in fp64, a warp for each, early exit of warps") {
  const int rows = 41, columns = 60;
  std::vector<int> rowStart = {0}, column;
  std::vector<double> value, x(columns), expected;
  for (int i = 0; i < columns; ++i)
    x[i] = i * 0.5 - 11;
  for (int row = 0; row < rows; ++row) {
    double sum = 0;
    for (int c = row % 7; c < columns; c += row % 5 + 1)
      if (row % 11) { // some rows are empty
        column.push_back(c);
        value.push_back((row - c) * 0.25);
        sum += value.back() * x[c];
      }
    rowStart.push_back(static_cast<int>(column.size()));
    expected.push_back(sum);
  }
  auto y = device.empty<double>(rows);
  device.launch({11}, {128}, device.upload(rowStart), device.upload(column),
                device.upload(value), device.upload(x), y, rows);
  EXPECT_EQ(device.get(y), expected);
}

FOREIGN_KERNEL("cuda/parallel", softmaxRows,
               "one pass with a running maximum, infinities, exponentials") {
  const int rows = 5, columns = 150;
  std::vector<float> in = gridOfUnits(rows * columns, 1000, 44);
  for (float &x : in)
    x *= 8;
  auto out = device.empty<float>(in.size());
  device.launch({rows}, {256}, device.upload(in), out, columns);
  std::vector<double> expected(in.begin(), in.end());
  for (int row = 0; row < rows; ++row) {
    double *first = &expected[row * columns], sum = 0;
    for (int i = 0; i < columns; ++i)
      sum += first[i] = std::exp(first[i]);
    for (int i = 0; i < columns; ++i)
      first[i] /= sum;
  }
  // __expf multiplies by log2(e) rounded: |x| <= 16 costs 16 units.
  expectClose(device.get(out), expected, 4e-6);
}

FOREIGN_KERNEL(
    "cuda/parallel", layerNorm,
    "moments merged by shuffles, divisions, a two-dimensional block") {
  const int rows = 8, columns = 77;
  std::vector<float> in = gridOfUnits(rows * columns, 100, 45);
  for (int i = 0; i < rows * columns; ++i)
    in[i] += static_cast<float>(i / columns);
  std::vector<float> scaleShift = gridOfUnits(2 * columns, 100, 46);
  auto out = device.empty<float>(in.size());
  device.launch({2}, {32, 4}, device.upload(in), device.upload(scaleShift), out,
                columns, 1e-5f);
  std::vector<double> expected;
  for (int row = 0; row < rows; ++row) {
    double mean = 0, variance = 0;
    for (int i = 0; i < columns; ++i)
      mean += in[row * columns + i] / double(columns);
    for (int i = 0; i < columns; ++i)
      variance += std::pow(in[row * columns + i] - mean, 2) / columns;
    for (int i = 0; i < columns; ++i)
      expected.push_back((in[row * columns + i] - mean) /
                             std::sqrt(variance + 1e-5) * scaleShift[2 * i] +
                         scaleShift[2 * i + 1]);
  }
  expectClose(device.get(out), expected, 1e-5, 1);
}

FOREIGN_KERNEL("cuda/parallel", argmax,
               "64-bit shuffles and a 64-bit atomic maximum") {
  const int n = 1000;
  std::vector<float> in = gridOfUnits(n, 300, 47);
  auto best = device.zeros<uint64_t>(1);
  device.launch({3}, {128}, device.upload(in), n, best);
  uint32_t where = ~static_cast<uint32_t>(device.get(best)[0]);
  EXPECT_EQ(where, std::max_element(in.begin(), in.end()) - in.begin());
}

FOREIGN_KERNEL("cuda/parallel", compact,
               "ballots, one atomic for each warp, tails") {
  const int n = 333;
  std::vector<int> in = smallNumbers(n, 48), kept;
  std::copy_if(in.begin(), in.end(), std::back_inserter(kept),
               [](int x) { return x >= 0; });
  auto out = device.empty<int>(kept.size());
  auto count = device.zeros<int>(1);
  device.launch({3}, {128}, device.upload(in), n, out, count);
  EXPECT_EQ(device.get(count)[0], static_cast<int>(kept.size()));
  std::vector<int> got = device.get(out);
  std::sort(got.begin(), got.end());
  std::sort(kept.begin(), kept.end());
  EXPECT_EQ(got, kept);
}

} // namespace
