//===- WgmmaKernels.cpp - products of warpgroups from nvcc ----------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the kernels of cuda/wgmma.cu against plain sums of products, exact in
// the type they are summed in.
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

/// start(i, j) + scale * sum over k of a[i][k] b[j][k], for 64 x 32 elements.
template <typename T, typename Start>
std::vector<T> products(const std::vector<float> &a,
                        const std::vector<float> &b, double scale,
                        Start start) {
  size_t depth = a.size() / 64;
  std::vector<T> c;
  for (size_t i = 0; i < 64; ++i)
    for (size_t j = 0; j < 32; ++j) {
      double sum = 0;
      for (size_t k = 0; k < depth; ++k)
        sum += double(a[i * depth + k]) * b[j * depth + k];
      c.push_back(static_cast<T>(start(i, j) + scale * sum));
    }
  return c;
}
double zero(size_t, size_t) { return 0; }
/// The place of an element among those of its lane.
double place(size_t row, size_t column) {
  return static_cast<double>(column % 2 + 2 * (row / 8 % 2) + 4 * (column / 8));
}

void runOrders(Device &device) {
  std::vector<float> a = gridOfUnits(64 * 64, 16, 100);
  std::vector<float> b = gridOfUnits(32 * 64, 16, 101);
  auto left = device.upload(encoded<uint16_t>(a, bf16Bits));
  auto right = device.upload(encoded<uint16_t>(b, bf16Bits));
  device.config.dynamicSharedBytes = 128 * 128;
  for (int order = 0; order < 4; ++order) {
    auto c = device.empty<float>(64 * 32);
    device.launch({1}, {128}, left, right, c, order);
    EXPECT_EQ(device.get(c), products<float>(a, b, 1, zero))
        << "order " << order;
  }
}

FOREIGN_KERNEL("cuda/wgmma", wgmmaPlain,
               "`wgmma` without a swizzle, A and B in both orders") {
  runOrders(device);
}
FOREIGN_KERNEL("cuda/wgmma", wgmmaSwizzle32,
               "`wgmma` with the 32-byte swizzle, A and B in both orders") {
  runOrders(device);
}
FOREIGN_KERNEL("cuda/wgmma", wgmmaSwizzle64,
               "`wgmma` with the 64-byte swizzle, A and B in both orders") {
  runOrders(device);
}
FOREIGN_KERNEL("cuda/wgmma", wgmmaSwizzle128,
               "`wgmma` with the 128-byte swizzle, A and B in both orders") {
  runOrders(device);
}

FOREIGN_KERNEL("cuda/wgmma", wgmmaRegisters,
               "`wgmma` with A in registers, negated") {
  std::vector<float> a = gridOfUnits(64 * 64, 16, 102);
  std::vector<float> b = gridOfUnits(32 * 64, 16, 103);
  device.config.dynamicSharedBytes = 32 * 128;
  auto c = device.empty<float>(64 * 32);
  device.launch({1}, {128}, device.upload(encoded<uint16_t>(a, bf16Bits)),
                device.upload(encoded<uint16_t>(b, bf16Bits)), c);
  EXPECT_EQ(device.get(c), products<float>(a, b, -2, [](size_t i, size_t j) {
              return 100 + place(i, j);
            }));
}

/// Rows of 128 bytes; the accumulators start as their place.
template <typename In, typename Out, typename Encode>
void runType(Device &device, const std::vector<float> &a,
             const std::vector<float> &b, Encode encodeA, Encode encodeB) {
  device.config.dynamicSharedBytes = 96 * 128;
  auto c = device.empty<Out>(64 * 32);
  device.launch({1}, {128}, device.upload(encoded<In>(a, encodeA)),
                device.upload(encoded<In>(b, encodeB)), c);
  EXPECT_EQ(device.get(c), products<Out>(a, b, 1, place));
}

uint32_t bitsOfFloat(float x) { return bitsOf(x); }
uint16_t halfOf(float x) { return halfBits(x); }
uint8_t byteOf(float x) {
  return static_cast<uint8_t>(static_cast<int>(x) & 0xff);
}
/// Quarters up to 1 are exact in both formats of fp8.
uint8_t e4m3Of(float x) {
  if (x == 0)
    return 0;
  int exponent;
  float mantissa = std::frexp(std::fabs(x), &exponent); // in [0.5, 1)
  return static_cast<uint8_t>((x < 0 ? 0x80 : 0) | (exponent + 6) << 3 |
                              (static_cast<int>(mantissa * 16) & 7));
}
uint8_t e5m2Of(float x) {
  if (x == 0)
    return 0;
  int exponent;
  float mantissa = std::frexp(std::fabs(x), &exponent);
  return static_cast<uint8_t>((x < 0 ? 0x80 : 0) | (exponent + 14) << 2 |
                              (static_cast<int>(mantissa * 8) & 3));
}

