//===- ConversionKernels.cpp - conversions and packed halves from nvcc ----===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the conversions of cuda/arithmetic.cu, every width, sign, rounding and
// saturation, and its packed fp16 and bf16, against host arithmetic.
//
//===----------------------------------------------------------------------===//

#include "ForeignKernel.h"

#include <algorithm>
#include <cfenv>
#include <limits>

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

constexpr int roundings[4] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD,
                              FE_UPWARD};

/// `x` to an integral value: nearest even, toward zero, down, up.
double toIntegral(double x, int rounding) {
  switch (rounding) {
  case 0:
    return std::nearbyint(x);
  case 1:
    return std::trunc(x);
  case 2:
    return std::floor(x);
  default:
    return std::ceil(x);
  }
}

/// Clamped to the integers of `bits` bits. What a NaN becomes: 0, except where
/// either side has 64 bits; then only the highest bit is set.
int64_t saturated(double x, unsigned bits, bool isSigned, bool isWide) {
  if (std::isnan(x)) {
    uint64_t top = isWide ? uint64_t(1) << (bits - 1) : 0;
    return isSigned ? static_cast<int64_t>(top << (64 - bits)) >> (64 - bits)
                    : static_cast<int64_t>(top);
  }
  double low = isSigned ? -std::ldexp(1.0, static_cast<int>(bits) - 1) : 0;
  double end = std::ldexp(1.0, static_cast<int>(isSigned ? bits - 1 : bits));
  if (x <= low)
    return static_cast<int64_t>(low);
  if (x >= end) {
    uint64_t most = ~uint64_t(0) >> (64 - bits + isSigned);
    return static_cast<int64_t>(most);
  }
  return isSigned ? static_cast<int64_t>(x)
                  : static_cast<int64_t>(static_cast<uint64_t>(x));
}

template <typename T> void runToInteger(Device &device) {
  std::vector<T> in = {0,
                       T(-0.0),
                       T(0.5),
                       T(-0.5),
                       T(1.5),
                       T(2.5),
                       T(-2.5),
                       T(126.5),
                       T(127.5),
                       T(-128.5),
                       T(-129),
                       T(254.5),
                       T(255.5),
                       T(300),
                       T(32767.5),
                       T(-32768.5),
                       T(65535.5),
                       T(1e6) + T(0.25),
                       T(2147483520),
                       T(2147483648.0),
                       T(-2147483648.0),
                       T(4294967040.0),
                       T(4294967296.0),
                       T(9.2e18),
                       T(9223372036854775808.0),
                       T(-9223372036854775808.0),
                       T(1.8e19),
                       T(1e30),
                       T(-1e30),
                       std::numeric_limits<T>::infinity(),
                       -std::numeric_limits<T>::infinity(),
                       std::numeric_limits<T>::quiet_NaN()};
  std::mt19937 random(12);
  while (in.size() < 96)
    in.push_back(static_cast<T>(
        std::ldexp(static_cast<double>(static_cast<int32_t>(random())) / 1024.0,
                   static_cast<int>(random() % 40) - 16)));
  auto out = device.empty<int64_t>(96 * 32);
  device.launch({3}, {32}, device.upload(in), out);
  std::vector<int64_t> got = device.get(out);
  for (int i = 0; i < 96; ++i)
    for (int type = 0; type < 8; ++type)
      for (int rounding = 0; rounding < 4; ++rounding) {
        unsigned bits = 8u << type / 2;
        int64_t expected =
            saturated(toIntegral(static_cast<double>(in[i]), rounding), bits,
                      type % 2 == 0, sizeof(T) == 8 || bits == 64);
        EXPECT_EQ(got[32 * i + 4 * type + rounding], expected)
            << in[i] << " to " << (type % 2 ? "u" : "s") << bits
            << " in rounding " << rounding;
      }
}

FOREIGN_KERNEL(
    "cuda/arithmetic", floatToInteger,
    "fp32 to every integer type in every rounding, saturation, NaN") {
  runToInteger<float>(device);
}

FOREIGN_KERNEL(
    "cuda/arithmetic", doubleToInteger,
    "fp64 to every integer type in every rounding, saturation, NaN") {
  runToInteger<double>(device);
}

template <typename To, typename From>
[[gnu::noinline]] To convertIn(int rounding, const volatile From &from) {
  std::fesetround(roundings[rounding]);
  volatile To result = static_cast<To>(from);
  std::fesetround(FE_TONEAREST);
  return result;
}

