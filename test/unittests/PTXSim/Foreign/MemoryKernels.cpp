//===- MemoryKernels.cpp - shared-memory classics from nvcc ---------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the kernels of cuda/memory.cu against plain C++.
//
//===----------------------------------------------------------------------===//

#include "ForeignKernel.h"

#include <algorithm>
#include <complex>

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

FOREIGN_KERNEL("cuda/memory", vectorCopies,
               "loads and stores of 1 to 16 bytes in pairs and fours, cache "
               "operators") {
  std::vector<uint8_t> in(256 * 32);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<uint8_t>(i * 167 >> 3);
  auto out = device.empty<uint8_t>(in.size());
  device.launch({1}, {32}, device.upload(in), out);
  std::vector<uint8_t> got = device.get(out);
  for (size_t i = 0; i < in.size(); ++i)
    EXPECT_EQ(got[i], in[i]) << i;
}

struct Stencil {
  float weight[3][3];
  int width, height;
  uint16_t radius;
  int8_t sign;
};

Stencil makeStencil(int width, int height) {
  return {{{0.5f, -1, 0.25f}, {2, 3, -0.5f}, {1, 0.125f, -2}},
          width,
          height,
          7,
          -1};
}

FOREIGN_KERNEL("cuda/memory", stencil,
               "tiles with a halo in shared memory sized by the launch, a "
               "structure by value") {
  const int width = 37, height = 19;
  Stencil s = makeStencil(width, height);
  std::vector<float> in = gridOfUnits(width * height, 64, 30), expected;
  auto out = device.empty<float>(in.size());
  device.config.dynamicSharedBytes = 18 * 6 * 4;
  device.launch({3, 5}, {16, 4}, device.upload(in), out, s);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      double sum = 0; // exact: few bits
      for (int j = -1; j <= 1; ++j)
        for (int i = -1; i <= 1; ++i)
          if (x + i >= 0 && x + i < width && y + j >= 0 && y + j < height)
            sum += double(s.weight[j + 1][i + 1]) * in[(y + j) * width + x + i];
      expected.push_back(static_cast<float>(7 - sum));
    }
  EXPECT_EQ(device.get(out), expected);
}

FOREIGN_KERNEL("cuda/memory", parameterTable,
               "a parameter indexed at run time") {
  Stencil s = makeStencil(100, 1);
  auto out = device.empty<int>(32);
  device.launch({1}, {32}, out, s);
  std::vector<int> got = device.get(out);
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(got[i], static_cast<int>(s.weight[i % 3][i / 3 % 3] * 8) + 100);
}

FOREIGN_KERNEL("cuda/memory", tiledMatmul,
               "a tiled product with tails, two barriers for each tile") {
  const int m = 35, n = 50, k = 41;
  std::vector<float> a = gridOfUnits(m * k, 16, 31),
                     b = gridOfUnits(k * n, 16, 32), expected;
  auto out = device.empty<float>(m * n);
  device.launch({4, 3}, {16, 16}, device.upload(a), device.upload(b), out, m, n,
                k);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0; // multiples of 2^-8 below 64: exact
      for (int l = 0; l < k; ++l)
        sum += double(a[i * k + l]) * b[l * n + j];
      expected.push_back(static_cast<float>(sum));
    }
  EXPECT_EQ(device.get(out), expected);
}

FOREIGN_KERNEL("cuda/memory", bitonicSort,
               "a sorting network with a barrier for each step") {
  const unsigned n = 256;
  std::vector<int> in;
  for (uint32_t word : randomWords(2 * n, 33))
    in.push_back(static_cast<int>(word) % 1000);
  auto out = device.empty<int>(in.size());
  device.config.dynamicSharedBytes = n * 4;
  device.launch({2}, {n / 2}, device.upload(in), out);
  std::sort(in.begin(), in.begin() + n);
  std::sort(in.begin() + n, in.end());
  EXPECT_EQ(device.get(out), in);
}