FOREIGN_KERNEL("cuda/wgmma", wgmmaF16, "`wgmma` of fp16") {
  runType<uint16_t, float>(device, gridOfUnits(64 * 64, 16, 104),
                           gridOfUnits(32 * 64, 16, 105), halfOf, halfOf);
}
FOREIGN_KERNEL("cuda/wgmma", wgmmaTF32, "`wgmma` of tf32") {
  runType<uint32_t, float>(device, gridOfUnits(64 * 32, 128, 106),
                           gridOfUnits(32 * 32, 128, 107), bitsOfFloat,
                           bitsOfFloat);
}
FOREIGN_KERNEL("cuda/wgmma", wgmmaE4M3, "`wgmma` of e4m3") {
  runType<uint8_t, float>(device, gridOfUnits(64 * 128, 4, 108),
                          gridOfUnits(32 * 128, 4, 109), e4m3Of, e4m3Of);
}
FOREIGN_KERNEL("cuda/wgmma", wgmmaE5M2, "`wgmma` of e5m2 and e4m3") {
  runType<uint8_t, float>(device, gridOfUnits(64 * 128, 4, 110),
                          gridOfUnits(32 * 128, 4, 111), e5m2Of, e4m3Of);
}

std::vector<float> integers(size_t count, int low, int high, uint32_t seed) {
  std::vector<float> values;
  for (uint32_t word : randomWords(count, seed))
    values.push_back(static_cast<float>(
        low + static_cast<int>(word % static_cast<uint32_t>(high - low + 1))));
  return values;
}

FOREIGN_KERNEL("cuda/wgmma", wgmmaS8, "`wgmma` of signed bytes") {
  runType<uint8_t, int>(device, integers(64 * 128, -128, 127, 112),
                        integers(32 * 128, -128, 127, 113), byteOf, byteOf);
}
FOREIGN_KERNEL("cuda/wgmma", wgmmaU8, "`wgmma` of unsigned and signed bytes") {
  runType<uint8_t, int>(device, integers(64 * 128, 0, 255, 114),
                        integers(32 * 128, -128, 127, 115), byteOf, byteOf);
}

FOREIGN_KERNEL("cuda/wgmma", wgmmaHalfSums, "`wgmma` with sums in fp16") {
  // Eighths below 64: exact in fp16.
  std::vector<float> a = gridOfUnits(64 * 64, 2, 116);
  std::vector<float> b = gridOfUnits(32 * 64, 4, 117);
  device.config.dynamicSharedBytes = 96 * 128;
  auto c = device.empty<uint16_t>(64 * 32);
  device.launch({1}, {128}, device.upload(encoded<uint16_t>(a, halfOf)),
                device.upload(encoded<uint16_t>(b, halfOf)), c);
  std::vector<float> got;
  for (uint16_t bits : device.get(c))
    got.push_back(halfValue(bits));
  EXPECT_EQ(got, products<float>(a, b, 1, zero));
}

FOREIGN_KERNEL("cuda/wgmma", matmulHopper,
               "warps that only copy through tensor maps, three buffers, two "
               "warpgroups of `wgmma`, `setmaxnreg`") {
  const int m = 256, n = 64, k = 320;
  std::vector<float> a = gridOfUnits(m * k, 16, 118);
  std::vector<float> b = gridOfUnits(n * k, 16, 119), expected;
  auto left = device.upload(encoded<uint16_t>(a, bf16Bits));
  auto right = device.upload(encoded<uint16_t>(b, bf16Bits));
  auto c = device.empty<float>(m * n);
  TensorMapDescription description;
  description.type = TensorMapType::BF16;
  description.rank = 2;
  description.swizzle = TensorMapSwizzle::B128;
  description.address = left.address;
  description.dims = {k, m, 1, 1, 1};
  description.strides[0] = 2 * k;
  description.box = {64, 128, 1, 1, 1};
  Result<TensorMap> leftMap = encodeTensorMap(description);
  description.address = right.address;
  description.dims = {k, n, 1, 1, 1};
  description.box = {64, 32, 1, 1, 1};
  Result<TensorMap> rightMap = encodeTensorMap(description);
  ASSERT_TRUE(bool(leftMap) && bool(rightMap));
  device.config.dynamicSharedBytes = 3 * 160 * 128;
  device.launch({2, 2}, {384}, *leftMap, *rightMap, c, k, n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int l = 0; l < k; ++l)
        sum += double(a[i * k + l]) * b[j * k + l];
      expected.push_back(static_cast<float>(sum));
    }
  EXPECT_EQ(device.get(c), expected);
}

} // namespace
