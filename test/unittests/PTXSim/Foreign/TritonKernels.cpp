//===- TritonKernels.cpp - kernels compiled by Triton ---------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the kernels of triton/ at the described size and at others, against
// plain loops.
//
//===----------------------------------------------------------------------===//

#include "ForeignKernel.h"

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

struct MatmulSize {
  unsigned m, n, k;
};

void runMatmul(Device &device, MatmulSize size) {
  std::mt19937 random(7);
  auto draw = [&] { return (static_cast<int>(random() % 129) - 64) / 64.0f; };
  std::vector<float> a(size.m * size.k), b(size.k * size.n);
  std::vector<uint16_t> aBits, bBits;
  for (float &x : a)
    aBits.push_back(f16Bits(x = draw()));
  for (float &x : b)
    bBits.push_back(f16Bits(x = draw()));
  auto c = device.empty<float>(size.m * size.n, "c");
  device.config.dynamicSharedBytes = 16384;
  device.launch({(size.m + 63) / 64, (size.n + 63) / 64}, {128},
                device.upload(aBits, "a", 16), device.upload(bBits, "b", 16), c,
                size.m, size.n, size.k, size.k, size.n, size.n, uint64_t(0));
  std::vector<float> got = device.get(c);
  // All products are multiples of 2^-12 below 2^10: the sum is exact in fp32.
  for (unsigned i = 0; i < size.m; ++i)
    for (unsigned j = 0; j < size.n; ++j) {
      double sum = 0;
      for (unsigned l = 0; l < size.k; ++l)
        sum += static_cast<double>(a[i * size.k + l]) * b[l * size.n + j];
      ASSERT_EQ(got[i * size.n + j], sum) << i << " " << j;
    }
}

FOREIGN_KERNEL("triton/matmul", matmul,
               "fp16 `mma.sync` fed by `cp.async` and `ldmatrix`, tails") {
  runMatmul(device, {100, 80, 112});
  runMatmul(device, {1, 16, 16});
  runMatmul(device, {129, 192, 64});
}

void runAttention(Device &device, unsigned heads, unsigned length) {
  constexpr unsigned dim = 64;
  size_t count = size_t(heads) * length * dim;
  std::mt19937 random(11);
  auto draw = [&] {
    return (static_cast<int>(random() % 2001) - 1000) / 500.0f;
  };
  std::vector<float> values[3];
  std::vector<uint16_t> bits[3];
  Buffer<uint16_t> inputs[3];
  const char *names[3] = {"q", "k", "v"};
  for (unsigned t = 0; t < 3; ++t) {
    for (size_t i = 0; i < count; ++i) {
      bits[t].push_back(bf16Bits(draw()));
      values[t].push_back(bf16Value(bits[t].back()));
    }
    inputs[t] = device.upload(bits[t], names[t], 16);
  }
  auto outBuffer = device.empty<uint16_t>(count, "out");
  auto lseBuffer = device.empty<float>(heads * length, "lse");
  float scale = 0.125f;
  device.config.dynamicSharedBytes = 24576;
  device.launch({(length + 63) / 64, heads}, {128}, inputs[0], inputs[1],
                inputs[2], outBuffer, lseBuffer, length, scale * 1.44269504f,
                uint64_t(0));
  std::vector<uint16_t> out = device.get(outBuffer);
  std::vector<float> lse = device.get(lseBuffer);
  double errorSquared = 0, normSquared = 0;
  for (unsigned h = 0; h < heads; ++h)
    for (unsigned i = 0; i < length; ++i) {
      std::vector<double> score(i + 1);
      double most = -1e300, sum = 0;
      const float *q = &values[0][(size_t(h) * length + i) * dim];
      for (unsigned j = 0; j <= i; ++j) {
        const float *k = &values[1][(size_t(h) * length + j) * dim];
        for (unsigned d = 0; d < dim; ++d)
          score[j] += static_cast<double>(q[d]) * k[d];
        score[j] *= scale;
        most = std::max(most, score[j]);
      }
      for (double &s : score)
        sum += s = std::exp(s - most);
      // fp32 logarithm of the row sum: a few units in the last place.
      ASSERT_NEAR(lse[h * length + i], most + std::log(sum), 2e-5);
      for (unsigned d = 0; d < dim; ++d) {
        double y = 0;
        for (unsigned j = 0; j <= i; ++j)
          y += score[j] * values[2][(size_t(h) * length + j) * dim + d];
        y /= sum;
        double got = bf16Value(out[(size_t(h) * length + i) * dim + d]);
        errorSquared += (got - y) * (got - y);
        normSquared += y * y;
      }
    }
  // Rounding P and the output to bf16 costs about 2^-9 each.
  EXPECT_LT(std::sqrt(errorSquared / normSquared), 4e-3);
}

FOREIGN_KERNEL(
    "triton/attention", attention,
    "causal bf16 attention with online softmax, `mma.sync`, `cp.async`") {
  runAttention(device, 3, 200);
  runAttention(device, 1, 1);
  runAttention(device, 2, 65);
}

} // namespace
