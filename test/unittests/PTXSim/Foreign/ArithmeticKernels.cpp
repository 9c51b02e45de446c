//===- ArithmeticKernels.cpp - integer and float arithmetic from nvcc -----===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs cuda/arithmetic.cu except for its conversions against the host's own
// arithmetic: 128-bit integers, the rounding modes of its floating-point unit,
// its mathematical library, known answers of published algorithms.
//
//===----------------------------------------------------------------------===//

#include "../../../PTXSim/Inputs/cuda/algorithms.h"
#include "ForeignKernel.h"

#include <algorithm>
#include <cfenv>

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

__extension__ typedef unsigned __int128 UInt128;
__extension__ typedef __int128 Int128;

std::vector<uint64_t> wideWords(size_t count, uint32_t seed) {
  std::vector<uint32_t> words = randomWords(2 * count, seed);
  std::vector<uint64_t> result(count);
  for (size_t i = 0; i < count; ++i) // of every magnitude
    result[i] =
        (uint64_t(words[2 * i]) << 32 | words[2 * i + 1]) >> (i * 7 % 64);
  return result;
}

FOREIGN_KERNEL("cuda/arithmetic", wideIntegers,
               "64- and 128-bit products, quotients, shifts, bit counts") {
  std::vector<uint64_t> a = wideWords(32, 2), b = wideWords(32, 3);
  for (uint64_t &x : b)
    x |= 2; // no division by 0 or by -1
  auto out = device.empty<uint64_t>(32 * 16);
  device.launch({1}, {32}, device.upload(a), device.upload(b), out);
  std::vector<uint64_t> got = device.get(out);
  for (int i = 0; i < 32; ++i) {
    uint64_t x = a[i], y = b[i];
    int64_t sx = static_cast<int64_t>(x), sy = static_cast<int64_t>(y);
    UInt128 product = UInt128(x) * y + x;
    uint64_t reversed = 0;
    for (int k = 0; k < 64; ++k)
      reversed |= (x >> k & 1) << (63 - k);
    uint64_t leading = x ? static_cast<uint64_t>(__builtin_clzll(x)) : 64;
    const uint64_t expected[16] = {
        x * y,
        static_cast<uint64_t>(UInt128(x) * y >> 64),
        static_cast<uint64_t>(Int128(sx) * sy >> 64),
        x / y,
        x % y,
        static_cast<uint64_t>(sx / sy),
        static_cast<uint64_t>(sx % sy),
        x << (y & 63),
        static_cast<uint64_t>(sx >> (y & 63)),
        static_cast<uint64_t>(__builtin_popcountll(x)) + 100 * leading +
            10000 * static_cast<uint64_t>(__builtin_ffsll(sy)),
        reversed,
        static_cast<uint64_t>(product >> 37),
        static_cast<uint64_t>(product / (y >> 20 | 1)),
        static_cast<uint64_t>(std::min(sx, sy)) ^ std::max(x, y),
        static_cast<uint32_t>(x) / (static_cast<uint32_t>(y) | 1) +
            uint64_t(static_cast<uint16_t>(x) % (static_cast<uint16_t>(y) | 1)),
        static_cast<uint64_t>(std::llabs(sx) / 10)};
    for (int k = 0; k < 16; ++k)
      EXPECT_EQ(got[16 * i + k], expected[k])
          << k << " of " << std::hex << x << " " << y;
  }
}

