//===- TensorKernels.cpp - mma.sync and ldmatrix from nvcc ----------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the kernels of cuda/tensor.cu against plain sums of products. Operands
// have few bits, so that sums in fp32 are exact in any order.
//
//===----------------------------------------------------------------------===//

#include "ForeignKernel.h"

#include <algorithm>

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

std::vector<uint16_t> halves(const std::vector<float> &values) {
  std::vector<uint16_t> bits;
  for (float x : values)
    bits.push_back(halfBits(x));
  return bits;
}
std::vector<uint16_t> bfloats(const std::vector<float> &values) {
  std::vector<uint16_t> bits;
  for (float x : values)
    bits.push_back(bf16Bits(x));
  return bits;
}

/// What element (row, column) of the accumulator starts with: 1 to 4 by the
/// place among the lane's elements.
float startOf(int row, int column) {
  return static_cast<float>(1 + column % 2 + 2 * (row / 8));
}

/// One warp, one tile of 16 x 8: A is 16 x depth, B is 8 rows of depth.
template <typename Encode>
void runFloatTile(Device &device, int depth, Encode encode) {
  std::vector<float> a = gridOfUnits(16 * depth, 16, 60);
  std::vector<float> b = gridOfUnits(8 * depth, 16, 61), expected;
  auto c = device.empty<float>(16 * 8);
  device.launch({1}, {32}, device.upload(encode(a)), device.upload(encode(b)),
                c);
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 8; ++j) {
      double sum = startOf(i, j);
      for (int l = 0; l < depth; ++l)
        sum += double(a[i * depth + l]) * b[j * depth + l];
      expected.push_back(static_cast<float>(sum));
    }
  EXPECT_EQ(device.get(c), expected);
}

std::vector<float> asIs(const std::vector<float> &values) { return values; }

FOREIGN_KERNEL("cuda/tensor", mmaF16, "`mma.m16n8k16` of fp16, sums in fp32") {
  runFloatTile(device, 16, halves);
}
FOREIGN_KERNEL("cuda/tensor", mmaF16Short,
               "`mma.m16n8k8` of fp16, sums in fp32") {
  runFloatTile(device, 8, halves);
}
FOREIGN_KERNEL("cuda/tensor", mmaBF16, "`mma.m16n8k16` of bf16") {
  runFloatTile(device, 16, bfloats);
}
FOREIGN_KERNEL("cuda/tensor", mmaBF16Short, "`mma.m16n8k8` of bf16") {
  runFloatTile(device, 8, bfloats);
}
FOREIGN_KERNEL("cuda/tensor", mmaTF32, "`mma.m16n8k8` of tf32") {
  runFloatTile(device, 8, asIs);
}
FOREIGN_KERNEL("cuda/tensor", mmaTF32Short, "`mma.m16n8k4` of tf32") {
  runFloatTile(device, 4, asIs);
}

FOREIGN_KERNEL("cuda/tensor", mmaF16Sums,
               "sums in fp16, one product after the other") {
  // Eighths: sums below 64 are exact in fp16.
  std::vector<float> a = gridOfUnits(16 * 16, 2, 62);
  std::vector<float> b = gridOfUnits(8 * 16, 4, 63);
  auto c = device.empty<uint16_t>(16 * 8);
  device.launch({1}, {32}, device.upload(halves(a)), device.upload(halves(b)),
                c);
  std::vector<uint16_t> got = device.get(c);
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 8; ++j) {
      float sum = static_cast<float>(1 + i / 8);
      for (int l = 0; l < 24; ++l) // the first eight come twice
        sum += a[i * 16 + l % 16] * b[j * 16 + l % 16];
      EXPECT_EQ(halfValue(got[i * 8 + j]), sum);
    }
}

template <typename A, typename B> void runIntegerTile(Device &device) {
  std::vector<A> a;
  std::vector<B> b;
  for (uint32_t word : randomWords(16 * 32, 64))
    a.push_back(static_cast<A>(word));
  for (uint32_t word : randomWords(8 * 32, 65))
    b.push_back(static_cast<B>(word));
  // The last element of each lane overflows where its products are all large.
  std::fill_n(a.begin() + 15 * 32, 32, A(127));
  std::fill_n(b.begin() + 7 * 32, 32, B(127));
  auto c = device.empty<int>(16 * 8);
  device.launch({1}, {32}, device.upload(a), device.upload(b), c);
  const int start[4] = {1, -2, 3, 2147000000};
  std::vector<int> expected;
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 8; ++j) {
      int64_t sum = start[j % 2 + 2 * (i / 8)];
      for (int l = 0; l < 32; ++l)
        sum += int64_t(a[i * 32 + l]) * b[j * 32 + l];
      expected.push_back(static_cast<int>(
          std::min<int64_t>(std::max<int64_t>(sum, INT32_MIN), INT32_MAX)));
    }
  EXPECT_EQ(expected.back(), INT32_MAX);
  EXPECT_EQ(device.get(c), expected);
}

