//===- Numerics.h - floating-point formats and rounding -------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between the narrow formats of the GPU and host types, with every
// rounding mode, and sums in double that round once when narrowed.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_PTXSIM_NUMERICS_H
#define GOAT_LIB_PTXSIM_NUMERICS_H

#include <cmath>
#include <cstdint>
#include <cstring>

namespace goat::ptxsim {

enum class Rounding : uint8_t { Nearest, Zero, Down, Up, NearestAway };

/// A binary format with an implicit leading bit and subnormals.
struct FloatFormat {
  unsigned mantissaBits;
  unsigned exponentBits;
  int minExponent;
  /// False for e4m3, whose only special value is the NaN with all bits set.
  bool hasInfinity = true;
  /// False for the formats of 4 and 6 bits, all of whose values are finite.
  bool hasNaN = true;
};
inline constexpr FloatFormat formatF16{10, 5, -14};
inline constexpr FloatFormat formatBF16{7, 8, -126};
inline constexpr FloatFormat formatTF32{10, 8, -126};
inline constexpr FloatFormat formatF32{23, 8, -126};
inline constexpr FloatFormat formatE4M3{3, 4, -6, false};
inline constexpr FloatFormat formatE5M2{2, 5, -14};
inline constexpr FloatFormat formatE2M3{3, 2, 0, false, false};
inline constexpr FloatFormat formatE3M2{2, 3, -2, false, false};
inline constexpr FloatFormat formatE2M1{1, 2, 0, false, false};

template <typename To, typename From> To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

/// The bits of `value` rounded to `format`. NaN gives the canonical NaN, all
/// mantissa bits set; overflow gives infinity or, towards zero, the largest
/// finite number. With `isFinite`, and for formats without infinity, overflow
/// and infinity give the largest finite number, and so does NaN, without a
/// sign, for formats that do not have it.
uint32_t encode(double value, const FloatFormat &format, Rounding rounding,
                bool isFinite = false);

/// The values of the 8-bit formats, all exact.
double e4m3ToDouble(uint8_t bits);
double e5m2ToDouble(uint8_t bits);
/// The value of `bits` in a format without infinity and NaN.
double finiteToDouble(uint8_t bits, const FloatFormat &format);

/// `.relu`: negative numbers and -0 give +0, NaN stays.
inline double relu(double value) {
  return value > 0.0 || value != value ? value : 0.0;
}

/// a + b in double, rounded to odd: narrowing the result to a format of at most
/// 51 bits rounds the exact sum once.
inline double addToOdd(double a, double b) {
  double sum = a + b;
  double other = sum - a;
  double error = (a - (sum - other)) + (b - other);
  int64_t bits = bitCast<int64_t>(sum);
  // The error says whether the exact sum lies above or below `sum`; of the two
  // neighbours take the odd one. An error of NaN means an infinite sum.
  int64_t isInexact = (error > 0) | (error < 0);
  int64_t away = (error > 0) == (sum > 0) ? 1 : -1;
  bits += isInexact & ~bits & 1 ? away : 0;
  return bitCast<double>(bits);
}

inline float canonical(float value) {
  return value != value ? bitCast<float>(0x7fffffffu) : value;
}

/// a·b + c rounded once to fp32: the product of two fp32 is exact in double.
inline float fmaF32(float a, float b, float c) {
  double product = static_cast<double>(a) * static_cast<double>(b);
  return canonical(static_cast<float>(addToOdd(product, c)));
}

/// The same where the host has the instruction; slow where it has not.
inline float fmaHost(float a, float b, float c) {
  return canonical(__builtin_fmaf(a, b, c));
}

inline float flush(float value) {
  uint32_t bits = bitCast<uint32_t>(value);
  return (bits & 0x7f800000u) ? value : bitCast<float>(bits & 0x80000000u);
}

inline float saturate(float value) {
  // NaN becomes +0.
  return value >= 1.0f ? 1.0f : value > 0.0f ? value : 0.0f;
}

inline float bf16ToFloat(uint16_t bits) {
  return bitCast<float>(static_cast<uint32_t>(bits) << 16);
}

/// Round to nearest even; NaN becomes 0x7fff.
inline uint16_t floatToBf16(float value) {
  uint32_t bits = bitCast<uint32_t>(value);
  uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
  return static_cast<uint16_t>(value != value ? 0x7fffu : rounded);
}

inline float halfToFloat(uint16_t half) {
  // Shift exponent and mantissa into place and let a multiplication rescale:
  // subnormals come out normalised.
  uint32_t magnitude = static_cast<uint32_t>(half & 0x7fffu) << 13;
  float scaled = bitCast<float>(magnitude) * bitCast<float>(0x77800000u);
  uint32_t bits = bitCast<uint32_t>(scaled);
  bits = (half & 0x7c00u) == 0x7c00u ? magnitude | 0x7f800000u : bits;
  return bitCast<float>(bits | static_cast<uint32_t>(half & 0x8000u) << 16);
}

inline uint16_t doubleToHalf(double value) {
  return static_cast<uint16_t>(encode(value, formatF16, Rounding::Nearest));
}

/// Round to nearest even.
inline uint16_t floatToHalf(float value) {
  uint32_t bits = bitCast<uint32_t>(value);
  uint32_t sign = bits >> 16 & 0x8000u;
  uint32_t magnitude = bits & 0x7fffffffu;
  // Normal results round in the integer domain; results below 2^-14 round by
  // adding a number whose unit in the last place is 2^-24.
  uint32_t normal = (magnitude + 0xc8000fffu + (magnitude >> 13 & 1)) >> 13;
  float shifted = bitCast<float>(magnitude) + 0.5f;
  uint32_t subnormal = bitCast<uint32_t>(shifted) - 0x3f000000u;
  uint32_t result = magnitude < 0x38800000u ? subnormal : normal;
  result = magnitude >= 0x477ff000u ? 0x7c00u : result;
  return static_cast<uint16_t>(magnitude > 0x7f800000u ? 0x7fffu
                                                       : sign | result);
}

} // namespace goat::ptxsim

#endif // GOAT_LIB_PTXSIM_NUMERICS_H
