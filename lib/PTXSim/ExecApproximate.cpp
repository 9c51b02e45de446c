//===- ExecApproximate.cpp - approximate fp32 functions -------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rcp, sqrt, rsqrt, ex2, lg2, sin, cos, tanh and div with `.approx` or `.full`:
// computed in double and rounded once, hence within the error PTX documents.
//
//===----------------------------------------------------------------------===//

#include "Alu.h"

namespace goat::ptxsim {

namespace {

float narrow(double value) { return canonical(static_cast<float>(value)); }

float rcp(float a) { return narrow(1.0 / a); }
float squareRoot(float a) { return narrow(std::sqrt(double(a))); }
float rsqrt(float a) { return narrow(1.0 / std::sqrt(double(a))); }

/// 2^x for a number within fp32, to about 2^-50 of its value, without branches:
/// the whole part goes to the exponent, the Taylor series of e^(f ln 2) takes
/// the rest, |f| <= 1/2.
GOAT_PTXSIM_INLINE double exp2Series(double x) {
  constexpr double ln2 = 0x1.62e42fefa39efp-1;
  constexpr double inverseFactorial[] = {1.0,
                                         1.0,
                                         1.0 / 2,
                                         1.0 / 6,
                                         1.0 / 24,
                                         1.0 / 120,
                                         1.0 / 720,
                                         1.0 / 5040,
                                         1.0 / 40320,
                                         1.0 / 362880,
                                         1.0 / 3628800,
                                         1.0 / 39916800,
                                         1.0 / 479001600,
                                         1.0 / 6227020800};
  constexpr unsigned degree = 13;
  double clamped = x < -200 ? -200 : x > 200 ? 200 : x;
  // Adding this leaves the nearest integer in the low bits.
  constexpr double toInteger = 0x1.8p52;
  double shifted = clamped + toInteger;
  double t = (clamped - (shifted - toInteger)) * ln2;
  double sum = inverseFactorial[degree];
  for (unsigned n = degree; n > 0; --n)
    sum = inverseFactorial[n - 1] + t * sum;
  int64_t bits = bitCast<int64_t>(sum) +
                 static_cast<int64_t>(bitCast<uint64_t>(shifted) << 52);
  return x != x ? x : bitCast<double>(bits);
}
float ex2(float a) { return narrow(exp2Series(a)); }
float lg2(float a) { return narrow(std::log2(double(a))); }
float sine(float a) { return narrow(std::sin(double(a))); }
float cosine(float a) { return narrow(std::cos(double(a))); }
float tanH(float a) { return narrow(std::tanh(double(a))); }
float divFull(float a, float b) { return narrow(double(a) / double(b)); }
float divApprox(float a, float b) {
  // The ISA documents a result of 0 for divisors beyond 2^126.
  float size = std::fabs(b);
  if (size > 0x1p126f && !std::isinf(b) && a == a && b == b)
    return std::isinf(a)
               ? bitCast<float>(0x7fffffffu)
               : std::copysign(
                     0.0f, std::signbit(a) == std::signbit(b) ? 1.0f : -1.0f);
  return divFull(a, b);
}
/// fp64 approximations work on the upper word: 20 mantissa bits in and out.
double upperWord(double a) {
  return bitCast<double>(bitCast<uint64_t>(a) & ~uint64_t(0xffffffff));
}
double rcpD(double a) { return upperWord(1.0 / upperWord(a)); }
double rsqrtD(double a) { return upperWord(1.0 / std::sqrt(upperWord(a))); }

} // namespace

std::vector<OpcodeRow> approximateOpcodes() {
  constexpr OpClass c = OpClass::Mufu;
  return {
      alu<&rcp>("rcp.approx.f32", c),
      alu<&Ftz<&rcp>::apply>("rcp.approx.ftz.f32", c),
      alu<&squareRoot>("sqrt.approx.f32", c),
      alu<&Ftz<&squareRoot>::apply>("sqrt.approx.ftz.f32", c),
      alu<&rsqrt>("rsqrt.approx.f32", c),
      alu<&Ftz<&rsqrt>::apply>("rsqrt.approx.ftz.f32", c),
      alu<&ex2>("ex2.approx.f32", c),
      alu<&Ftz<&ex2>::apply>("ex2.approx.ftz.f32", c),
      alu<&lg2>("lg2.approx.f32", c),
      alu<&Ftz<&lg2>::apply>("lg2.approx.ftz.f32", c),
      alu<&sine>("sin.approx.f32", c),
      alu<&Ftz<&sine>::apply>("sin.approx.ftz.f32", c),
      alu<&cosine>("cos.approx.f32", c),
      alu<&Ftz<&cosine>::apply>("cos.approx.ftz.f32", c),
      alu<&tanH>("tanh.approx.f32", c),
      alu<&divFull>("div.full.f32", c),
      alu<&Ftz<&divFull>::apply>("div.full.ftz.f32", c),
      alu<&divApprox>("div.approx.f32", c),
      alu<&Ftz<&divApprox>::apply>("div.approx.ftz.f32", c),
      alu<&rcpD>("rcp.approx.ftz.f64", OpClass::Fp64),
      alu<&rsqrtD>("rsqrt.approx(.ftz)?.f64", OpClass::Fp64),
  };
}

} // namespace goat::ptxsim
