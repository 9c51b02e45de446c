//===- ExecFloat.cpp - fp32 and fp64 arithmetic ---------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exactly rounded operations. Directed rounding sets the rounding mode of
// the host around a whole warp. Results that are NaN are the canonical NaN.
//
//===----------------------------------------------------------------------===//

#include "RoundedAlu.h"

namespace goat::ptxsim {

namespace {

float add(float a, float b) { return canonical(a + b); }
float sub(float a, float b) { return canonical(a - b); }
float mul(float a, float b) { return canonical(a * b); }
float div(float a, float b) { return canonical(a / b); }
float rcp(float a) { return canonical(1.0f / a); }
float sqrtRn(float a) { return canonical(std::sqrt(a)); }
float neg(float a) {
  return bitCast<float>(bitCast<uint32_t>(a) ^ 0x80000000u);
}
float absolute(float a) {
  return bitCast<float>(bitCast<uint32_t>(a) & 0x7fffffffu);
}
float copysignF(float a, float b) { return std::copysign(b, a); }

double addD(double a, double b) { return a + b; }
double subD(double a, double b) { return a - b; }
double mulD(double a, double b) { return a * b; }
double divD(double a, double b) { return a / b; }
double rcpD(double a) { return 1.0 / a; }
double sqrtD(double a) { return std::sqrt(a); }
double fmaD(double a, double b, double c) { return std::fma(a, b, c); }
double negD(double a) { return -a; }
double absD(double a) { return std::fabs(a); }
double copysignD(double a, double b) { return std::copysign(b, a); }
double minD(double a, double b) {
  if (a == b)
    return std::signbit(a) ? a : b;
  return a != a ? b : b != b ? a : a < b ? a : b;
}
double maxD(double a, double b) {
  if (a == b)
    return std::signbit(a) ? b : a;
  return a != a ? b : b != b ? a : a > b ? a : b;
}

/// The three directions in fp32, plain and with `.ftz`.
template <auto Fn>
void addSingle(std::vector<OpcodeRow> &rows, const std::string &op,
               OpClass opClass) {
  addRounded<Fn>(rows, op, ".f32", opClass);
  addRounded<&Ftz<Fn>::apply>(rows, op, ".ftz.f32", opClass);
}
/// The same, and with `.sat`.
template <auto Fn>
void addSaturating(std::vector<OpcodeRow> &rows, const std::string &op,
                   OpClass opClass) {
  addSingle<Fn>(rows, op, opClass);
  addRounded<&Sat<Fn>::apply>(rows, op, ".sat.f32", opClass);
  addRounded<&Sat<&Ftz<Fn>::apply>::apply>(rows, op, ".ftz.sat.f32", opClass);
}

template <typename T> uint32_t testp(const T *a, uint32_t kind) {
  uint32_t bits = 0;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    bool isTrue = false;
    switch (kind) {
    case 'f':
      isTrue = std::isfinite(a[lane]);
      break;
    case 'i':
      isTrue = std::isinf(a[lane]);
      break;
    case 'n':
      isTrue = a[lane] == a[lane];
      break;
    case 'N':
      isTrue = a[lane] != a[lane];
      break;
    case 'o':
      isTrue = std::isnormal(a[lane]);
      break;
    case 's':
      isTrue = std::fpclassify(a[lane]) == FP_SUBNORMAL;
      break;
    }
    bits |= static_cast<uint32_t>(isTrue) << lane;
  }
  return bits;
}

void runTestp(Warp &warp, const Instr &instr, uint32_t mask) {
  uint32_t bits = instr.imm == 8
                      ? testp(warp.lanes<double>(instr.op[0]), instr.flags)
                      : testp(warp.lanes<float>(instr.op[0]), instr.flags);
  warp.storePredicate(instr.predicateDst[0], bits, mask);
}

bool decodeTestp(Decoder &d) {
  unsigned bytes = bitWidth(d.type()) / 8;
  d.instr.run = runTestp;
  d.instr.imm = bytes;
  d.instr.flags = d.has("finite")       ? 'f'
                  : d.has("infinite")   ? 'i'
                  : d.has("number")     ? 'n'
                  : d.has("notanumber") ? 'N'
                  : d.has("normal")     ? 'o'
                                        : 's';
  return d.expectOperands(2) && d.setPredicateDst(0, d.operand(0)) &&
         d.addSrc(d.operand(1), bytes);
}

} // namespace