FOREIGN_KERNEL(
    "cuda/arithmetic", bitTricks,
    "funnel shifts, byte permutes, sad, averages, dp4a and dp2a, bit "
    "fields") {
  std::vector<uint32_t> a = randomWords(32, 4), b = randomWords(32, 5);
  auto out = device.empty<uint32_t>(32 * 16);
  device.launch({1}, {32}, device.upload(a), device.upload(b), out);
  std::vector<uint32_t> got = device.get(out);
  for (int i = 0; i < 32; ++i) {
    uint32_t x = a[i], y = b[i], u = static_cast<uint32_t>(i);
    int32_t sx = static_cast<int32_t>(x), sy = static_cast<int32_t>(y);
    uint64_t both = uint64_t(y) << 32 | x;
    auto left = [&](uint32_t by) {
      return static_cast<uint32_t>(both << by >> 32);
    };
    auto right = [&](uint32_t by) { return static_cast<uint32_t>(both >> by); };
    uint32_t permuted = 0, dot4 = u, dot4u = 7, dot2 = 2;
    for (int k = 0; k < 4; ++k) {
      uint32_t selector = (x ^ y) >> 4 * k;
      uint32_t byte = both >> 8 * (selector & 7) & 0xff;
      permuted |= byte << 8 * k;
      dot4 += static_cast<uint32_t>(static_cast<int8_t>(x >> 8 * k) *
                                    static_cast<int8_t>(y >> 8 * k));
      dot4u += (x >> 8 * k & 0xff) * (y >> 8 * k & 0xff);
    }
    for (int k = 0; k < 2; ++k) // the low and the high bytes of y
      dot2 += (x >> 16 * k & 0xffff) *
              ((y >> 8 * k & 0xff) + (y >> (16 + 8 * k) & 0xff));
    uint32_t length = y & 15;
    int64_t field =
        length == 0 ? 0
                    : static_cast<int64_t>(
                          static_cast<uint64_t>(static_cast<int64_t>(sx) >> i)
                          << (64 - length)) >>
                          (64 - length);
    uint32_t mask = static_cast<uint32_t>(uint64_t(0x1ff) << i);
    const uint32_t expected[16] = {
        left(u),
        left(std::min(2 * u, 32u)),
        right((u + 30) & 31),
        right(std::min(u + 30, 32u)),
        permuted,
        static_cast<uint32_t>(std::llabs(int64_t(sx) - sy)) + u,
        std::max(x, y) - std::min(x, y) + u,
        static_cast<uint32_t>((int64_t(sx) + sy) >> 1),
        static_cast<uint32_t>((uint64_t(x) + y + 1) >> 1),
        static_cast<uint32_t>((int64_t(sx << 8 >> 8)) * (sy << 8 >> 8)),
        static_cast<uint32_t>(uint64_t(x) * y >> 32),
        dot4,
        dot4u,
        dot2,
        static_cast<uint32_t>(field),
        (y & ~mask) | (x << u & mask)};
    for (int k = 0; k < 16; ++k)
      EXPECT_EQ(got[16 * i + k], expected[k])
          << k << " of " << std::hex << x << " " << y;
  }
}

FOREIGN_KERNEL("cuda/arithmetic", packedBytes,
               "four bytes or two halfwords at once: sums, saturation, "
               "distances, comparisons") {
  std::vector<uint32_t> a = randomWords(32, 6), b = randomWords(32, 7);
  auto out = device.empty<uint32_t>(32 * 8);
  device.launch({1}, {32}, device.upload(a), device.upload(b), out);
  std::vector<uint32_t> got = device.get(out);
  for (int i = 0; i < 32; ++i) {
    uint32_t expected[8] = {};
    for (int k = 0; k < 4; ++k) {
      uint32_t x = a[i] >> 8 * k & 0xff, y = b[i] >> 8 * k & 0xff;
      auto put = [&](int at, uint32_t byte) {
        expected[at] |= (byte & 0xff) << 8 * k;
      };
      put(0, x + y);
      put(2, x > y ? x - y : y - x);
      put(4, x > y ? 0xff : 0);
      put(5, (x + y + 1) / 2);
      put(6, x > y ? x - y : 0);
    }
    for (int k = 0; k < 2; ++k) {
      int16_t x = static_cast<int16_t>(a[i] >> 16 * k);
      int16_t y = static_cast<int16_t>(b[i] >> 16 * k);
      auto put = [&](int at, int value) {
        expected[at] |= static_cast<uint32_t>(value & 0xffff) << 16 * k;
      };
      put(1, std::min(std::max(x + y, -32768), 32767));
      put(3, std::max(x, y));
      put(7, std::min(static_cast<uint16_t>(x), static_cast<uint16_t>(y)));
    }
    for (int k = 0; k < 8; ++k)
      EXPECT_EQ(got[8 * i + k], expected[k])
          << k << " of " << std::hex << a[i] << " " << b[i];
  }
}

