//===- HopperKernels.cpp - single instructions of sm_90 from nvcc ---------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the kernels of cuda/hopper.cu against plain C++.
//
//===----------------------------------------------------------------------===//

#include "ForeignKernel.h"

#include <algorithm>

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

FOREIGN_KERNEL("cuda/hopper", matrixStores,
               "`stmatrix` of 1, 2 and 4 matrices, transposed and not") {
  std::vector<uint32_t> in = randomWords(7 * 32, 90);
  auto out = device.empty<uint16_t>(448);
  device.launch({1}, {32}, device.upload(in), out);
  std::vector<uint16_t> got = device.get(out);
  for (int matrix = 0; matrix < 7; ++matrix)
    for (int row = 0; row < 8; ++row)
      for (int column = 0; column < 8; ++column) {
        bool isTurned = matrix == 4 || matrix == 5;
        int r = isTurned ? column : row, c = isTurned ? row : column;
        uint32_t word = in[7 * (4 * r + c / 2) + matrix];
        EXPECT_EQ(got[64 * matrix + 8 * row + column],
                  static_cast<uint16_t>(word >> 16 * (c % 2)))
            << matrix << " " << row << " " << column;
      }
}

FOREIGN_KERNEL("cuda/hopper", electedLane,
               "`elect.sync` by some of the lanes") {
  auto out = device.empty<int>(64);
  device.launch({1}, {32}, out);
  std::vector<int> got = device.get(out);
  int chosen = got[2 * 8], count = 0;
  EXPECT_GE(chosen, 8);
  for (int lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(got[2 * lane], lane < 8 ? 99 : chosen);
    EXPECT_EQ(got[2 * lane + 1], lane == chosen);
    count += got[2 * lane + 1];
  }
  EXPECT_EQ(count, 1);
}

/// The finite values of a format with `exponentBits` and `mantissaBits`, code
/// by code from 0 to the largest; e4m3 has one NaN, e5m2 has infinity and NaNs.
std::vector<double> valuesOf(int exponentBits, int mantissaBits,
                             int largestCode) {
  std::vector<double> values;
  int bias = (1 << (exponentBits - 1)) - 1;
  for (int code = 0; code <= largestCode; ++code) {
    int exponent = code >> mantissaBits;
    double mantissa = (code & ((1 << mantissaBits) - 1)) /
                      static_cast<double>(1 << mantissaBits);
    values.push_back(exponent ? std::ldexp(1 + mantissa, exponent - bias)
                              : std::ldexp(mantissa, 1 - bias));
  }
  return values;
}

/// Nearest, ties to the even code, the largest where nothing larger is left.
uint8_t nearestCode(const std::vector<double> &values, double x) {
  uint8_t sign = std::signbit(x) ? 0x80 : 0;
  x = std::fabs(x);
  size_t best = 0;
  for (size_t code = 1; code < values.size(); ++code) {
    double gain = std::fabs(values[best] - x) - std::fabs(values[code] - x);
    if (gain > 0 || (gain == 0 && code % 2 == 0))
      best = code;
  }
  return static_cast<uint8_t>(best | sign);
}

FOREIGN_KERNEL("cuda/hopper", fp8Conversions,
               "e4m3 and e5m2 from fp32, saturating, and back") {
  std::vector<float> in = {
      0,       -0.0f,   1,       -1,    448,    449,    464,    465,
      1e6f,    -1e6f,   57344,   61440, 1e-4f,  0.001f, 0.002f, 0.0009765625f,
      1.0625f, 1.1875f, -1.125f, 3e-5f, -7e-6f, 240,    0.3f,   -0.7f};
  std::mt19937 random(91);
  while (in.size() < 128)
    in.push_back(std::ldexp(
        static_cast<float>(static_cast<int>(random() % 20001) - 10000) / 10000,
        static_cast<int>(random() % 24) - 12));
  auto packed = device.empty<uint8_t>(256);
  auto back = device.empty<float>(256);
  device.launch({2}, {32}, device.upload(in), packed, back);
  std::vector<uint8_t> got = device.get(packed);
  std::vector<float> values = device.get(back);
  std::vector<double> four = valuesOf(4, 3, 0x7e), five = valuesOf(5, 2, 0x7b);
  for (int i = 0; i < 64; ++i)
    for (int h = 0; h < 2; ++h) {
      float x = in[2 * i + h];
      uint8_t fourCode = nearestCode(four, x), fiveCode = nearestCode(five, x);
      EXPECT_EQ(got[4 * i + h], fourCode) << x;
      EXPECT_EQ(got[4 * i + 2 + h], fiveCode) << x;
      double sign = std::signbit(x) ? -1 : 1;
      EXPECT_EQ(values[4 * i + h], sign * four[fourCode & 0x7f]);
      EXPECT_EQ(values[4 * i + 2 + h], sign * five[fiveCode & 0x7f]);
    }
}

