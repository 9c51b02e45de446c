//===- BlackwellKernels.cpp - kernels for sm_100 from nvcc ----------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the kernels of cuda/blackwell.cu against plain C++.
//
//===----------------------------------------------------------------------===//

#include "ForeignKernel.h"

#include <algorithm>

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

struct Pair {
  float x, y;
  bool operator==(const Pair &other) const {
    return x == other.x && y == other.y;
  }
};

FOREIGN_KERNEL("cuda/blackwell", pairPolynomials,
               "fused sums and products of two fp32 at a time") {
  const int n = 64;
  std::vector<float> numbers = gridOfUnits(2 * n, 1000, 230);
  std::vector<Pair> in(n), expected;
  for (int i = 0; i < n; ++i)
    in[i] = {numbers[2 * i], numbers[2 * i + 1]};
  auto out = device.empty<Pair>(2 * n);
  device.launch({2}, {32}, device.upload(in), out);
  auto evaluate = [](float t, float start, float step, float &slope) {
    float value = start;
    slope = 0;
    for (int k = 0; k < 4; ++k) {
      slope = std::fma(slope, t, value);
      value = std::fma(value, t, step * static_cast<float>(k));
    }
    slope *= t + t;
    return value;
  };
  for (const Pair &t : in) {
    Pair value, slope;
    value.x = evaluate(t.x, 1.0f, 0.5f, slope.x);
    value.y = evaluate(t.y, 2.0f, -0.25f, slope.y);
    expected.push_back(value);
    expected.push_back(slope);
  }
  EXPECT_EQ(device.get(out), expected);
}

/// The number closest to `x` among those of a format with `mantissa` bits, a
/// smallest exponent and a largest number; ties go to the even one.
float nearest(float x, int mantissa, int smallest, float largest) {
  int exponent = std::max(x == 0 ? smallest : std::ilogb(x), smallest);
  float unit = std::ldexp(1.0f, exponent - mantissa);
  float rounded = std::nearbyint(x / unit) * unit;
  return std::max(-largest, std::min(largest, rounded));
}

FOREIGN_KERNEL("cuda/blackwell", smallFloats,
               "e2m1, e2m3, e3m2, ue8m0 and back") {
  const int n = 64;
  std::vector<float> numbers = gridOfUnits(2 * n, 997, 231);
  std::vector<Pair> in(n);
  for (int i = 0; i < n; ++i)
    in[i] = {numbers[2 * i] * 9, numbers[2 * i + 1] * 40};
  auto out = device.empty<Pair>(5 * n);
  device.launch({1}, {n}, device.upload(in), out);
  std::vector<Pair> got = device.get(out);
  auto apply = [](const Pair &pair, auto function) {
    return Pair{function(pair.x), function(pair.y)};
  };
  for (int i = 0; i < n; ++i) {
    EXPECT_EQ(got[5 * i],
              apply(in[i], [](float x) { return nearest(x, 1, 0, 6); }));
    EXPECT_EQ(got[5 * i + 1],
              apply(in[i], [](float x) { return nearest(x, 3, 0, 7.5f); }));
    EXPECT_EQ(got[5 * i + 2],
              apply(in[i], [](float x) { return nearest(x, 2, -2, 28); }));
    // A power of two that is at least as large.
    EXPECT_EQ(got[5 * i + 3], apply(in[i], [](float x) {
                return std::exp2(std::ceil(std::log2(std::fabs(x))));
              }));
    EXPECT_EQ(got[5 * i + 4].x, nearest(in[i].x, 3, -6, 448));
    EXPECT_EQ(got[5 * i + 4].y, nearest(in[i].y, 2, -14, 57344));
  }
}

