//===- BasicKernels.cpp - the first kernels from nvcc ---------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the kernels of cuda/kernels.cu against plain C++.
//
//===----------------------------------------------------------------------===//

#include "ForeignKernel.h"

#include <algorithm>

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

FOREIGN_KERNEL("cuda/kernels", reduce,
               "shuffles, shared memory, atomics on floats") {
  std::vector<float> in(1000);
  double sum = 0;
  for (size_t i = 0; i < in.size(); ++i)
    sum += in[i] = static_cast<float>(i % 17) - 4.0f; // exact in any order
  auto address = device.upload(in);
  auto out = device.zeros<float>(1);
  device.launch({3}, {128}, address, out, 1000);
  EXPECT_EQ(device.get(out)[0], sum);
}

/// Transposes a ragged matrix; returns the bank conflicts it met.
uint64_t runTranspose(Device &device) {
  const int rows = 50, columns = 70;
  std::vector<float> in(rows * columns);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<float>(i);
  auto out = device.empty<float>(in.size());
  LaunchResult result =
      device.launch({3, 2}, {32, 8}, device.upload(in), out, rows, columns);
  std::vector<float> got = device.get(out);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      EXPECT_EQ(got[j * rows + i], in[i * columns + j]);
  return result.counts.bankConflicts;
}

FOREIGN_KERNEL("cuda/kernels", transpose_conflicts,
               "a shared tile whose columns lie in one bank") {
  EXPECT_GT(runTranspose(device), 1000u);
}

FOREIGN_KERNEL("cuda/kernels", transpose_padded,
               "a shared tile padded against bank conflicts") {
  EXPECT_EQ(runTranspose(device), 0u);
}

FOREIGN_KERNEL("cuda/kernels", collatz,
               "loops that lanes leave at different times, early return") {
  std::vector<uint32_t> in(100);
  for (uint32_t i = 0; i < in.size(); ++i)
    in[i] = i * 7 + 1;
  auto address = device.upload(in);
  auto out = device.empty<uint32_t>(100);
  device.launch({2}, {64}, address, out, 100);
  std::vector<uint32_t> got = device.get(out);
  for (uint32_t i = 0; i < 100; ++i) {
    uint32_t x = in[i], steps = 0;
    while (x != 1 && steps < 200) {
      x = x & 1 ? 3 * x + 1 : x / 2;
      ++steps;
    }
    EXPECT_EQ(got[i], steps) << in[i];
  }
}

FOREIGN_KERNEL("cuda/kernels", sort8,
               "an array on the stack, indexed at run time") {
  std::mt19937 random(1);
  std::vector<int> in(64 * 8);
  for (int &x : in)
    x = static_cast<int>(random() % 100) - 50;
  auto address = device.upload(in);
  auto out = device.empty<int>(in.size());
  device.launch({2}, {32}, address, out);
  std::vector<int> got = device.get(out);
  for (size_t i = 0; i < in.size(); i += 8)
    std::sort(in.begin() + i, in.begin() + i + 8);
  EXPECT_EQ(got, in);
}

FOREIGN_KERNEL("cuda/kernels", functions,
               "calls, recursion, structures by value, fp64, 64-bit division") {
  std::vector<int> in(32);
  for (int i = 0; i < 32; ++i)
    in[i] = i + 1;
  auto address = device.upload(in);
  auto out = device.empty<double>(32);
  auto integers = device.empty<int64_t>(32);
  device.launch({1}, {32}, address, out, integers);
  std::vector<double> got = device.get(out);
  std::vector<int64_t> gotIntegers = device.get(integers);
  for (int i = 0; i < 32; ++i) {
    double x = in[i];
    // The compiler contracts the product and the sum.
    EXPECT_EQ(got[i], std::fma(x * x, std::sqrt(x), x) - 1.0 / x);
    int64_t p = int64_t(in[i]) * in[i] * in[i] * in[i] * in[i], q = 1;
    for (int k = 0; k < i % 8; ++k)
      q *= -3;
    EXPECT_EQ(gotIntegers[i], p / 7 + q % 11);
  }
}

FOREIGN_KERNEL("cuda/kernels", libraryMath,
               "library functions with slow paths") {
  std::vector<float> in(64);
  for (int i = 0; i < 64; ++i) // up to where sinf reduces the slow way
    in[i] = (i % 2 ? -1.0f : 1.0f) * std::exp2(i / 3.0f - 4.0f);
  in[63] = 1e20f;
  auto address = device.upload(in);
  auto out = device.empty<float>(5 * 64);
  device.launch({2}, {32}, address, out);
  std::vector<float> got = device.get(out);
  for (int i = 0; i < 64; ++i) {
    double x = in[i];
    const double expected[5] = {std::sin(x), std::exp(-std::fabs(x) / 100),
                                std::log(std::fabs(x) + 1.0),
                                std::pow(std::fabs(x), double(0.37f)),
                                std::erf(x / 10)};
    for (int k = 0; k < 5; ++k) // a few units in the last place of fp32
      EXPECT_NEAR(got[5 * i + k], expected[k],
                  4e-7 * std::max(1.0, std::fabs(expected[k])))
          << x << " " << k;
  }
}