FOREIGN_KERNEL("cuda/arithmetic", multiply256,
               "256-bit products by carry chains") {
  std::vector<uint32_t> a = randomWords(32 * 8, 8), b = randomWords(32 * 8, 9);
  std::fill_n(a.begin(), 8, ~0u); // the most carries there can be
  std::fill_n(b.begin(), 8, ~0u);
  auto out = device.empty<uint32_t>(32 * 16);
  device.launch({1}, {32}, device.upload(a), device.upload(b), out);
  std::vector<uint32_t> expected(32 * 16);
  for (int i = 0; i < 32; ++i)
    for (int j = 0; j < 8; ++j) {
      uint64_t carry = 0;
      for (int k = 0; k < 8; ++k) {
        uint32_t &word = expected[16 * i + j + k];
        carry += uint64_t(a[8 * i + k]) * b[8 * i + j] + word;
        word = static_cast<uint32_t>(carry);
        carry >>= 32;
      }
      expected[16 * i + j + 8] = static_cast<uint32_t>(carry);
    }
  EXPECT_EQ(device.get(out), expected);
}

/// Sum, product, fma, quotient, root and reciprocal by the host's own unit in
/// the rounding mode it is set to; nothing is computed ahead of that.
template <typename T>
[[gnu::noinline]] void operations(const volatile T &x, const volatile T &y,
                                  const volatile T &z, T *result) {
  volatile T sum = x + y, product = x * y, quotient = x / y;
  volatile T magnitude = std::fabs(x);
  volatile T root = std::sqrt(T(magnitude));
  volatile T one = 1;
  volatile T reciprocal = one / x;
  result[0] = sum;
  result[1] = product;
  result[2] = std::fma(T(x), T(y), T(z));
  result[3] = quotient;
  result[4] = root;
  result[5] = reciprocal;
}

template <typename T, typename Bits> void runRounded(Device &device) {
  // Random mantissas and exponents near each other, and awkward values.
  std::vector<T> values[3];
  std::mt19937_64 random(10);
  for (auto &list : values)
    for (int i = 0; i < 64; ++i) {
      T mantissa = static_cast<T>(static_cast<int64_t>(random() >> 1)) /
                   static_cast<T>(int64_t(1) << 62);
      T value = std::ldexp(mantissa, static_cast<int>(random() % 9) - 4);
      list.push_back(random() % 2 ? value : -value);
    }
  const T tiny = std::numeric_limits<T>::denorm_min();
  const T big = std::numeric_limits<T>::max();
  const T infinity = std::numeric_limits<T>::infinity();
  const T awkward[] = {0, T(-0.0), tiny, -tiny,    big,     -big,
                       1, -1,      3,    infinity, T(1) / 3};
  for (size_t i = 0; i < std::size(awkward); ++i) {
    values[0].push_back(awkward[i]);
    values[1].push_back(awkward[(i + 3) % std::size(awkward)]);
    values[2].push_back(awkward[(i + 5) % std::size(awkward)]);
  }
  while (values[0].size() % 32)
    for (auto &list : values)
      list.push_back(T(7));
  unsigned count = static_cast<unsigned>(values[0].size());
  auto out = device.empty<T>(24 * count);
  device.launch({count / 32}, {32}, device.upload(values[0]),
                device.upload(values[1]), device.upload(values[2]), out);
  std::vector<T> got = device.get(out);
  const int modes[4] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  for (unsigned i = 0; i < count; ++i)
    for (int mode = 0; mode < 4; ++mode) {
      T expected[6];
      std::fesetround(modes[mode]);
      operations<T>(values[0][i], values[1][i], values[2][i], expected);
      std::fesetround(FE_TONEAREST);
      for (int k = 0; k < 6; ++k) {
        T result = got[24 * i + 6 * mode + k];
        if (std::isnan(expected[k])) {
          EXPECT_TRUE(std::isnan(result)) << i << " " << k;
          continue;
        }
        Bits gotBits, expectedBits;
        std::memcpy(&gotBits, &result, sizeof(T));
        std::memcpy(&expectedBits, &expected[k], sizeof(T));
        ASSERT_EQ(gotBits, expectedBits)
            << "operation " << k << " in mode " << mode << " of "
            << values[0][i] << ", " << values[1][i] << ", " << values[2][i];
      }
    }
}