FOREIGN_KERNEL("cuda/hopper", nativeBfloat,
               "bf16 sums, products and comparisons of sm_90, `ex2.approx`") {
  std::vector<float> a = gridOfUnits(64, 64, 92), b = gridOfUnits(64, 32, 93);
  std::vector<uint16_t> aBits, bBits;
  for (int i = 0; i < 64; ++i) {
    aBits.push_back(bf16Bits(a[i]));
    bBits.push_back(bf16Bits(b[i]));
  }
  auto out = device.empty<uint16_t>(64 * 4);
  auto single = device.empty<float>(64);
  device.launch({1}, {32}, device.upload(aBits), device.upload(bBits), out,
                single);
  std::vector<uint16_t> got = device.get(out);
  std::vector<float> gotSingle = device.get(single);
  for (int i = 0; i < 32; ++i) {
    for (int h = 0; h < 2; ++h) {
      float x = a[2 * i + h], y = b[2 * i + h];
      const float expected[4] = {x + y, x * y, x - y, x > y ? 1.0f : 0.0f};
      for (int k = 0; k < 4; ++k)
        EXPECT_EQ(bf16Value(got[8 * i + 2 * k + h]),
                  bf16Value(bf16Bits(expected[k])))
            << k << " of " << x << " " << y;
    }
    EXPECT_EQ(gotSingle[2 * i], bf16Value(bf16Bits(a[2 * i] + b[2 * i + 1])));
    // The ISA allows an error of 2^-7.
    EXPECT_NEAR(gotSingle[2 * i + 1], std::exp2(a[2 * i]),
                std::exp2(a[2 * i]) / 128);
  }
}

FOREIGN_KERNEL(
    "cuda/hopper", dynamicProgramming,
    "minima and maxima of three and of sums, clamped, in halfwords") {
  std::vector<int> a, b, c;
  for (uint32_t word : randomWords(32, 94))
    a.push_back(static_cast<int>(word) / 4);
  for (uint32_t word : randomWords(32, 95))
    b.push_back(static_cast<int>(word) / 4);
  for (uint32_t word : randomWords(32, 96))
    c.push_back(static_cast<int>(word) / 4);
  auto out = device.empty<int>(32 * 8);
  device.launch({1}, {32}, device.upload(a), device.upload(b), device.upload(c),
                out);
  std::vector<int> got = device.get(out);
  for (int i = 0; i < 32; ++i) {
    int x = a[i], y = b[i], z = c[i];
    uint32_t most = 0, summed = 0;
    for (int h = 0; h < 2; ++h) {
      auto half = [&](int word) {
        return static_cast<int16_t>(word >> 16 * h);
      };
      uint32_t m =
          static_cast<uint16_t>(std::max(half(x), std::max(half(y), half(z))));
      int16_t sum = static_cast<int16_t>(half(x) + half(y));
      most |= m << 16 * h;
      summed |= uint32_t(static_cast<uint16_t>(std::max(sum, half(z))))
                << 16 * h;
    }
    const int expected[8] = {std::max(x, std::max(y, z)),
                             std::max(0, std::min(x, std::min(y, z))),
                             std::max(x + y, z),
                             std::max(0, std::min(x + y, z)),
                             static_cast<int>(most),
                             static_cast<int>(summed),
                             std::max(x, y),
                             x >= y};
    for (int k = 0; k < 8; ++k)
      EXPECT_EQ(got[8 * i + k], expected[k]) << k << " of lane " << i;
  }
}

FOREIGN_KERNEL("cuda/hopper", vectorAtomics,
               "atomic sums of two and four floats") {
  std::vector<float> in(4 * 96);
  float sums[4] = {};
  for (size_t i = 0; i < in.size(); ++i)
    sums[i % 4] += in[i] = static_cast<float>(static_cast<int>(i % 23) - 11);
  auto out = device.zeros<float>(4), pairs = device.zeros<float>(2);
  device.launch({3}, {32}, device.upload(in), out, pairs);
  EXPECT_EQ(device.get(out), std::vector<float>(sums, sums + 4));
  EXPECT_EQ(device.get(pairs), (std::vector<float>{sums[0], sums[3]}));
}

} // namespace
