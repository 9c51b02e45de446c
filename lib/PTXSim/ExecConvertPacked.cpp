//===- ExecConvertPacked.cpp - conversions of two values at once ----------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cvt to and from f16x2, bf16x2 and the packed 8-bit formats e4m3x2 and e5m2x2.
// The first source goes to the upper half of the result.
//
//===----------------------------------------------------------------------===//

#include "Alu.h"

namespace goat::ptxsim {

namespace {

template <const FloatFormat &Format, Rounding Mode, bool Relu, bool Finite>
uint32_t narrow(double value) {
  return encode(Relu ? relu(value) : value, Format, Mode, Finite);
}

/// Two fp32 to two 16-bit floats.
template <const FloatFormat &Format, Rounding Mode, bool Relu, bool Finite>
uint32_t pack16(float a, float b) {
  return narrow<Format, Mode, Relu, Finite>(a) << 16 |
         narrow<Format, Mode, Relu, Finite>(b);
}
// The two every attention kernel uses, without a detour over double.
uint32_t packBf16(float a, float b) {
  return uint32_t(floatToBf16(a)) << 16 | floatToBf16(b);
}
uint32_t packF16(float a, float b) {
  return uint32_t(floatToHalf(a)) << 16 | floatToHalf(b);
}

/// Two fp32 to two bytes.
template <const FloatFormat &Format, bool Relu> F16 pack8(float a, float b) {
  return {static_cast<uint16_t>(
      narrow<Format, Rounding::Nearest, Relu, true>(a) << 8 |
      narrow<Format, Rounding::Nearest, Relu, true>(b))};
}
template <const FloatFormat &Format, bool Relu>
F16 pack8FromHalves(uint32_t halves) {
  return pack8<Format, Relu>(halfToFloat(static_cast<uint16_t>(halves >> 16)),
                             halfToFloat(static_cast<uint16_t>(halves)));
}
/// Two bytes to two fp16, which hold every value of both formats.
template <double (*Decode)(uint8_t), bool Relu> uint32_t unpack8(F16 bytes) {
  uint32_t high = narrow<formatF16, Rounding::Nearest, Relu, false>(
      Decode(static_cast<uint8_t>(bytes.bits >> 8)));
  uint32_t low = narrow<formatF16, Rounding::Nearest, Relu, false>(
      Decode(static_cast<uint8_t>(bytes.bits)));
  return high << 16 | low;
}

/// The forms of one rounding mode and one format: plain, `.relu`, `.satfinite`
/// and both.
template <const FloatFormat &Format, Rounding Mode>
void addPack16(std::vector<OpcodeRow> &rows, const char *relu,
               const char *finite, const char *both) {
  constexpr OpClass c = OpClass::Convert;
  rows.push_back(alu<&pack16<Format, Mode, true, false>>(relu, c));
  rows.push_back(alu<&pack16<Format, Mode, false, true>>(finite, c));
  rows.push_back(alu<&pack16<Format, Mode, true, true>>(both, c));
}

} // namespace

std::vector<OpcodeRow> convertPackedOpcodes() {
  constexpr OpClass c = OpClass::Convert;
  constexpr Rounding nearest = Rounding::Nearest, zero = Rounding::Zero;
  std::vector<OpcodeRow> rows = {
      alu<&packBf16>("cvt.rn.bf16x2.f32", c),
      alu<&packF16>("cvt.rn.f16x2.f32", c),
      alu<&pack16<formatBF16, zero, false, false>>("cvt.rz.bf16x2.f32", c),
      alu<&pack16<formatF16, zero, false, false>>("cvt.rz.f16x2.f32", c),
      alu<&pack8<formatE4M3, false>>("cvt.rn.satfinite.e4m3x2.f32", c),
      alu<&pack8<formatE4M3, true>>("cvt.rn.satfinite.relu.e4m3x2.f32", c),
      alu<&pack8<formatE5M2, false>>("cvt.rn.satfinite.e5m2x2.f32", c),
      alu<&pack8<formatE5M2, true>>("cvt.rn.satfinite.relu.e5m2x2.f32", c),
      alu<&pack8FromHalves<formatE4M3, false>>("cvt.rn.satfinite.e4m3x2.f16x2",
                                               c),
      alu<&pack8FromHalves<formatE4M3, true>>(
          "cvt.rn.satfinite.relu.e4m3x2.f16x2", c),
      alu<&pack8FromHalves<formatE5M2, false>>("cvt.rn.satfinite.e5m2x2.f16x2",
                                               c),
      alu<&pack8FromHalves<formatE5M2, true>>(
          "cvt.rn.satfinite.relu.e5m2x2.f16x2", c),
      alu<&unpack8<e4m3ToDouble, false>>("cvt.rn.f16x2.e4m3x2", c),
      alu<&unpack8<e4m3ToDouble, true>>("cvt.rn.relu.f16x2.e4m3x2", c),
      alu<&unpack8<e5m2ToDouble, false>>("cvt.rn.f16x2.e5m2x2", c),
      alu<&unpack8<e5m2ToDouble, true>>("cvt.rn.relu.f16x2.e5m2x2", c),
  };
  addPack16<formatBF16, nearest>(
      rows, "cvt.rn.relu.bf16x2.f32", "cvt.rn.satfinite.bf16x2.f32",
      "cvt.rn(.relu.satfinite|.satfinite.relu).bf16x2.f32");
  addPack16<formatBF16, zero>(
      rows, "cvt.rz.relu.bf16x2.f32", "cvt.rz.satfinite.bf16x2.f32",
      "cvt.rz(.relu.satfinite|.satfinite.relu).bf16x2.f32");
  addPack16<formatF16, nearest>(
      rows, "cvt.rn.relu.f16x2.f32", "cvt.rn.satfinite.f16x2.f32",
      "cvt.rn(.relu.satfinite|.satfinite.relu).f16x2.f32");
  addPack16<formatF16, zero>(
      rows, "cvt.rz.relu.f16x2.f32", "cvt.rz.satfinite.f16x2.f32",
      "cvt.rz(.relu.satfinite|.satfinite.relu).f16x2.f32");
  return rows;
}

} // namespace goat::ptxsim
