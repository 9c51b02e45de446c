//===- ExecFloatPair.cpp - fp32 in pairs, and with narrow operands --------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What sm_100 adds to fp32 arithmetic: two numbers in a 64-bit register, and
// sums in fp32 of fp16 and bf16 operands, which are widened exactly.
//
//===----------------------------------------------------------------------===//

#include "RoundedAlu.h"

namespace goat::ptxsim {

namespace {

float add(float a, float b) { return canonical(a + b); }
float sub(float a, float b) { return canonical(a - b); }
float mul(float a, float b) { return canonical(a * b); }

/// `Fn` on both halves of a 64-bit register.
template <auto Fn> struct Pair;
template <typename... S, float (*Fn)(S...)> struct Pair<Fn> {
  template <typename> using Word = uint64_t;
  static uint64_t apply(Word<S>... word) {
    uint64_t low =
        bitCast<uint32_t>(Fn(bitCast<float>(static_cast<uint32_t>(word))...));
    uint64_t high = bitCast<uint32_t>(
        Fn(bitCast<float>(static_cast<uint32_t>(word >> 32))...));
    return low | high << 32;
  }
};

/// Rows for `op`.f32x2 and `op`.ftz.f32x2: `Nearest` as the host rounds, and
/// `Rounded` in the three directions.
template <auto Nearest, auto Rounded>
void addPair(std::vector<OpcodeRow> &rows, const char *op, const char *mode,
             OpClass c) {
  std::string nearest = std::string(op) + mode;
  rows.push_back(
      alu<&Pair<Nearest>::apply>(keepPattern(nearest + ".f32x2"), c));
  rows.push_back(alu<&Pair<&Ftz<Nearest>::apply>::apply>(
      keepPattern(nearest + ".ftz.f32x2"), c));
  addRounded<&Pair<Rounded>::apply>(rows, op, ".f32x2", c);
  addRounded<&Pair<&Ftz<Rounded>::apply>::apply>(rows, op, ".ftz.f32x2", c);
}

float widen(F16 value) { return halfToFloat(value.bits); }
float widen(BF16 value) { return bf16ToFloat(value.bits); }

/// `Fn` with all operands but the last of a narrow type.
template <auto Fn, typename T> struct Narrow;
template <typename T, float (*Fn)(float, float)> struct Narrow<Fn, T> {
  static float apply(T a, float c) { return Fn(widen(a), c); }
};
template <typename T, float (*Fn)(float, float, float)> struct Narrow<Fn, T> {
  static float apply(T a, T b, float c) { return Fn(widen(a), widen(b), c); }
};

/// Rows for `op`.f32.f16 and the like.
template <auto Nearest, auto Rounded, typename T>
void addNarrow(std::vector<OpcodeRow> &rows, const char *op, const char *mode,
               const std::string &type, OpClass c) {
  constexpr auto nearest = &Narrow<Nearest, T>::apply;
  constexpr auto rounded = &Narrow<Rounded, T>::apply;
  std::string name = std::string(op) + mode;
  rows.push_back(alu<nearest>(keepPattern(name + ".f32" + type), c));
  rows.push_back(
      alu<&Sat<nearest>::apply>(keepPattern(name + ".sat.f32" + type), c));
  addRounded<rounded>(rows, op, ".f32" + type, c);
  addRounded<&Sat<rounded>::apply>(rows, op, ".sat.f32" + type, c);
}
template <auto Nearest, auto Rounded>
void addMixed(std::vector<OpcodeRow> &rows, const char *op, const char *mode,
              OpClass c) {
  addNarrow<Nearest, Rounded, F16>(rows, op, mode, ".f16", c);
  addNarrow<Nearest, Rounded, BF16>(rows, op, mode, ".bf16", c);
}

} // namespace

std::vector<OpcodeRow> floatPairOpcodes() {
  constexpr OpClass fma = OpClass::Fp32Fma, addc = OpClass::Fp32Add,
                    mulc = OpClass::Fp32Mul;
  std::vector<OpcodeRow> rows;
  addPair<&add, &roundedAdd<float>>(rows, "add", "(.rn)?", addc);
  addPair<&sub, &roundedSub<float>>(rows, "sub", "(.rn)?", addc);
  addPair<&mul, &roundedMul<float>>(rows, "mul", "(.rn)?", mulc);
  addPair<&fmaF32, &roundedFma<float>>(rows, "fma", ".rn", fma);
  addMixed<&add, &roundedAdd<float>>(rows, "add", "(.rn)?", addc);
  addMixed<&sub, &roundedSub<float>>(rows, "sub", "(.rn)?", addc);
  addMixed<&fmaF32, &roundedFma<float>>(rows, "fma", ".rn", fma);
  return rows;
}

} // namespace goat::ptxsim
