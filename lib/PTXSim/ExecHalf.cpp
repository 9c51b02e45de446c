//===- ExecHalf.cpp - fp16 and bf16 arithmetic ----------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar and packed arithmetic in the two 16-bit formats. Operands are widened
// exactly, sums are kept in double and rounded to odd, so that the result is
// rounded once.
//
//===----------------------------------------------------------------------===//

#include "Alu.h"

namespace goat::ptxsim {

namespace {

double widen(F16 value) { return halfToFloat(value.bits); }
double widen(BF16 value) { return bf16ToFloat(value.bits); }
template <typename T> T shrink(double value);
template <> F16 shrink<F16>(double value) { return {doubleToHalf(value)}; }
template <> BF16 shrink<BF16>(double value) {
  return {static_cast<uint16_t>(encode(value, formatBF16, Rounding::Nearest))};
}
template <typename T> constexpr uint16_t infinityBits = 0x7c00;
template <> constexpr uint16_t infinityBits<BF16> = 0x7f80;
template <typename T> bool isNaN(T a) {
  return (a.bits & 0x7fff) > infinityBits<T>;
}
template <typename T> bool isZero(T a) { return (a.bits & 0x7fff) == 0; }

template <typename T> T add(T a, T b) {
  return shrink<T>(addToOdd(widen(a), widen(b)));
}
template <typename T> T sub(T a, T b) {
  return shrink<T>(addToOdd(widen(a), -widen(b)));
}
template <typename T> T mul(T a, T b) { return shrink<T>(widen(a) * widen(b)); }
template <typename T> T fma(T a, T b, T c) {
  return shrink<T>(addToOdd(widen(a) * widen(b), widen(c)));
}
template <typename T> T relu(T a) {
  // NaN becomes the canonical NaN, negative numbers +0.
  if (isNaN(a))
    return {0x7fff};
  return a.bits & 0x8000 ? T{0} : a;
}
template <typename T> T fmaRelu(T a, T b, T c) { return relu(fma(a, b, c)); }
template <typename T> T sat(T a) {
  double value = widen(a);
  return value >= 1.0 ? shrink<T>(1.0) : value > 0.0 ? a : T{0};
}
template <typename T> T addSat(T a, T b) { return sat(add(a, b)); }
template <typename T> T subSat(T a, T b) { return sat(sub(a, b)); }
template <typename T> T mulSat(T a, T b) { return sat(mul(a, b)); }
template <typename T> T fmaSat(T a, T b, T c) { return sat(fma(a, b, c)); }
template <typename T> T neg(T a) {
  return {static_cast<uint16_t>(a.bits ^ 0x8000)};
}
template <typename T> T absolute(T a) {
  return {static_cast<uint16_t>(a.bits & 0x7fff)};
}
template <typename T> T minimum(T a, T b) {
  if (isNaN(a))
    return isNaN(b) ? T{0x7fff} : b;
  if (isNaN(b))
    return a;
  if (isZero(a) && isZero(b))
    return {static_cast<uint16_t>(a.bits | b.bits)};
  return widen(a) < widen(b) ? a : b;
}
template <typename T> T maximum(T a, T b) {
  if (isNaN(a))
    return isNaN(b) ? T{0x7fff} : b;
  if (isNaN(b))
    return a;
  if (isZero(a) && isZero(b))
    return {static_cast<uint16_t>(a.bits & b.bits)};
  return widen(a) > widen(b) ? a : b;
}
template <typename T> T minimumNaN(T a, T b) {
  return isNaN(a) || isNaN(b) ? T{0x7fff} : minimum(a, b);
}
template <typename T> T maximumNaN(T a, T b) {
  return isNaN(a) || isNaN(b) ? T{0x7fff} : maximum(a, b);
}
/// Of the magnitudes; negative where one of the operands is.
template <auto Fn> struct Xorsign;
template <typename T, T (*Fn)(T, T)> struct Xorsign<Fn> {
  static T apply(T a, T b) {
    T r = Fn(absolute(a), absolute(b));
    uint16_t sign = (a.bits ^ b.bits) & 0x8000;
    return isNaN(r) ? r : T{static_cast<uint16_t>(r.bits | sign)};
  }
};
/// 0 where an operand is the NaN that copies fill with outside of a tensor.
template <auto Fn> struct OutsideIsZero;
template <typename T, T (*Fn)(T, T, T)> struct OutsideIsZero<Fn> {
  static T apply(T a, T b, T c) {
    bool isOutside = a.bits == 0x7fff || b.bits == 0x7fff;
    return isOutside ? T{0} : Fn(a, b, c);
  }
};
template <typename T> T ex2(T a) { return shrink<T>(std::exp2(widen(a))); }
template <typename T> T tanH(T a) { return shrink<T>(std::tanh(widen(a))); }
template <typename T> T flushOperand(T a) {
  return (a.bits & infinityBits<T>) ? a
                                    : T{static_cast<uint16_t>(a.bits & 0x8000)};
}

/// `Fn` with subnormals flushed.
template <auto Fn> struct FtzHalf;
template <typename T, typename... S, T (*Fn)(S...)> struct FtzHalf<Fn> {
  static T apply(S... source) {
    return flushOperand(Fn(flushOperand(source)...));
  }
};

/// `Fn` on both halves of a 32-bit register.
template <auto Fn> struct Packed;
template <typename T> T half(uint32_t word, unsigned index) {
  return {static_cast<uint16_t>(word >> 16 * index)};
}
template <typename T, typename... S, T (*Fn)(S...)> struct Packed<Fn> {
  template <typename> using Word = uint32_t;
  static uint32_t apply(Word<S>... word) {
    uint32_t low = Fn(half<T>(word, 0)...).bits;
    uint32_t high = Fn(half<T>(word, 1)...).bits;
    return low | high << 16;
  }
};

constexpr OpClass c = OpClass::Half;

/// Rows for the scalar form, the packed form, and both with `.ftz`, which only
/// fp16 has.
template <auto Fn>
void addRows(std::vector<OpcodeRow> &rows, const char *scalar,
             const char *packed, OpClass opClass = c) {
  rows.push_back(alu<Fn>(scalar, opClass));
  rows.push_back(alu<&Packed<Fn>::apply>(packed, opClass));
}
template <auto Fn>
void addFtzRows(std::vector<OpcodeRow> &rows, const char *scalar,
                const char *packed) {
  addRows<&FtzHalf<Fn>::apply>(rows, scalar, packed);
}

/// Rows for `op`[.ftz][.NaN].xorsign.abs of `type` and of pairs of it.
template <auto Fn, auto NaNFn>
void addXorsign(std::vector<OpcodeRow> &rows, const std::string &op,
                const std::string &type) {
  constexpr auto plain = &Xorsign<Fn>::apply, nan = &Xorsign<NaNFn>::apply;
  auto name = [&](const char *modifiers, const char *suffix) {
    return keepPattern(op + modifiers + ".xorsign.abs." + type + suffix);
  };
  addRows<plain>(rows, name("", ""), name("", "x2"));
  addRows<nan>(rows, name(".NaN", ""), name(".NaN", "x2"));
  if (type == "bf16")
    return;
  addFtzRows<plain>(rows, name(".ftz", ""), name(".ftz", "x2"));
  addFtzRows<nan>(rows, name(".ftz.NaN", ""), name(".ftz.NaN", "x2"));
}

} // namespace

std::vector<OpcodeRow> halfOpcodes() {
  std::vector<OpcodeRow> rows;
  addRows<&add<F16>>(rows, "add(.rn)?.f16", "add(.rn)?.f16x2");
  addRows<&sub<F16>>(rows, "sub(.rn)?.f16", "sub(.rn)?.f16x2");
  addRows<&mul<F16>>(rows, "mul(.rn)?.f16", "mul(.rn)?.f16x2");
  addRows<&fma<F16>>(rows, "fma.rn.f16", "fma.rn.f16x2");
  addFtzRows<&add<F16>>(rows, "add(.rn)?.ftz.f16", "add(.rn)?.ftz.f16x2");
  addFtzRows<&sub<F16>>(rows, "sub(.rn)?.ftz.f16", "sub(.rn)?.ftz.f16x2");
  addFtzRows<&mul<F16>>(rows, "mul(.rn)?.ftz.f16", "mul(.rn)?.ftz.f16x2");
  addFtzRows<&fma<F16>>(rows, "fma.rn.ftz.f16", "fma.rn.ftz.f16x2");
  addRows<&addSat<F16>>(rows, "add(.rn)?.sat.f16", "add(.rn)?.sat.f16x2");
  addRows<&subSat<F16>>(rows, "sub(.rn)?.sat.f16", "sub(.rn)?.sat.f16x2");
  addRows<&mulSat<F16>>(rows, "mul(.rn)?.sat.f16", "mul(.rn)?.sat.f16x2");
  addRows<&fmaSat<F16>>(rows, "fma.rn.sat.f16", "fma.rn.sat.f16x2");
  addFtzRows<&addSat<F16>>(rows, "add(.rn)?.ftz.sat.f16",
                           "add(.rn)?.ftz.sat.f16x2");
  addFtzRows<&subSat<F16>>(rows, "sub(.rn)?.ftz.sat.f16",
                           "sub(.rn)?.ftz.sat.f16x2");
  addFtzRows<&mulSat<F16>>(rows, "mul(.rn)?.ftz.sat.f16",
                           "mul(.rn)?.ftz.sat.f16x2");
  addFtzRows<&fmaSat<F16>>(rows, "fma.rn.ftz.sat.f16", "fma.rn.ftz.sat.f16x2");
  addRows<&fmaRelu<F16>>(rows, "fma.rn.relu.f16", "fma.rn.relu.f16x2");
  addFtzRows<&fmaRelu<F16>>(rows, "fma.rn.ftz.relu.f16",
                            "fma.rn.ftz.relu.f16x2");
  addRows<&OutsideIsZero<&fma<F16>>::apply>(rows, "fma.rn.oob.f16",
                                            "fma.rn.oob.f16x2");
  addRows<&OutsideIsZero<&fmaRelu<F16>>::apply>(rows, "fma.rn.oob.relu.f16",
                                                "fma.rn.oob.relu.f16x2");
  addRows<&neg<F16>>(rows, "neg.f16", "neg.f16x2");
  addRows<&absolute<F16>>(rows, "abs.f16", "abs.f16x2");
  addFtzRows<&neg<F16>>(rows, "neg.ftz.f16", "neg.ftz.f16x2");
  addFtzRows<&absolute<F16>>(rows, "abs.ftz.f16", "abs.ftz.f16x2");
  addRows<&minimum<F16>>(rows, "min.f16", "min.f16x2");
  addRows<&maximum<F16>>(rows, "max.f16", "max.f16x2");
  addFtzRows<&minimum<F16>>(rows, "min.ftz.f16", "min.ftz.f16x2");
  addFtzRows<&maximum<F16>>(rows, "max.ftz.f16", "max.ftz.f16x2");
  addRows<&minimumNaN<F16>>(rows, "min.NaN.f16", "min.NaN.f16x2");
  addRows<&maximumNaN<F16>>(rows, "max.NaN.f16", "max.NaN.f16x2");
  addFtzRows<&minimumNaN<F16>>(rows, "min.ftz.NaN.f16", "min.ftz.NaN.f16x2");
  addFtzRows<&maximumNaN<F16>>(rows, "max.ftz.NaN.f16", "max.ftz.NaN.f16x2");
  addXorsign<&minimum<F16>, &minimumNaN<F16>>(rows, "min", "f16");
  addXorsign<&maximum<F16>, &maximumNaN<F16>>(rows, "max", "f16");
  addXorsign<&minimum<BF16>, &minimumNaN<BF16>>(rows, "min", "bf16");
  addXorsign<&maximum<BF16>, &maximumNaN<BF16>>(rows, "max", "bf16");
  addRows<&ex2<F16>>(rows, "ex2.approx.f16", "ex2.approx.f16x2", OpClass::Mufu);
  addRows<&tanH<F16>>(rows, "tanh.approx.f16", "tanh.approx.f16x2",
                      OpClass::Mufu);
  addRows<&add<BF16>>(rows, "add(.rn)?.bf16", "add(.rn)?.bf16x2");
  addRows<&sub<BF16>>(rows, "sub(.rn)?.bf16", "sub(.rn)?.bf16x2");
  addRows<&mul<BF16>>(rows, "mul(.rn)?.bf16", "mul(.rn)?.bf16x2");
  addRows<&fma<BF16>>(rows, "fma.rn.bf16", "fma.rn.bf16x2");
  addRows<&fmaRelu<BF16>>(rows, "fma.rn.relu.bf16", "fma.rn.relu.bf16x2");
  addRows<&OutsideIsZero<&fma<BF16>>::apply>(rows, "fma.rn.oob.bf16",
                                             "fma.rn.oob.bf16x2");
  addRows<&OutsideIsZero<&fmaRelu<BF16>>::apply>(rows, "fma.rn.oob.relu.bf16",
                                                 "fma.rn.oob.relu.bf16x2");
  addRows<&neg<BF16>>(rows, "neg.bf16", "neg.bf16x2");
  addRows<&absolute<BF16>>(rows, "abs.bf16", "abs.bf16x2");
  addRows<&minimum<BF16>>(rows, "min.bf16", "min.bf16x2");
  addRows<&maximum<BF16>>(rows, "max.bf16", "max.bf16x2");
  addRows<&minimumNaN<BF16>>(rows, "min.NaN.bf16", "min.NaN.bf16x2");
  addRows<&maximumNaN<BF16>>(rows, "max.NaN.bf16", "max.NaN.bf16x2");
  addRows<&ex2<BF16>>(rows, "ex2.approx.ftz.bf16", "ex2.approx.ftz.bf16x2",
                      OpClass::Mufu);
  addRows<&tanH<BF16>>(rows, "tanh.approx.bf16", "tanh.approx.bf16x2",
                       OpClass::Mufu);
  return rows;
}

} // namespace goat::ptxsim
