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
#include "ForeignModules.h"

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

struct MatmulSize {
  unsigned m, n, k;
};

void runMatmul(Device &device, MatmulSize size, uint32_t sharedBytes) {
  std::mt19937 random(7);
  auto draw = [&] { return (static_cast<int>(random() % 129) - 64) / 64.0f; };
  std::vector<float> a(size.m * size.k), b(size.k * size.n);
  std::vector<uint16_t> aBits, bBits;
  for (float &x : a)
    aBits.push_back(f16Bits(x = draw()));
  for (float &x : b)
    bBits.push_back(f16Bits(x = draw()));
  auto c = device.empty<float>(size.m * size.n, "c");
  device.config.dynamicSharedBytes = sharedBytes;
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

/// Runs a kernel that multiplies with wgmma what cp.async has brought. The ISA
/// asks for fence.proxy.async in between: cp.async writes through the generic
/// proxy, wgmma reads through the other one. Triton 3.3 and 3.5 leave it out,
/// later versions do not. With the fences added the kernel is clean.
template <typename Run>
void runWithoutProxyFences(Device &device, const Run &runAll) {
  device.tolerate(FindingKind::MissingFence);
  runAll(device);
  Device repaired(withProxyFences(device.file), device.entry, device.seed);
  runAll(repaired);
}

void runMatmuls(Device &device, uint32_t sharedBytes) {
  runMatmul(device, {100, 80, 112}, sharedBytes);
  runMatmul(device, {1, 16, 16}, sharedBytes);
  runMatmul(device, {129, 192, 64}, sharedBytes);
}

FOREIGN_KERNEL("triton/matmul", matmul,
               "fp16 `mma.sync` fed by `cp.async` and `ldmatrix`, tails") {
  runMatmuls(device, 16384);
}
FOREIGN_KERNEL_AS("triton/matmul_sm90", matmul_sm90, matmul,
                  "fp16 `wgmma` fed by `cp.async`, tails; the compiler leaves "
                  "out a proxy fence") {
  runWithoutProxyFences(device, [](Device &each) { runMatmuls(each, 24576); });
}

FOREIGN_KERNEL_AS(
    "triton/matmul_descriptors_sm90", matmul_descriptors, matmul_descriptors,
    "fp16 `wgmma` fed through tensor descriptors, stores by them") {
  const unsigned m = 100, n = 80, k = 112;
  std::vector<float> a = gridOfUnits(m * k, 64, 120);
  std::vector<float> b = gridOfUnits(k * n, 64, 121), expected;
  std::vector<uint16_t> aBits, bBits;
  for (float x : a)
    aBits.push_back(halfBits(x));
  for (float x : b)
    bBits.push_back(halfBits(x));
  auto left = device.upload(aBits, "a"), right = device.upload(bBits, "b");
  auto c = device.empty<float>(m * n, "c");
  // The boxes are 128 bytes wide, as the compiler asks for.
  auto describe = [](TensorMapType type, uint64_t address, unsigned rows,
                     unsigned columns, unsigned bytes) {
    TensorMapDescription description;
    description.type = type;
    description.rank = 2;
    description.address = address;
    description.dims = {columns, rows, 1, 1, 1};
    description.strides[0] = uint64_t(columns) * bytes;
    description.box = {128 / bytes, 64, 1, 1, 1};
    description.swizzle = TensorMapSwizzle::B128;
    Result<TensorMap> map = encodeTensorMap(description);
    EXPECT_TRUE(bool(map)) << map.error();
    return map ? *map : TensorMap();
  };
  Arguments arguments;
  auto push = [&](const TensorMap &map, unsigned rows, unsigned columns) {
    arguments.tensorMap(map).u32(rows).u32(columns).u64(columns).u64(1);
  };
  push(describe(TensorMapType::F16, left.address, m, k, 2), m, k);
  push(describe(TensorMapType::F16, right.address, k, n, 2), k, n);
  push(describe(TensorMapType::F32, c.address, m, n, 4), m, n);
  arguments.u32(k).pointer(0).pointer(0);
  device.config.dynamicSharedBytes = 49176;
  LaunchResult result = device.launchWith({2, 2}, {128}, arguments);
  for (const Finding &finding : result.findings)
    ADD_FAILURE() << finding.str();
  EXPECT_TRUE(result.completed);
  for (unsigned i = 0; i < m; ++i)
    for (unsigned j = 0; j < n; ++j) {
      double sum = 0;
      for (unsigned l = 0; l < k; ++l)
        sum += double(a[i * k + l]) * b[l * n + j];
      expected.push_back(static_cast<float>(sum));
    }
  EXPECT_EQ(device.get(c), expected);
}

void runVectorAdd(Device &device) {
  std::vector<float> x = gridOfUnits(1000, 64, 122);
  std::vector<float> y = gridOfUnits(1000, 64, 123);
  auto out = device.empty<float>(1000);
  device.launch({4}, {128}, device.upload(x), device.upload(y), out, 1000,
                uint64_t(0));
  for (size_t i = 0; i < x.size(); ++i)
    x[i] += y[i];
  EXPECT_EQ(device.get(out), x);
}

constexpr int rows = 5, columns = 200, stride = 208;

void runSoftmax(Device &device) {
  std::vector<float> x = gridOfUnits(rows * stride, 100, 124);
  for (float &value : x)
    value *= 8;
  auto out = device.zeros<float>(x.size());
  device.config.dynamicSharedBytes = 16;
  device.launch({rows}, {128}, device.upload(x), out, columns, stride,
                uint64_t(0));
  std::vector<double> expected(x.size());
  for (int row = 0; row < rows; ++row) {
    double sum = 0;
    for (int i = 0; i < columns; ++i)
      sum += std::exp(double(x[row * stride + i]));
    for (int i = 0; i < columns; ++i)
      expected[row * stride + i] = std::exp(double(x[row * stride + i])) / sum;
  }
  expectClose(device.get(out), expected, 5e-6);
}

void runLayerNorm(Device &device) {
  std::vector<float> x = gridOfUnits(rows * stride, 64, 125);
  std::vector<float> scale = gridOfUnits(columns, 64, 126);
  std::vector<float> shift = gridOfUnits(columns, 64, 127);
  std::vector<uint16_t> bits;
  for (float value : x)
    bits.push_back(halfBits(value));
  auto out = device.zeros<uint16_t>(x.size());
  device.config.dynamicSharedBytes = 16;
  device.launch({rows}, {128}, device.upload(bits), device.upload(scale),
                device.upload(shift), out, columns, stride, 1e-5f, uint64_t(0));
  std::vector<double> expected(x.size());
  std::vector<float> got;
  for (uint16_t value : device.get(out))
    got.push_back(halfValue(value));
  for (int row = 0; row < rows; ++row) {
    const float *values = &x[row * stride];
    double mean = 0, variance = 0;
    for (int i = 0; i < columns; ++i)
      mean += values[i] / double(columns);
    for (int i = 0; i < columns; ++i)
      variance += std::pow(values[i] - mean, 2) / columns;
    for (int i = 0; i < columns; ++i)
      expected[row * stride + i] =
          (values[i] - mean) / std::sqrt(variance + 1e-5) * scale[i] + shift[i];
  }
  expectClose(got, expected, 1e-3, 1); // rounded to fp16
}

FOREIGN_KERNEL("triton/vector_add", vector_add, "masked loads and stores") {
  runVectorAdd(device);
}
FOREIGN_KERNEL_AS("triton/vector_add_sm90", vector_add_sm90, vector_add,
                  "masked loads and stores") {
  runVectorAdd(device);
}
FOREIGN_KERNEL("triton/softmax", softmax,
               "reductions over four warps, exponentials") {
  runSoftmax(device);
}
FOREIGN_KERNEL_AS("triton/softmax_sm90", softmax_sm90, softmax,
                  "reductions over four warps, exponentials") {
  runSoftmax(device);
}
FOREIGN_KERNEL("triton/layer_norm", layer_norm,
               "loops over tiles, fp16 in and out") {
  runLayerNorm(device);
}
FOREIGN_KERNEL_AS("triton/layer_norm_sm90", layer_norm_sm90, layer_norm,
                  "loops over tiles, fp16 in and out") {
  runLayerNorm(device);
}

void runAttention(Device &device, unsigned heads, unsigned length,
                  uint32_t sharedBytes) {
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
  device.config.dynamicSharedBytes = sharedBytes;
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

void runAttentions(Device &device, uint32_t sharedBytes) {
  runAttention(device, 3, 200, sharedBytes);
  runAttention(device, 1, 1, sharedBytes);
  runAttention(device, 2, 65, sharedBytes);
}

FOREIGN_KERNEL(
    "triton/attention", attention,
    "causal bf16 attention, online softmax, `mma.sync`, `cp.async`") {
  runAttentions(device, 24576);
}
FOREIGN_KERNEL_AS(
    "triton/attention_sm90", attention_sm90, attention,
    "causal bf16 attention, online softmax, `wgmma`, `cp.async`; the "
    "compiler leaves out a proxy fence") {
  runWithoutProxyFences(device,
                        [](Device &each) { runAttentions(each, 32768); });
}

} // namespace