FOREIGN_KERNEL(
    "cuda/arithmetic", integerConversions,
    "integers to narrower ones with saturation, and to fp32 and fp64 "
    "in four roundings") {
  std::vector<int64_t> in = {0,
                             1,
                             -1,
                             127,
                             128,
                             -128,
                             -129,
                             255,
                             256,
                             32767,
                             32768,
                             -32768,
                             -32769,
                             65535,
                             65536,
                             1 << 24,
                             (1 << 24) + 1,
                             INT32_MAX,
                             INT32_MIN,
                             int64_t(INT32_MAX) + 1,
                             int64_t(UINT32_MAX),
                             int64_t(UINT32_MAX) + 1,
                             INT64_MAX,
                             INT64_MIN};
  std::mt19937_64 random(13);
  while (in.size() < 64)
    in.push_back(static_cast<int64_t>(random()) >> (random() % 60));
  auto out = device.empty<int64_t>(64 * 8);
  auto floats = device.empty<float>(64 * 12);
  auto doubles = device.empty<double>(64 * 4);
  device.launch({2}, {32}, device.upload(in), out, floats, doubles);
  std::vector<int64_t> got = device.get(out);
  std::vector<float> gotFloats = device.get(floats);
  std::vector<double> gotDoubles = device.get(doubles);
  for (int i = 0; i < 64; ++i) {
    int64_t x = in[i];
    uint64_t u = static_cast<uint64_t>(x);
    int32_t narrow = static_cast<int32_t>(x);
    uint32_t narrowU = static_cast<uint32_t>(x);
    auto clamp = [](int64_t value, int64_t low, int64_t high) {
      return std::min(std::max(value, low), high);
    };
    const int64_t expected[8] = {
        clamp(x, -128, 127),
        clamp(x, 0, 255),
        clamp(x, -32768, 32767),
        clamp(narrow, 0, 65535),
        clamp(x, INT32_MIN, INT32_MAX),
        clamp(x, 0, UINT32_MAX),
        static_cast<int64_t>(std::min<uint64_t>(u, INT32_MAX)),
        clamp(x, 0, INT64_MAX)};
    for (int k = 0; k < 8; ++k)
      EXPECT_EQ(got[8 * i + k], expected[k]) << k << " of " << x;
    for (int r = 0; r < 4; ++r) {
      EXPECT_EQ(gotFloats[12 * i + r], (convertIn<float>(r, x))) << x;
      EXPECT_EQ(gotFloats[12 * i + 4 + r], (convertIn<float>(r, u))) << u;
    }
    EXPECT_EQ(gotFloats[12 * i + 8], (convertIn<float>(0, narrow)));
    EXPECT_EQ(gotFloats[12 * i + 9], (convertIn<float>(1, narrow)));
    EXPECT_EQ(gotFloats[12 * i + 10], (convertIn<float>(2, narrowU)));
    EXPECT_EQ(gotFloats[12 * i + 11], (convertIn<float>(3, narrowU)));
    EXPECT_EQ(gotDoubles[4 * i], (convertIn<double>(0, x)));
    EXPECT_EQ(gotDoubles[4 * i + 1], (convertIn<double>(1, x)));
    EXPECT_EQ(gotDoubles[4 * i + 2], (convertIn<double>(2, u)));
    EXPECT_EQ(gotDoubles[4 * i + 3], (convertIn<double>(3, u)));
  }
}

/// fp16 toward zero: one step toward zero where the nearest is too large.
uint16_t halfTowardZero(float x) {
  uint16_t nearest = halfBits(x);
  if (std::isinf(x) || std::fabs(halfValue(nearest)) <= std::fabs(x))
    return nearest;
  return static_cast<uint16_t>(nearest - 1);
}

FOREIGN_KERNEL("cuda/arithmetic", floatConversions,
               "fp64 to fp32 in four roundings, to fp16, bf16 and tf32, relu, "
               "integral values") {
  std::vector<double> in = {
      0.0,   -0.0,    0.5,    1.5,     2.5,        -2.5, 1.0 / 3, -1e-3,
      65504, 65519.9, 65520,  1e6,     -1e5,       6e-8, 2e-8,    1e-40,
      1e-46, 3.5e38,  -1e300, 0.99999, 123456.789, -7.77};
  std::mt19937 random(14);
  while (in.size() < 64)
    in.push_back(static_cast<double>(static_cast<int32_t>(random())) *
                 std::exp2(static_cast<int>(random() % 60) - 50));
  auto floats = device.empty<float>(64 * 12);
  auto halves = device.empty<uint16_t>(64 * 8);
  device.launch({2}, {32}, device.upload(in), floats, halves);
  std::vector<float> got = device.get(floats);
  std::vector<uint16_t> gotHalves = device.get(halves);
  for (int i = 0; i < 64; ++i) {
    float y = static_cast<float>(in[i]);
    for (int r = 0; r < 4; ++r)
      EXPECT_EQ(bitsOf(got[12 * i + r]), bitsOf(convertIn<float>(r, in[i])))
          << in[i] << " in rounding " << r;
    EXPECT_EQ(got[12 * i + 4], std::min(std::max(y, 0.0f), 1.0f));
    EXPECT_EQ(got[12 * i + 5], std::nearbyint(y));
    EXPECT_EQ(got[12 * i + 6], std::trunc(y));
    EXPECT_EQ(got[12 * i + 7], std::floor(y));
    EXPECT_EQ(got[12 * i + 8], std::ceil(y));
    // tf32 keeps ten bits of the fraction; ties go away from zero.
    EXPECT_EQ(bitsOf(got[12 * i + 9]) & 0xffffe000u,
              std::isinf(y) ? bitsOf(y) : (bitsOf(y) + 0x1000) & 0xffffe000u);
    EXPECT_EQ(got[12 * i + 10], halfValue(halfBits(y)));
    EXPECT_EQ(got[12 * i + 11], std::round(y));
    EXPECT_EQ(gotHalves[8 * i], halfBits(y)) << y;
    EXPECT_EQ(gotHalves[8 * i + 1], halfTowardZero(y)) << y;
    EXPECT_EQ(gotHalves[8 * i + 2], bf16Bits(y)) << y;
    EXPECT_EQ(gotHalves[8 * i + 3], static_cast<uint16_t>(bitsOf(y) >> 16));
    EXPECT_EQ(gotHalves[8 * i + 4], halfBits(y));
    EXPECT_EQ(gotHalves[8 * i + 5], halfBits(-y));
    // The first source goes to the upper half.
    uint16_t upper = y > 0 ? halfBits(y) : 0, lower = y < 0 ? halfBits(-y) : 0;
    // Clamping may keep the sign of -0.
    EXPECT_EQ(halfValue(gotHalves[8 * i + 6]), halfValue(lower)) << y;
    EXPECT_EQ(halfValue(gotHalves[8 * i + 7]), halfValue(upper)) << y;
  }
}

