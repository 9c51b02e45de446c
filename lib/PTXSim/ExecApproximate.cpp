//===- ExecApproximate.cpp - approximate fp32 functions -------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rcp, sqrt, rsqrt, ex2, lg2, sin, cos, tanh and div with `.approx` or `.full`:
// computed in double and rounded once, hence within the error PTX documents. A
// launch may ask for results off by as much as that, which depend on the seed
// and the arguments alone, and for NaN where no error is documented.
//
//===----------------------------------------------------------------------===//

#include "Alu.h"
#include "Launch.h"

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

//===----------------------------------------------------------------------===//
// What the ISA promises
//===----------------------------------------------------------------------===//

/// One function: its value in double, and how far the result may lie from it,
/// in the notes of the instruction; negative where nothing is promised.
struct Promise {
  double (*value)(double a, double b);
  double (*bound)(double a, double b, double value);
};

double ulpOf(double value) {
  int exponent = std::max(std::ilogb(value), -126);
  return std::ldexp(1.0, exponent - 23);
}

constexpr Promise promiseRcp{
    [](double a, double) { return 1.0 / a; },
    [](double, double, double value) { return ulpOf(value); }};
constexpr Promise promiseSqrt{
    [](double a, double) { return std::sqrt(a); },
    [](double, double, double value) { return 0x1p-23 * value; }};
constexpr Promise promiseRsqrt{
    [](double a, double) { return 1.0 / std::sqrt(a); },
    // 2^-22.9
    [](double, double, double value) { return 0x1.125fp-23 * value; }};
constexpr Promise promiseEx2{
    [](double a, double) { return std::exp2(a); },
    [](double, double, double value) { return 2 * ulpOf(value); }};
constexpr Promise promiseLg2{[](double a, double) { return std::log2(a); },
                             [](double a, double, double value) {
                               return a > 0.5 && a < 2
                                          ? 0x1p-22
                                          : 0x1p-22 * std::fabs(value);
                             }};
/// 2^-20.5 up to two pi, 2^-14.7 up to a hundred, beyond that nothing.
double angleBound(double a, double, double) {
  constexpr double pi = 0x1.921fb54442d18p1;
  double size = std::fabs(a);
  return size <= 2 * pi ? 0x1.6a09p-21 : size <= 100 * pi ? 0x1.3b2cp-15 : -1;
}
constexpr Promise promiseSin{[](double a, double) { return std::sin(a); },
                             angleBound};
constexpr Promise promiseCos{[](double a, double) { return std::cos(a); },
                             angleBound};
constexpr Promise promiseTanh{
    [](double a, double) { return std::tanh(a); },
    [](double, double, double value) { return 0x1p-11 * std::fabs(value); }};
constexpr Promise promiseFull{
    [](double a, double b) { return a / b; },
    [](double, double, double value) { return 2 * ulpOf(value); }};
constexpr Promise promiseDiv{[](double a, double b) { return a / b; },
                             [](double, double b, double value) {
                               return std::fabs(b) < 0x1p-126
                                          ? -1
                                          : 2 * ulpOf(value);
                             }};

/// A number in [-1, 1] drawn from all that it depends on.
double draw(uint64_t seed, uint32_t a, uint32_t b) {
  uint64_t x = seed ^ (uint64_t(a) << 32 | b);
  for (int round = 0; round < 2; ++round) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    x ^= x >> 31;
  }
  return static_cast<double>(static_cast<int64_t>(x)) * 0x1p-63;
}

template <typename> constexpr unsigned arity = 1;
template <> constexpr unsigned arity<float (*)(float, float)> = 2;