FOREIGN_KERNEL("cuda/arithmetic", roundedFloats,
               "fp32 in four rounding modes, with subnormals, infinities, -0") {
  runRounded<float, uint32_t>(device);
}

FOREIGN_KERNEL("cuda/arithmetic", roundedDoubles,
               "fp64 in four rounding modes, with subnormals, infinities, -0") {
  runRounded<double, uint64_t>(device);
}

FOREIGN_KERNEL("cuda/arithmetic", doubleMath,
               "the fp64 library with its slow paths") {
  std::vector<double> in(64);
  for (int i = 0; i < 64; ++i)
    in[i] = (i % 2 ? -1 : 1) * std::exp2(i / 2.0 - 10);
  in[62] = 1e300;
  auto out = device.empty<double>(64 * 8);
  device.launch({2}, {32}, device.upload(in), out);
  std::vector<double> expected;
  for (double x : in)
    for (double y :
         {std::sin(x), std::exp(-std::fabs(x) * 0.25), std::log1p(std::fabs(x)),
          std::cbrt(x), std::atan2(x, 3.0), std::erf(x * 0.125),
          std::pow(std::fabs(x), -1.5), std::hypot(x, 2.0)})
      expected.push_back(y);
  // NVIDIA documents at most 2 units in the last place for these.
  expectClose(device.get(out), expected, 3 * 2.3e-16, 1e-307);
}

FOREIGN_KERNEL("cuda/arithmetic", randomNumbers,
               "Philox 4x32: wide products, 16-byte stores") {
  const unsigned count = 96;
  auto out = device.empty<uint32_t>(4 * count);
  device.launch({3}, {32}, out, 0u, 0u);
  std::vector<uint32_t> got = device.get(out);
  // The published answer for counter 0 and key 0.
  EXPECT_EQ(
      std::vector<uint32_t>(got.begin(), got.begin() + 4),
      (std::vector<uint32_t>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t counter[4] = {i, 0, i * i, 0};
    philox(counter, 0, 0);
    for (int k = 0; k < 4; ++k)
      EXPECT_EQ(got[4 * i + k], counter[k]);
  }
}

FOREIGN_KERNEL("cuda/arithmetic", sha256,
               "rotations, a table in constant memory, known answers") {
  // Thread i hashes the first i letters of the alphabet, cyclically.
  std::vector<uint32_t> messages(32 * 16);
  for (uint32_t i = 0; i < 32; ++i) {
    uint8_t bytes[64] = {};
    for (uint32_t k = 0; k < i; ++k)
      bytes[k] = static_cast<uint8_t>('a' + k % 26);
    bytes[i] = 0x80;
    bytes[62] = static_cast<uint8_t>(i * 8 >> 8);
    bytes[63] = static_cast<uint8_t>(i * 8);
    for (int k = 0; k < 16; ++k)
      messages[16 * i + k] = uint32_t(bytes[4 * k]) << 24 |
                             uint32_t(bytes[4 * k + 1]) << 16 |
                             uint32_t(bytes[4 * k + 2]) << 8 | bytes[4 * k + 3];
  }
  auto out = device.empty<uint32_t>(32 * 8);
  device.launch({1}, {32}, device.upload(messages), out);
  std::vector<uint32_t> got = device.get(out);
  auto hash = [&](int i) {
    return std::vector<uint32_t>(got.begin() + 8 * i, got.begin() + 8 * i + 8);
  };
  EXPECT_EQ(hash(0), (std::vector<uint32_t>{0xe3b0c442, 0x98fc1c14, 0x9afbf4c8,
                                            0x996fb924, 0x27ae41e4, 0x649b934c,
                                            0xa495991b, 0x7852b855}));
  EXPECT_EQ(hash(3), (std::vector<uint32_t>{0xba7816bf, 0x8f01cfea, 0x414140de,
                                            0x5dae2223, 0xb00361a3, 0x96177a9c,
                                            0xb410ff61, 0xf20015ad}));
  EXPECT_EQ(hash(26), (std::vector<uint32_t>{0x71c480df, 0x93d6ae2f, 0x1efad144,
                                             0x7c66c952, 0x5e316218, 0xcf51fc8d,
                                             0x9ed832f2, 0xdaf18b73}));
}

} // namespace