FOREIGN_KERNEL("cuda/arithmetic", halfPairs,
               "fp16 pairs: fma with relu and saturation, minima, masks") {
  std::vector<float> a = gridOfUnits(64, 64, 20), b = gridOfUnits(64, 32, 21);
  b[5] = a[5];
  b[10] = a[10], b[11] = a[11];
  std::vector<uint16_t> aBits, bBits;
  for (int i = 0; i < 64; ++i) {
    aBits.push_back(halfBits(a[i]));
    bBits.push_back(halfBits(b[i]));
  }
  auto out = device.empty<uint16_t>(64 * 8);
  auto flags = device.empty<uint32_t>(32);
  device.launch({1}, {32}, device.upload(aBits), device.upload(bBits), out,
                flags);
  std::vector<uint16_t> got = device.get(out);
  std::vector<uint32_t> gotFlags = device.get(flags);
  auto clamp = [](double x) { return std::min(std::max(x, 0.0), 1.0); };
  for (int i = 0; i < 32; ++i) {
    uint32_t greater = 0;
    bool isEqual = true;
    for (int h = 0; h < 2; ++h) {
      double x = a[2 * i + h], y = b[2 * i + h];
      greater |= x > y ? 0xffffu << 16 * h : 0;
      isEqual &= x == y;
      const double expected[8] = {x + y,
                                  clamp(x * y),
                                  std::max(x * y + y, 0.0),
                                  std::min(x, y),
                                  std::max(std::fabs(x), -y),
                                  clamp(x - y),
                                  h ? b[2 * i] : a[2 * i],
                                  clamp(x * x + y)};
      for (int k = 0; k < 8; ++k)
        EXPECT_EQ(halfValue(got[16 * i + 2 * k + h]),
                  halfValue(halfBits(expected[k])))
            << k << " of " << x << " " << y;
    }
    EXPECT_EQ(gotFlags[i], greater ^ (isEqual ? 0x10001u : 0u));
  }
}

FOREIGN_KERNEL("cuda/arithmetic", bfloatPairs,
               "bf16 pairs: fma with relu, minima, sums") {
  std::vector<float> a = gridOfUnits(64, 64, 22), b = gridOfUnits(64, 32, 23);
  std::vector<uint16_t> aBits, bBits;
  for (int i = 0; i < 64; ++i) {
    aBits.push_back(bf16Bits(a[i]));
    bBits.push_back(bf16Bits(b[i]));
  }
  auto out = device.empty<uint16_t>(64 * 6);
  device.launch({1}, {32}, device.upload(aBits), device.upload(bBits), out);
  std::vector<uint16_t> got = device.get(out);
  for (int i = 0; i < 32; ++i)
    for (int h = 0; h < 2; ++h) {
      float x = a[2 * i + h], y = b[2 * i + h];
      const float expected[6] = {x + y,
                                 x * y,
                                 std::max(x * y + y, 0.0f),
                                 std::min(x, y),
                                 std::max(std::fabs(x), -y),
                                 x - y};
      for (int k = 0; k < 6; ++k) // exact in fp32: rounded once
        EXPECT_EQ(bf16Value(got[12 * i + 2 * k + h]),
                  bf16Value(bf16Bits(expected[k])))
            << k << " of " << x << " " << y;
    }
}

} // namespace