FOREIGN_KERNEL("cuda/memory", nbody,
               "all pairs by tiles in shared memory, reciprocal roots") {
  const int n = 100;
  std::vector<float> in = gridOfUnits(4 * n, 1000, 34);
  for (int i = 0; i < n; ++i)
    in[4 * i + 3] = std::fabs(in[4 * i + 3]) + 0.1f;
  auto out = device.empty<float>(4 * n);
  device.config.dynamicSharedBytes = 64 * 16;
  device.launch({2}, {64}, device.upload(in), out, n, 0.01f);
  std::vector<double> expected;
  for (int i = 0; i < n; ++i) {
    double force[3] = {};
    for (int j = 0; j < n; ++j) {
      double d[3], r2 = 0.01f;
      for (int k = 0; k < 3; ++k) {
        d[k] = double(in[4 * j + k]) - in[4 * i + k];
        r2 += d[k] * d[k];
      }
      for (int k = 0; k < 3; ++k)
        force[k] += in[4 * j + 3] * d[k] / (r2 * std::sqrt(r2));
    }
    expected.insert(expected.end(), force, force + 3);
    expected.push_back(in[4 * i + 3]);
  }
  expectClose(device.get(out), expected, 2e-6, 1e3);
}

FOREIGN_KERNEL("cuda/memory", fft256,
               "butterflies through shared memory, sines and cosines") {
  std::vector<float> in = gridOfUnits(2 * 512, 100, 35);
  auto out = device.empty<float>(in.size());
  device.launch({2}, {128}, device.upload(in), out);
  std::vector<double> expected;
  for (int block = 0; block < 2; ++block)
    for (int k = 0; k < 256; ++k) {
      std::complex<double> sum;
      for (int j = 0; j < 256; ++j)
        sum += std::complex<double>(in[2 * (256 * block + j)],
                                    in[2 * (256 * block + j) + 1]) *
               std::polar(1.0, -2 * M_PI * (j * k % 256) / 256);
      expected.push_back(sum.real());
      expected.push_back(sum.imag());
    }
  // Eight rounds in fp32 on sums of about 256.
  expectClose(device.get(out), expected, 1e-6, 40);
}

FOREIGN_KERNEL("cuda/memory", mergePath,
               "bisection and a merge, lanes of different lengths") {
  std::vector<int> a(150), b(83), expected(233);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = static_cast<int>(i * i % 97 + 3 * i);
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = static_cast<int>(i * 5 % 31 + 5 * i);
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin());
  auto out = device.empty<int>(233);
  device.launch({2}, {32}, device.upload(a), 150, device.upload(b), 83, out, 4);
  EXPECT_EQ(device.get(out), expected);
}

const int steps[64] = {3, -1, 4,  1,  -5, 9, 2,  -6, 5, 3, 5,  -8, 9, 7, -9, 3,
                       2, 3,  -8, 4,  6,  2, -6, 4,  3, 3, -8, 3,  2, 7, -9, 5,
                       0, 2,  8,  -8, 4,  1, 9,  -7, 1, 6, -9, 3,  9, 9, -3, 7,
                       5, 1,  -5, 8,  2,  0, 9,  -7, 4, 9, -4, 4,  5, 9, -2, 3};

int walkFrom(int at, int walk) {
  while (walk--)
    at = (at + steps[at] + 64) & 63;
  return at;
}

FOREIGN_KERNEL("cuda/memory", moduleVariables,
               "constant memory indexed by lane, a global variable, a string") {
  auto out = device.empty<int>(64);
  device.launch({1}, {64}, out, 5);
  const std::string letters = "the quick brown fox jumps over the lazy dog";
  std::vector<int> expected;
  for (int i = 0; i < 64; ++i)
    expected.push_back(walkFrom(i, 5) * 256 + letters[i % 43]);
  EXPECT_EQ(device.get(out), expected);
}

FOREIGN_KERNEL("cuda/memory", readVisits,
               "global variables start as zero and outlive a launch") {
  std::vector<int> expected(64);
  auto out = device.empty<int>(64);
  device.launch({1}, {64}, out);
  EXPECT_EQ(device.get(out), expected);
  for (int walk : {2, 5}) {
    device.entry = "moduleVariables";
    device.launch({1}, {64}, device.empty<int>(64), walk);
    for (int i = 0; i < 64; ++i)
      ++expected[walkFrom(i, walk)];
  }
  device.entry = "readVisits";
  device.launch({1}, {64}, out);
  EXPECT_EQ(device.get(out), expected);
}

} // namespace
