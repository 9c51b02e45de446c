//===- WmmaKernels.cpp - matrix products by nvcuda::wmma ------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the kernels of cuda/wmma.cu against plain sums of products, which are
// exact in the type they are summed in.
//
//===----------------------------------------------------------------------===//

#include "ForeignKernel.h"

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

template <typename T, typename Encode>
std::vector<T> encoded(const std::vector<float> &values, Encode encode) {
  std::vector<T> result;
  for (float x : values)
    result.push_back(encode(x));
  return result;
}

FOREIGN_KERNEL("cuda/wmma", wmmaHalf,
               "`wmma` 16x16x16 in fp16, several tiles, an epilogue on the "
               "fragment") {
  const int m = 32, n = 48, k = 80, pitch = 56;
  std::vector<float> a = gridOfUnits(m * k, 16, 80);
  std::vector<float> b = gridOfUnits(n * k, 16, 81);
  std::vector<float> c = gridOfUnits(m * pitch, 16, 82);
  auto out = device.upload(c);
  device.launch({3, 2}, {32}, device.upload(encoded<uint16_t>(a, halfBits)),
                device.upload(encoded<uint16_t>(b, halfBits)), out, k, pitch);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int l = 0; l < k; ++l)
        sum += double(a[i * k + l]) * b[j * k + l];
      c[i * pitch + j] += static_cast<float>(2 * sum);
    }
  EXPECT_EQ(device.get(out), c);
}

/// A (m x 16) by columns, B (16 x n) by rows, C by columns; from one half on.
void runHalfSums(Device &device, int m, int n) {
  std::vector<float> a = gridOfUnits(m * 16, 2, 83);
  std::vector<float> b = gridOfUnits(n * 16, 4, 84);
  auto c = device.empty<uint16_t>(m * n);
  device.launch({1}, {32}, device.upload(encoded<uint16_t>(a, halfBits)),
                device.upload(encoded<uint16_t>(b, halfBits)), c);
  std::vector<uint16_t> got = device.get(c);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0.5f;
      for (int l = 0; l < 16; ++l)
        sum += a[l * m + i] * b[l * n + j];
      EXPECT_EQ(halfValue(got[j * m + i]), sum) << i << " " << j;
    }
}

FOREIGN_KERNEL("cuda/wmma", wmmaTall,
               "`wmma` 32x8x16 from shared memory, sums in fp16") {
  runHalfSums(device, 32, 8);
}
FOREIGN_KERNEL("cuda/wmma", wmmaFlat,
               "`wmma` 8x32x16 from shared memory, sums in fp16") {
  runHalfSums(device, 8, 32);
}

/// Everything by rows, C starts as 1. `a` and `b` are exact in the type In.
template <typename Out, typename In, typename Encode>
void runPlain(Device &device, int m, int n, int k, const std::vector<float> &a,
              const std::vector<float> &b, Encode encode) {
  auto c = device.empty<Out>(m * n);
  device.launch({1}, {32}, device.upload(encoded<In>(a, encode)),
                device.upload(encoded<In>(b, encode)), c);
  std::vector<Out> expected;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 1;
      for (int l = 0; l < k; ++l)
        sum += double(a[i * k + l]) * b[l * n + j];
      expected.push_back(static_cast<Out>(sum));
    }
  EXPECT_EQ(device.get(c), expected);
}

std::vector<float> integers(size_t count, int low, int high, uint32_t seed) {
  std::vector<float> values;
  for (uint32_t word : randomWords(count, seed))
    values.push_back(static_cast<float>(
        low + static_cast<int>(word % static_cast<uint32_t>(high - low + 1))));
  return values;
}

FOREIGN_KERNEL("cuda/wmma", wmmaBF16, "`wmma` 16x16x16 in bf16") {
  runPlain<float, uint16_t>(device, 16, 16, 16, gridOfUnits(256, 16, 85),
                            gridOfUnits(256, 16, 86), bf16Bits);
}
FOREIGN_KERNEL("cuda/wmma", wmmaTF32, "`wmma` 16x16x8 in tf32") {
  runPlain<float, float>(device, 16, 16, 8, gridOfUnits(128, 256, 85),
                         gridOfUnits(128, 256, 86), [](float x) { return x; });
}
FOREIGN_KERNEL("cuda/wmma", wmmaS8, "`wmma` 16x16x16 of signed bytes") {
  runPlain<int, int8_t>(device, 16, 16, 16, integers(256, -128, 127, 85),
                        integers(256, -128, 127, 86),
                        [](float x) { return static_cast<int8_t>(x); });
}
FOREIGN_KERNEL("cuda/wmma", wmmaU8, "`wmma` 32x8x16 of unsigned bytes") {
  runPlain<int, uint8_t>(device, 32, 8, 16, integers(512, 0, 255, 85),
                         integers(128, 0, 255, 86),
                         [](float x) { return static_cast<uint8_t>(x); });
}
FOREIGN_KERNEL("cuda/wmma", wmmaF64, "`wmma` 8x8x4 in fp64") {
  runPlain<double, double>(device, 8, 8, 4, integers(32, -1000, 1000, 85),
                           integers(32, -1000, 1000, 86),
                           [](float x) { return double(x); });
}

} // namespace