FOREIGN_KERNEL("cuda/blackwell", blockScales,
               "blocks with a scale: `redux` of fp32, ue8m0, e2m1") {
  const int blocks = 8;
  std::vector<float> in = gridOfUnits(32 * blocks, 9973, 232);
  for (int i = 0; i < 32 * blocks; ++i)
    in[i] *= std::ldexp(1.0f, i / 32 - 4);
  auto scales = device.empty<float>(blocks);
  auto smallest = device.empty<float>(blocks);
  auto out = device.empty<uint8_t>(16 * blocks);
  device.launch({2}, {128}, device.upload(in), scales, out, smallest);
  std::vector<float> gotScales = device.get(scales);
  std::vector<float> gotSmallest = device.get(smallest);
  std::vector<uint8_t> got = device.get(out);
  const float values[] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
  for (int block = 0; block < blocks; ++block) {
    const float *x = &in[32 * block];
    float most = 0;
    for (int i = 0; i < 32; ++i)
      most = std::max(most, std::fabs(x[i]));
    float step = std::exp2(std::ceil(std::log2(most / 6)));
    EXPECT_EQ(gotScales[block], step);
    EXPECT_EQ(gotSmallest[block], *std::min_element(x, x + 32));
    for (int i = 0; i < 32; ++i) {
      int code = got[16 * block + i / 2] >> 4 * (i % 2) & 15;
      EXPECT_EQ(values[code & 7] * (code & 8 ? -1.0f : 1.0f),
                nearest(x[i] / step, 1, 0, 6));
    }
  }
}

FOREIGN_KERNEL("cuda/blackwell", wideCopies, "32 bytes for each thread") {
  const int n = 64;
  std::vector<float> in = gridOfUnits(8 * n, 100, 233);
  std::vector<double> wide;
  for (int i = 0; i < 4 * n; ++i)
    wide.push_back(i * 0.125);
  auto out = device.empty<float>(8 * n);
  auto wideOut = device.empty<double>(4 * n);
  device.launch({2}, {32}, device.upload(in), out, device.upload(wide),
                wideOut);
  for (int i = 0; i < n; ++i) {
    std::reverse(in.begin() + 8 * i, in.begin() + 8 * (i + 1));
    std::reverse(wide.begin() + 4 * i, wide.begin() + 4 * (i + 1));
  }
  EXPECT_EQ(device.get(out), in);
  EXPECT_EQ(device.get(wideOut), wide);
}

FOREIGN_KERNEL("cuda/blackwell", mixedSums,
               "sums in fp32 of fp16, the largest of three magnitudes") {
  const int threads = 32, n = 20;
  std::vector<uint16_t> a, b;
  for (float x : gridOfUnits(threads * n, 64, 234))
    a.push_back(halfBits(x));
  for (float x : gridOfUnits(threads * n, 64, 235))
    b.push_back(halfBits(x));
  auto out = device.empty<float>(3 * threads);
  device.launch({1}, {threads}, device.upload(a), device.upload(b), out, n);
  std::vector<float> got = device.get(out);
  for (int i = 0; i < threads; ++i) {
    float sum = 0, dot = 0;
    for (int k = 0; k < n; ++k) {
      sum += halfValue(a[n * i + k]);
      dot = std::fma(halfValue(a[n * i + k]), halfValue(b[n * i + k]), dot);
    }
    EXPECT_EQ(got[3 * i], sum);
    EXPECT_EQ(got[3 * i + 1], dot);
    EXPECT_EQ(got[3 * i + 2],
              std::max({std::fabs(sum), std::fabs(dot), 0.25f}));
  }
}

FOREIGN_KERNEL("cuda/blackwell", embedRows,
               "rows of a table gathered four at a time through a tensor map") {
  const int vocabulary = 50, tokens = 12;
  std::vector<float> table = gridOfUnits(vocabulary * 64, 512, 236);
  std::vector<int> chosen;
  for (uint32_t word : randomWords(tokens, 237))
    chosen.push_back(static_cast<int>(word % vocabulary));
  auto rows = device.upload(table, "table");
  TensorMapDescription map;
  map.rank = 2;
  map.type = TensorMapType::F32;
  map.address = rows.address;
  map.dims = {64, vocabulary};
  map.strides = {256};
  map.box = {64, 1};
  Result<TensorMap> encoded = encodeTensorMap(map);
  ASSERT_TRUE(bool(encoded)) << encoded.error();
  auto out = device.empty<float>(64 * tokens);
  device.launch({tokens / 4}, {64}, *encoded, device.upload(chosen), out);
  std::vector<float> got = device.get(out);
  for (int i = 0; i < tokens; ++i)
    for (int c = 0; c < 64; ++c)
      ASSERT_EQ(got[64 * i + c], table[64 * chosen[i] + c]);
}

} // namespace
