//===- Numerics.cpp - rounding to narrow formats --------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One routine rounds a double to any of the formats in any mode.
//
//===----------------------------------------------------------------------===//

#include "Numerics.h"

#include <algorithm>

namespace goat::ptxsim {

uint32_t encode(double value, const FloatFormat &format, Rounding rounding,
                bool isFinite) {
  // Tf32 keeps the 32-bit layout of fp32 and leaves the low bits zero.
  unsigned exponentBits = format.exponentBits;
  bool isTf32 = format.mantissaBits == 10 && exponentBits == 8;
  unsigned shiftOut = isTf32 ? 13 : 0;
  unsigned width = 1 + exponentBits + format.mantissaBits;
  uint64_t bits = bitCast<uint64_t>(value);
  uint32_t sign = static_cast<uint32_t>(bits >> 63);
  uint32_t signBit = sign << (width - 1);
  // The first pattern past the finite numbers.
  uint32_t infinity =
      format.hasInfinity
          ? ((1u << exponentBits) - 1) << format.mantissaBits
          : (1u << (exponentBits + format.mantissaBits)) - format.hasNaN;
  isFinite |= !format.hasInfinity;
  // All ones: the canonical NaN, or the largest number where there is none.
  if (value != value)
    return isTf32 ? 0x7fffffffu : (1u << (width - 1)) - 1;
  if (std::isinf(value))
    return (signBit | (infinity - isFinite)) << shiftOut;
  int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  uint64_t mantissa = bits & ((uint64_t(1) << 52) - 1);
  if (exponent == -1023)
    exponent = -1022;
  else
    mantissa |= uint64_t(1) << 52;
  if (!mantissa)
    return signBit << shiftOut;
  int drop = 52 - static_cast<int>(format.mantissaBits);
  if (exponent < format.minExponent)
    drop += format.minExponent - exponent;
  uint64_t kept = 0, rest = mantissa, half = 0;
  bool isTiny = drop > 54;
  if (!isTiny) {
    kept = mantissa >> drop;
    rest = mantissa & ((uint64_t(1) << drop) - 1);
    half = uint64_t(1) << (drop - 1);
  }
  bool up = false;
  switch (rounding) {
  case Rounding::Nearest:
    up = !isTiny && (rest > half || (rest == half && (kept & 1)));
    break;
  case Rounding::NearestAway:
    up = !isTiny && rest >= half;
    break;
  case Rounding::Zero:
    break;
  case Rounding::Down:
    up = rest && sign;
    break;
  case Rounding::Up:
    up = rest && !sign;
    break;
  }
  kept += up;
  int stored = exponent < format.minExponent ? format.minExponent : exponent;
  uint64_t implicit = uint64_t(1) << format.mantissaBits;
  uint64_t result = kept;
  if (kept >= implicit)
    result = (static_cast<uint64_t>(stored - format.minExponent + 1)
              << format.mantissaBits) +
             (kept - implicit);
  if (result >= infinity) {
    bool toInfinity = rounding == Rounding::Nearest ||
                      rounding == Rounding::NearestAway ||
                      (rounding == Rounding::Up && !sign) ||
                      (rounding == Rounding::Down && sign);
    result = toInfinity && !isFinite ? infinity : infinity - 1;
  }
  return (signBit | static_cast<uint32_t>(result)) << shiftOut;
}

double e4m3ToDouble(uint8_t bits) {
  int exponent = bits >> 3 & 0xf;
  int mantissa = bits & 7;
  double size = (bits & 0x7f) == 0x7f ? std::nan("")
                : exponent            ? std::ldexp(8 + mantissa, exponent - 10)
                                      : std::ldexp(mantissa, -9);
  return bits & 0x80 ? -size : size;
}

double finiteToDouble(uint8_t bits, const FloatFormat &format) {
  unsigned mantissaBits = format.mantissaBits;
  int exponent = bits >> mantissaBits & ((1 << format.exponentBits) - 1);
  int mantissa = bits & ((1 << mantissaBits) - 1);
  if (exponent)
    mantissa |= 1 << mantissaBits;
  double size =
      std::ldexp(mantissa, format.minExponent + std::max(exponent - 1, 0) -
                               static_cast<int>(mantissaBits));
  return bits >> (mantissaBits + format.exponentBits) & 1 ? -size : size;
}

double e5m2ToDouble(uint8_t bits) {
  // The upper half of an fp16.
  return halfToFloat(static_cast<uint16_t>(bits << 8));
}

} // namespace goat::ptxsim