std::vector<OpcodeRow> floatOpcodes() {
  constexpr OpClass fma = OpClass::Fp32Fma, addc = OpClass::Fp32Add,
                    mulc = OpClass::Fp32Mul, other = OpClass::Fp32Other,
                    wide = OpClass::Fp64;
  std::vector<OpcodeRow> rows = {
      alu<&add>("add(.rn)?.f32", addc),
      alu<&Ftz<&add>::apply>("add(.rn)?.ftz.f32", addc),
      alu<&Sat<&add>::apply>("add(.rn)?.sat.f32", addc),
      alu<&Sat<&Ftz<&add>::apply>::apply>("add(.rn)?.ftz.sat.f32", addc),
      alu<&sub>("sub(.rn)?.f32", addc),
      alu<&Ftz<&sub>::apply>("sub(.rn)?.ftz.f32", addc),
      alu<&Sat<&sub>::apply>("sub(.rn)?.sat.f32", addc),
      alu<&Sat<&Ftz<&sub>::apply>::apply>("sub(.rn)?.ftz.sat.f32", addc),
      alu<&mul>("mul(.rn)?.f32", mulc),
      alu<&Ftz<&mul>::apply>("mul(.rn)?.ftz.f32", mulc),
      alu<&Sat<&mul>::apply>("mul(.rn)?.sat.f32", mulc),
      alu<&Sat<&Ftz<&mul>::apply>::apply>("mul(.rn)?.ftz.sat.f32", mulc),
      aluFused<&fmaF32, &fmaHost>("(fma|mad).rn.f32", fma),
      aluFused<&Ftz<&fmaF32>::apply, &Ftz<&fmaHost>::apply>(
          "(fma|mad).rn.ftz.f32", fma),
      aluFused<&Sat<&fmaF32>::apply, &Sat<&fmaHost>::apply>(
          "(fma|mad).rn.sat.f32", fma),
      aluFused<&Sat<&Ftz<&fmaF32>::apply>::apply,
               &Sat<&Ftz<&fmaHost>::apply>::apply>("(fma|mad).rn.ftz.sat.f32",
                                                   fma),
      alu<&div>("div.rn.f32", other),
      alu<&Ftz<&div>::apply>("div.rn.ftz.f32", other),
      alu<&rcp>("rcp.rn.f32", other),
      alu<&Ftz<&rcp>::apply>("rcp.rn.ftz.f32", other),
      alu<&sqrtRn>("sqrt.rn.f32", other),
      alu<&Ftz<&sqrtRn>::apply>("sqrt.rn.ftz.f32", other),
      alu<&neg>("neg.f32", other),
      alu<&Ftz<&neg>::apply>("neg.ftz.f32", other),
      alu<&absolute>("abs.f32", other),
      alu<&Ftz<&absolute>::apply>("abs.ftz.f32", other),
      alu<&copysignF>("copysign.f32", other),
      alu<&addD>("add(.rn)?.f64", wide),
      alu<&subD>("sub(.rn)?.f64", wide),
      alu<&mulD>("mul(.rn)?.f64", wide),
      alu<&fmaD>("(fma|mad).rn.f64", wide),
      alu<&divD>("div.rn.f64", wide),
      alu<&rcpD>("rcp.rn.f64", wide),
      alu<&sqrtD>("sqrt.rn.f64", wide),
      alu<&negD>("neg.f64", wide),
      alu<&absD>("abs.f64", wide),
      alu<&copysignD>("copysign.f64", wide),
      alu<&minD>("min.f64", wide),
      alu<&maxD>("max.f64", wide),
      {"testp(.finite|.infinite|.number|.notanumber|.normal|.subnormal)"
       "(.f32|.f64)",
       other, decodeTestp},
  };
  addSaturating<&roundedAdd<float>>(rows, "add", addc);
  addSaturating<&roundedSub<float>>(rows, "sub", addc);
  addSaturating<&roundedMul<float>>(rows, "mul", mulc);
  addSaturating<&roundedFma<float>>(rows, "(fma|mad)", fma);
  addSingle<&roundedDiv<float>>(rows, "div", other);
  addSingle<&roundedRcp<float>>(rows, "rcp", other);
  addSingle<&roundedSqrt<float>>(rows, "sqrt", other);
  addRounded<&roundedAdd<double>>(rows, "add", ".f64", wide);
  addRounded<&roundedSub<double>>(rows, "sub", ".f64", wide);
  addRounded<&roundedMul<double>>(rows, "mul", ".f64", wide);
  addRounded<&roundedFma<double>>(rows, "(fma|mad)", ".f64", wide);
  addRounded<&roundedDiv<double>>(rows, "div", ".f64", wide);
  addRounded<&roundedRcp<double>>(rows, "rcp", ".f64", wide);
  addRounded<&roundedSqrt<double>>(rows, "sqrt", ".f64", wide);
  return rows;
}

} // namespace goat::ptxsim