/// `Fn`, and in launches that ask for it a result within `What` instead.
template <auto Fn, const Promise &What, bool Flushes>
void runApproximate(Warp &warp, const Instr &instr, uint32_t mask) {
  static const Handler exact = widest<&Lift<Fn>::run>();
  const LaunchConfig &config = warp.worker.launch.config;
  if (config.approximation == Approximation::Exact) {
    exact(warp, instr, mask);
    return;
  }
  // The destination may be a source.
  float a[warpSize], b[warpSize] = {};
  std::memcpy(a, warp.lanes<float>(instr.op[1]), sizeof(a));
  if (arity<decltype(Fn)> == 2)
    std::memcpy(b, warp.lanes<float>(instr.op[2]), sizeof(b));
  exact(warp, instr, mask);
  float *results = warp.lanes<float>(instr.op[0]);
  uint32_t unpromised = 0;
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    float x = Flushes ? flush(a[lane]) : a[lane];
    float y = Flushes ? flush(b[lane]) : b[lane];
    // Tables list the results for zeros, infinities and NaN.
    bool isListed = x == 0 || !std::isfinite(x) ||
                    (arity<decltype(Fn)> == 2 && (y == 0 || !std::isfinite(y)));
    float rounded = results[lane];
    if (isListed || rounded == 0 || !std::isfinite(rounded))
      continue;
    double value = What.value(x, y);
    double bound = What.bound(x, y, value);
    if (bound < 0) {
      unpromised |= 1u << lane;
      results[lane] = bitCast<float>(0x7fffffffu);
    } else if (config.approximation == Approximation::Perturbed) {
      double u = draw(config.seed, bitCast<uint32_t>(x), bitCast<uint32_t>(y));
      float moved = static_cast<float>(value + u * bound);
      // Rounding may leave the bound again.
      if (std::fabs(moved - value) <= bound && std::isfinite(moved))
        results[lane] = Flushes ? flush(moved) : moved;
    }
  }
  if (unpromised)
    warp.report(FindingKind::UndefinedResult, instr, unpromised, 0,
                "the argument " + std::to_string(a[__builtin_ctz(unpromised)]) +
                    " is outside of the range in which the ISA promises an "
                    "error");
}

template <auto Fn, const Promise &What>
void addRows(std::vector<OpcodeRow> &rows, const char *plain,
             const char *flushing) {
  constexpr OpClass c = OpClass::Mufu;
  rows.push_back(alu<Fn>(plain, c));
  rows.back().handler = runApproximate<Fn, What, false>;
  if (!flushing)
    return;
  constexpr auto flushed = &Ftz<Fn>::apply;
  rows.push_back(alu<flushed>(flushing, c));
  rows.back().handler = runApproximate<flushed, What, true>;
}

} // namespace

std::vector<OpcodeRow> approximateOpcodes() {
  std::vector<OpcodeRow> rows = {
      alu<&rcpD>("rcp.approx.ftz.f64", OpClass::Fp64),
      alu<&rsqrtD>("rsqrt.approx(.ftz)?.f64", OpClass::Fp64),
  };
  addRows<&rcp, promiseRcp>(rows, "rcp.approx.f32", "rcp.approx.ftz.f32");
  addRows<&squareRoot, promiseSqrt>(rows, "sqrt.approx.f32",
                                    "sqrt.approx.ftz.f32");
  addRows<&rsqrt, promiseRsqrt>(rows, "rsqrt.approx.f32",
                                "rsqrt.approx.ftz.f32");
  addRows<&ex2, promiseEx2>(rows, "ex2.approx.f32", "ex2.approx.ftz.f32");
  addRows<&lg2, promiseLg2>(rows, "lg2.approx.f32", "lg2.approx.ftz.f32");
  addRows<&sine, promiseSin>(rows, "sin.approx.f32", "sin.approx.ftz.f32");
  addRows<&cosine, promiseCos>(rows, "cos.approx.f32", "cos.approx.ftz.f32");
  addRows<&tanH, promiseTanh>(rows, "tanh.approx.f32", nullptr);
  addRows<&divFull, promiseFull>(rows, "div.full.f32", "div.full.ftz.f32");
  addRows<&divApprox, promiseDiv>(rows, "div.approx.f32", "div.approx.ftz.f32");
  return rows;
}

} // namespace goat::ptxsim