FOREIGN_KERNEL("cuda/tensor", mmaS8,
               "`mma.m16n8k32` of signed bytes, saturating sums") {
  runIntegerTile<int8_t, int8_t>(device);
}
FOREIGN_KERNEL("cuda/tensor", mmaU8S8,
               "`mma.m16n8k32` of unsigned and signed bytes") {
  runIntegerTile<uint8_t, int8_t>(device);
}

FOREIGN_KERNEL("cuda/tensor", mmaF64, "`mma.m8n8k4` of fp64") {
  std::vector<double> a, b, expected;
  for (int i = 0; i < 32; ++i) {
    a.push_back(i * 0.37 - 4);
    b.push_back(3 - i * 0.21);
  }
  auto c = device.empty<double>(64);
  device.launch({1}, {32}, device.upload(a), device.upload(b), c);
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) {
      double sum = j % 2 ? -0.5 : 0.5;
      for (int l = 0; l < 4; ++l)
        sum += a[i * 4 + l] * b[j * 4 + l];
      expected.push_back(sum);
    }
  expectClose(device.get(c), expected, 1e-15, 40);
}

FOREIGN_KERNEL("cuda/tensor", matrixLoads,
               "`ldmatrix` of 1, 2 and 4 matrices, transposed and not") {
  std::vector<uint16_t> in;
  for (int i = 0; i < 256; ++i)
    in.push_back(static_cast<uint16_t>(i * 257));
  auto out = device.empty<uint32_t>(7 * 32);
  device.launch({1}, {32}, device.upload(in), out);
  std::vector<uint32_t> got = device.get(out);
  auto element = [&](int matrix, int row, int column) {
    return uint32_t(in[64 * matrix + 8 * row + column]);
  };
  for (int lane = 0; lane < 32; ++lane) {
    int row = lane / 4, column = 2 * (lane % 4);
    auto straight = [&](int matrix) {
      return element(matrix, row, column) | element(matrix, row, column + 1)
                                                << 16;
    };
    auto turned = [&](int matrix) {
      return element(matrix, column, row) | element(matrix, column + 1, row)
                                                << 16;
    };
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(got[7 * lane + i], straight(i));
    EXPECT_EQ(got[7 * lane + 4], turned(2));
    EXPECT_EQ(got[7 * lane + 5], turned(3));
    EXPECT_EQ(got[7 * lane + 6], straight(1));
  }
}

FOREIGN_KERNEL("cuda/tensor", matmulBF16,
               "a product with three swizzled buffers, tails filled by "
               "`cp.async`, no bank conflicts") {
  const int m = 100, n = 72, k = 104;
  std::vector<float> a = gridOfUnits(m * k, 16, 66);
  std::vector<float> b = gridOfUnits(n * k, 16, 67), expected;
  auto c = device.empty<float>(m * n);
  LaunchResult result = device.launch({2, 2}, {128}, device.upload(bfloats(a)),
                                      device.upload(bfloats(b)), c, m, n, k);
  EXPECT_EQ(result.counts.bankConflicts, 0u);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int l = 0; l < k; ++l)
        sum += double(a[i * k + l]) * b[j * k + l];
      expected.push_back(static_cast<float>(sum));
    }
  EXPECT_EQ(device.get(c), expected);
}

FOREIGN_KERNEL("cuda/tensor", attentionBF16,
               "attention whose scores stay in registers, `ldmatrix.trans`") {
  const int rows = 64, keys = 50, dim = 32;
  std::vector<float> q = gridOfUnits(rows * dim, 64, 68);
  std::vector<float> k = gridOfUnits(keys * dim, 64, 69);
  std::vector<float> v = gridOfUnits(keys * dim, 64, 70);
  auto out = device.empty<float>(rows * dim);
  device.launch({2}, {64}, device.upload(bfloats(q)), device.upload(bfloats(k)),
                device.upload(bfloats(v)), out, keys, 1.44269504f);
  std::vector<double> expected;
  for (int i = 0; i < rows; ++i) {
    std::vector<double> weight(keys), y(dim);
    double sum = 0;
    for (int j = 0; j < keys; ++j) {
      double score = 0;
      for (int d = 0; d < dim; ++d)
        score += double(q[i * dim + d]) * k[j * dim + d];
      sum += weight[j] = std::exp(score);
    }
    for (int j = 0; j < keys; ++j)
      for (int d = 0; d < dim; ++d)
        y[d] += weight[j] / sum * v[j * dim + d];
    expected.insert(expected.end(), y.begin(), y.end());
  }
  // Weights are rounded to bf16, in the sum as well.
  expectClose(device.get(out), expected, 4e-3, 1);
}

} // namespace
