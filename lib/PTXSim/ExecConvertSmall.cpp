//===- ExecConvertSmall.cpp - conversions to and from less than a byte ----===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cvt of pairs of e2m3, e3m2 and e2m1, which have neither infinity nor NaN, and
// of the scales ue8m0; cvt.pack, which packs integers. The first source goes to
// the upper half of the result.
//
//===----------------------------------------------------------------------===//

#include "Alu.h"

#include <algorithm>

namespace goat::ptxsim {

namespace {

/// The narrowest registers have 16 bits; a byte lies in the lower half.
template <unsigned Shift> F16 pack(uint32_t high, uint32_t low) {
  return {static_cast<uint16_t>(high << Shift | low)};
}

template <const FloatFormat &Format, bool Relu> uint32_t narrow(double value) {
  return encode(Relu ? relu(value) : value, Format, Rounding::Nearest, true);
}
template <const FloatFormat &Format, unsigned Shift, bool Relu>
F16 packPair(float a, float b) {
  return pack<Shift>(narrow<Format, Relu>(a), narrow<Format, Relu>(b));
}
template <const FloatFormat &Format, unsigned Shift, bool Relu>
uint32_t unpackPair(F16 pair) {
  auto half = [](uint32_t bits) {
    double value = finiteToDouble(static_cast<uint8_t>(bits), Format);
    return uint32_t(doubleToHalf(Relu ? relu(value) : value));
  };
  uint32_t mask = (1u << Shift) - 1;
  return half(pair.bits >> Shift & mask) << 16 | half(pair.bits & mask);
}

/// A power of two, at least as large as the magnitude with `Up`, at most
/// otherwise; 0xff is NaN and, unless `Finite`, what lies beyond 2^127.
template <bool Up, bool Finite> uint32_t scale(double value) {
  if (value != value)
    return 0xff;
  value = std::fabs(value);
  if (std::isinf(value))
    return Finite ? 0xfe : 0xff;
  if (value <= 0x1p-127)
    return 0;
  int exponent = std::ilogb(value);
  exponent += Up && std::ldexp(1.0, exponent) < value;
  int stored = std::max(exponent, -127) + 127;
  return stored > 0xfe && Finite ? 0xfe : static_cast<uint32_t>(stored);
}
template <bool Up, bool Finite> F16 packScales(float a, float b) {
  return pack<8>(scale<Up, Finite>(a), scale<Up, Finite>(b));
}
template <bool Up, bool Finite> F16 packBf16Scales(uint32_t pair) {
  return packScales<Up, Finite>(bf16ToFloat(static_cast<uint16_t>(pair >> 16)),
                                bf16ToFloat(static_cast<uint16_t>(pair)));
}
uint32_t unpackScales(F16 pair) {
  // The smallest scale, 2^-127, is subnormal in bf16.
  auto half = [](uint32_t bits) {
    return bits == 0xff ? 0x7fffu : bits ? bits << 7 : 0x40u;
  };
  return half(pair.bits >> 8) << 16 | half(pair.bits & 0xff);
}

/// The forms of one format whose elements lie `Shift` bits apart.
template <const FloatFormat &Format, unsigned Shift>
void addFormat(std::vector<OpcodeRow> &rows, const std::string &name) {
  constexpr OpClass c = OpClass::Convert;
  auto to = [&](const char *relu) {
    return keepPattern(std::string("cvt.rn.satfinite") + relu + "." + name +
                       ".f32");
  };
  auto from = [&](const char *relu) {
    return keepPattern(std::string("cvt.rn") + relu + ".f16x2." + name);
  };
  rows.push_back(alu<&packPair<Format, Shift, false>>(to(""), c));
  rows.push_back(alu<&packPair<Format, Shift, true>>(to(".relu"), c));
  rows.push_back(alu<&unpackPair<Format, Shift, false>>(from(""), c));
  rows.push_back(alu<&unpackPair<Format, Shift, true>>(from(".relu"), c));
}

//===----------------------------------------------------------------------===//
// cvt.pack
//===----------------------------------------------------------------------===//

/// a and b saturated to `Bits` bits, b in the low ones, below c.
template <unsigned Bits, bool IsSigned>
uint32_t packIntegers(int32_t a, int32_t b, uint32_t c) {
  constexpr int32_t low = IsSigned ? -(1 << (Bits - 1)) : 0;
  constexpr int32_t high = (1 << (Bits - IsSigned)) - 1;
  constexpr uint32_t mask = (1u << Bits) - 1;
  uint32_t x = static_cast<uint32_t>(std::clamp(a, low, high)) & mask;
  uint32_t y = static_cast<uint32_t>(std::clamp(b, low, high)) & mask;
  uint64_t above = uint64_t(c) << 2 * Bits;
  return static_cast<uint32_t>(above) | x << Bits | y;
}
template <bool IsSigned> uint32_t packHalves(int32_t a, int32_t b) {
  return packIntegers<16, IsSigned>(a, b, 0);
}

} // namespace

std::vector<OpcodeRow> convertSmallOpcodes() {
  constexpr OpClass c = OpClass::Convert;
  std::vector<OpcodeRow> rows = {
      alu<&packScales<false, false>>("cvt.rz.ue8m0x2.f32", c),
      alu<&packScales<false, true>>("cvt.rz.satfinite.ue8m0x2.f32", c),
      alu<&packScales<true, false>>("cvt.rp.ue8m0x2.f32", c),
      alu<&packScales<true, true>>("cvt.rp.satfinite.ue8m0x2.f32", c),
      alu<&packBf16Scales<false, false>>("cvt.rz.ue8m0x2.bf16x2", c),
      alu<&packBf16Scales<false, true>>("cvt.rz.satfinite.ue8m0x2.bf16x2", c),
      alu<&packBf16Scales<true, false>>("cvt.rp.ue8m0x2.bf16x2", c),
      alu<&packBf16Scales<true, true>>("cvt.rp.satfinite.ue8m0x2.bf16x2", c),
      alu<&unpackScales>("cvt.rn.bf16x2.ue8m0x2", c),
      alu<&packHalves<false>>("cvt.pack.sat.u16.s32", c),
      alu<&packHalves<true>>("cvt.pack.sat.s16.s32", c),
      alu<&packIntegers<8, false>>("cvt.pack.sat.u8.s32.b32", c),
      alu<&packIntegers<8, true>>("cvt.pack.sat.s8.s32.b32", c),
      alu<&packIntegers<4, false>>("cvt.pack.sat.u4.s32.b32", c),
      alu<&packIntegers<4, true>>("cvt.pack.sat.s4.s32.b32", c),
      alu<&packIntegers<2, false>>("cvt.pack.sat.u2.s32.b32", c),
      alu<&packIntegers<2, true>>("cvt.pack.sat.s2.s32.b32", c),
  };
  addFormat<formatE2M3, 8>(rows, "e2m3x2");
  addFormat<formatE3M2, 8>(rows, "e3m2x2");
  addFormat<formatE2M1, 4>(rows, "e2m1x2");
  return rows;
}

} // namespace goat::ptxsim