FOREIGN_KERNEL("cuda/kernels", halves, "packed fp16 and bf16") {
  std::vector<uint16_t> hx(64), hy(64), bx(64), by(64);
  auto value = [](int i) { return (i - 32) / 4.0f; };
  for (int i = 0; i < 64; ++i) {
    hx[i] = f16Bits(value(i));
    hy[i] = f16Bits(value(63 - i));
    bx[i] = bf16Bits(value(i));
    by[i] = bf16Bits(value(63 - i));
  }
  auto a = device.upload(hx), b = device.upload(hy), c = device.upload(bx),
       d = device.upload(by);
  auto hout = device.empty<uint16_t>(64);
  auto bout = device.empty<uint16_t>(64);
  auto exact = device.empty<int>(32);
  device.launch({1}, {32}, a, b, hout, c, d, bout, exact);
  std::vector<uint16_t> h = device.get(hout);
  std::vector<uint16_t> f = device.get(bout);
  std::vector<int> e = device.get(exact);
  for (int i = 0; i < 64; ++i) {
    float expected = value(i) * 1.5f + value(63 - i); // few bits: exact
    EXPECT_EQ(h[i], f16Bits(expected));
    EXPECT_EQ(f[i], bf16Bits(expected));
  }
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(e[i], static_cast<int>(value(2 * i) * 3) +
                        static_cast<int>(std::nearbyint(value(2 * i))));
}

FOREIGN_KERNEL("cuda/kernels", histogram,
               "atomics on shared and global memory, compare-and-swap") {
  std::mt19937 random(4);
  std::vector<uint8_t> in(3000);
  std::vector<int> expected(64);
  for (uint8_t &x : in) {
    x = static_cast<uint8_t>(random() % 200);
    ++expected[x & 63];
  }
  auto address = device.upload(in);
  auto bins = device.zeros<int>(64);
  auto most = device.zeros<float>(1);

  device.launch({4}, {96}, address, 3000, bins, most);
  EXPECT_EQ(device.get(bins), expected);
  EXPECT_EQ(device.get(most)[0],
            *std::max_element(in.begin(), in.end()) * 0.5f);
}

FOREIGN_KERNEL("cuda/kernels", pipeline,
               "a ring of buffers filled by `cp.async`") {
  const int rows = 9;
  std::vector<float> in(rows * 128);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<float>(i % 31);
  auto address = device.upload(in);
  auto out = device.empty<float>(in.size());
  device.launch({1}, {128}, address, out, rows);
  std::vector<float> got = device.get(out);
  for (int lane = 0; lane < 128; ++lane) {
    float sum = 0;
    for (int row = 0; row < rows; ++row) {
      sum += in[row * 128 + lane];
      ASSERT_EQ(got[row * 128 + lane], sum);
    }
  }
}

FOREIGN_KERNEL("cuda/kernels", votes,
               "ballot, match, warp reductions, bit tricks") {
  std::vector<int> in(32);
  for (int i = 0; i < 32; ++i)
    in[i] = i * i % 7;
  auto address = device.upload(in);
  auto out = device.empty<uint32_t>(128);
  device.launch({1}, {32}, address, out);
  std::vector<uint32_t> got = device.get(out);
  uint32_t ballot = 0;
  for (int i = 0; i < 32; ++i)
    ballot |= static_cast<uint32_t>(in[i] > 3) << i;
  for (int i = 0; i < 32; ++i) {
    uint32_t value = static_cast<uint32_t>(in[i]), match = 0, reversed = 0;
    for (int j = 0; j < 32; ++j) {
      match |= static_cast<uint32_t>(in[j] == in[i]) << j;
      reversed |= (value >> j & 1) << (31 - j);
    }
    EXPECT_EQ(got[4 * i], ballot);
    EXPECT_EQ(got[4 * i + 1], match);
    EXPECT_EQ(got[4 * i + 2], 4u);
    // __byte_perm(value, i, 0x5140) takes bytes 0, 4, 1, 5.
    uint32_t permuted =
        (value & 0xff) | (i & 0xff) << 8 | (value >> 8 & 0xff) << 16;
    uint32_t leading = value ? static_cast<uint32_t>(__builtin_clz(value)) : 32;
    EXPECT_EQ(got[4 * i + 3], 32 + static_cast<uint32_t>(__builtin_ffs(in[i])) +
                                  leading + reversed + permuted);
  }
}

} // namespace
