//===- MathTest.cpp - expanded functions, executed ------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each function against the C library in double precision, at the bounds that
// --goat-expand-math states.
//
//===----------------------------------------------------------------------===//

#include "TileKernel.h"

#include <cmath>
#include <functional>
#include <limits>

using namespace goat::test;

namespace {

/// The function's values at `in` (at most 4096 of them), and at `second` too
/// for one of two arguments; `before` stands before the function.
std::vector<float> evaluate(const std::string &op, std::vector<float> in,
                            std::vector<float> second = {},
                            const std::string &before = "") {
  second.resize(in.size(), 0.0f);
  std::map<std::string, std::string> values = {
      {"N", std::to_string(in.size())},
      {"E", "#goat_tile.linear<threads = 128>"},
      {"BEFORE", before},
      {"OP", op}};
  values["BEFORE"] = fill(before, values);
  TileKernel kernel(128,
                    "%in: !goat_tile.ptr<f32>, %in2: !goat_tile.ptr<f32>, "
                    "%out: !goat_tile.ptr<f32>",
                    fill(R"(
    %i = goat_tile.iota : tensor<$Nxi32, $E>
    %x = goat_tile.load %in[%i] : !goat_tile.ptr<f32>, tensor<$Nxi32, $E> -> tensor<$Nxf32, $E>
    %y = goat_tile.load %in2[%i] : !goat_tile.ptr<f32>, tensor<$Nxi32, $E> -> tensor<$Nxf32, $E>
    $BEFORE
    %z = $OP : tensor<$Nxf32, $E>
    goat_tile.store %z, %out[%i] : tensor<$Nxf32, $E>, !goat_tile.ptr<f32>, tensor<$Nxi32, $E>
  )",
                         values));
  kernel.input(in).input(second).output(4 * in.size());
  return kernel.run<float>();
}

std::vector<float> between(double low, double high, unsigned count = 512) {
  std::vector<float> values;
  for (unsigned i = 0; i < count; ++i)
    values.push_back(float(low + (high - low) * i / (count - 1)));
  return values;
}

using Function = std::function<double(double)>;

void expectRelative(const std::string &op, const Function &f,
                    const std::vector<float> &in, double bound) {
  std::vector<float> out = evaluate("math." + op + " %x", in);
  for (size_t i = 0; i < in.size(); ++i)
    ASSERT_NEAR(out[i], f(in[i]), bound * std::fabs(f(in[i])))
        << op << " of " << in[i];
}

void expectAbsolute(const std::string &op, const Function &f,
                    const std::vector<float> &in, double bound) {
  std::vector<float> out = evaluate("math." + op + " %x", in);
  for (size_t i = 0; i < in.size(); ++i)
    ASSERT_NEAR(out[i], f(in[i]), bound) << op << " of " << in[i];
}

constexpr float infinity = std::numeric_limits<float>::infinity();
const float nan = std::numeric_limits<float>::quiet_NaN();

TEST(ExpandMath, Exp) {
  Function f = [](double x) { return std::exp(x); };
  expectRelative("exp", f, between(-87, 88), std::ldexp(1, -21));
  expectRelative("exp", f, between(-1, 1), std::ldexp(1, -21));
  std::vector<float> out =
      evaluate("math.exp %x", {-infinity, -200, 0, 100, infinity, nan});
  EXPECT_EQ(out[0], 0);
  EXPECT_EQ(out[1], 0);
  EXPECT_EQ(out[2], 1);
  EXPECT_EQ(out[3], infinity);
  EXPECT_EQ(out[4], infinity);
  EXPECT_TRUE(std::isnan(out[5]));
}

TEST(ExpandMath, Exp2) {
  expectRelative(
      "exp2", [](double x) { return std::exp2(x); }, between(-126, 127),
      std::ldexp(1, -22));
  EXPECT_EQ(evaluate("math.exp2 %x", {-infinity})[0], 0);
}

TEST(ExpandMath, Log) {
  Function log = [](double x) { return std::log(x); };
  Function log2 = [](double x) { return std::log2(x); };
  expectAbsolute("log", log, between(0.5, 2), std::ldexp(1, -22));
  expectAbsolute("log2", log2, between(0.5, 2), std::ldexp(1, -22));
  expectRelative("log", log, between(2, 1e6), std::ldexp(1.5, -22));
  expectRelative("log2", log2, between(1e-6, 0.5), std::ldexp(1.5, -22));
  EXPECT_EQ(evaluate("math.log %x", {0})[0], -infinity);
}

TEST(ExpandMath, Log1p) {
  Function f = [](double x) { return std::log1p(x); };
  expectRelative("log1p", f, between(-0.5, 0.5), std::ldexp(1, -21));
  expectRelative("log1p", f, between(0.5, 1000), std::ldexp(1, -21));
  expectRelative("log1p", f, between(1e-8, 1e-5), std::ldexp(1, -21));
  std::vector<float> out = evaluate("math.log1p %x", {-1, infinity});
  EXPECT_EQ(out[0], -infinity);
  EXPECT_EQ(out[1], infinity);
}

TEST(ExpandMath, Tanh) {
  Function f = [](double x) { return std::tanh(x); };
  expectRelative("tanh", f, between(-10, 10), std::ldexp(1, -19));
  expectRelative("tanh", f, between(-0.3, 0.3), std::ldexp(1, -19));
  std::vector<float> out = evaluate("math.tanh %x", {-infinity, 1000, nan});
  EXPECT_EQ(out[0], -1);
  EXPECT_EQ(out[1], 1);
  EXPECT_TRUE(std::isnan(out[2]));
}

TEST(ExpandMath, SinCos) {
  Function sin = [](double x) { return std::sin(x); };
  Function cos = [](double x) { return std::cos(x); };
  for (double reach : {4.0, 1000.0, 262144.0}) {
    expectAbsolute("sin", sin, between(-reach, reach), std::ldexp(1, -19));
    expectAbsolute("cos", cos, between(-reach, reach), std::ldexp(1, -19));
  }
}

TEST(ExpandMath, Expm1) {
  Function f = [](double x) { return std::expm1(x); };
  expectRelative("expm1", f, between(-0.5, 0.5), std::ldexp(1, -20));
  expectRelative("expm1", f, between(-20, -0.5), std::ldexp(1, -20));
  expectRelative("expm1", f, between(0.5, 80), std::ldexp(1, -20));
  EXPECT_EQ(evaluate("math.expm1 %x", {-infinity})[0], -1);
}

TEST(ExpandMath, Hyperbolic) {
  Function sinh = [](double x) { return std::sinh(x); };
  Function cosh = [](double x) { return std::cosh(x); };
  double bound = std::ldexp(1, -19);
  for (double reach : {0.9, 5.0, 88.9}) {
    expectRelative("sinh", sinh, between(-reach, reach), bound);
    expectRelative("cosh", cosh, between(-reach, reach), bound);
  }
  for (double reach : {0.5, 30.0, 1e12})
    expectRelative(
        "asinh", [](double x) { return std::asinh(x); }, between(-reach, reach),
        bound);
  for (double reach : {1.5, 30.0, 1e12})
    expectRelative(
        "acosh", [](double x) { return std::acosh(x); }, between(1, reach),
        bound);
  std::vector<float> in = between(-0.99, 0.99), out;
  out = evaluate("math.atanh %x", in);
  for (size_t i = 0; i < in.size(); ++i)
    ASSERT_NEAR(out[i], std::atanh(double(in[i])),
                (1 + 1 / (1 - std::fabs(in[i]))) * std::ldexp(1, -21))
        << in[i];
  EXPECT_EQ(evaluate("math.atanh %x", {1})[0], infinity);
}

TEST(ExpandMath, Erf) {
  for (double reach : {0.1, 1.0, 1.5, 6.0}) {
    expectAbsolute(
        "erf", [](double x) { return std::erf(x); }, between(-reach, reach),
        std::ldexp(1, -21));
    expectAbsolute(
        "erfc", [](double x) { return std::erfc(x); }, between(-reach, reach),
        std::ldexp(1, -21));
  }
  EXPECT_EQ(evaluate("math.erf %x", {-infinity})[0], -1);
}

TEST(ExpandMath, InverseTrigonometric) {
  double bound = std::ldexp(1, -20);
  for (double reach : {0.1, 2.0, 1e6, 3e38})
    expectAbsolute(
        "atan", [](double x) { return std::atan(x); }, between(-reach, reach),
        bound);
  expectAbsolute(
      "asin", [](double x) { return std::asin(x); }, between(-1, 1), bound);
  expectAbsolute(
      "acos", [](double x) { return std::acos(x); }, between(-1, 1), bound);
  std::vector<float> y = {0, 0, -0.0f, 1, -1, 2, infinity, -3e38f, 1e-40f, 5},
                     x = {1, -1, -1, 0, 0, -2, infinity, 1e38f, 1, -1e38f};
  std::vector<float> out = evaluate("math.atan2 %x, %y", y, x);
  for (size_t i = 0; i < y.size(); ++i)
    EXPECT_NEAR(out[i], std::atan2(double(y[i]), double(x[i])), bound) << i;
  EXPECT_TRUE(std::isnan(evaluate("math.atan2 %x, %y", {nan}, {1})[0]));
}

TEST(ExpandMath, RoundsAndRoots) {
  std::vector<float> in = {0.5f,      -0.5f, 1.5f,     2.5f, 0.49999997f,
                           8388609.f, -2.4f, infinity, -0.0f};
  std::vector<float> out = evaluate("math.round %x", in);
  for (size_t i = 0; i < in.size(); ++i)
    EXPECT_EQ(out[i], std::round(in[i])) << in[i];
  Function cbrt = [](double x) { return std::cbrt(x); };
  expectRelative("cbrt", cbrt, between(-1000, -1e-6), std::ldexp(1, -21));
  expectRelative("cbrt", cbrt, between(1e-30, 1e30), std::ldexp(1, -21));
  out = evaluate("math.cbrt %x", {0, infinity, -infinity});
  EXPECT_EQ(out[0], 0);
  EXPECT_EQ(out[1], infinity);
  EXPECT_EQ(out[2], -infinity);
  expectRelative(
      "log10", [](double x) { return std::log10(x); }, between(2, 1e6),
      std::ldexp(1.5, -22));
  Function tan = [](double x) { return std::tan(x); };
  std::vector<float> angles = between(-1.4, 1.4);
  out = evaluate("math.tan %x", angles);
  for (size_t i = 0; i < angles.size(); ++i)
    ASSERT_NEAR(out[i], tan(angles[i]),
                (1 + tan(angles[i]) * tan(angles[i])) * std::ldexp(1, -18))
        << angles[i];
}

TEST(ExpandMath, Rsqrt) {
  expectRelative(
      "rsqrt", [](double x) { return 1 / std::sqrt(x); }, between(1e-6, 1000),
      std::ldexp(1, -22));
}

TEST(ExpandMath, Pow) {
  for (float exponent : {-2.5f, 0.5f, 3.0f}) {
    std::vector<float> in = between(0.01, 50);
    std::vector<float> out = evaluate("math.powf %x, %y", in,
                                      std::vector<float>(in.size(), exponent));
    for (size_t i = 0; i < in.size(); ++i) {
      double exact = std::pow(double(in[i]), double(exponent));
      double bound = 1 + std::fabs(exponent) +
                     std::fabs(exponent * std::log2(double(in[i])));
      ASSERT_NEAR(out[i], exact, exact * std::ldexp(bound, -21)) << in[i];
    }
  }
  std::vector<float> out =
      evaluate("math.powf %x, %y", {-2, -2, -2, 0, 5, 1, 0, nan},
               {2, 3, 0.5f, 2, 0, infinity, -1, 0});
  EXPECT_FLOAT_EQ(out[0], 4);
  EXPECT_FLOAT_EQ(out[1], -8);
  EXPECT_TRUE(std::isnan(out[2]));
  EXPECT_EQ(out[3], 0);
  EXPECT_EQ(out[4], 1);
  EXPECT_EQ(out[5], 1);
  EXPECT_EQ(out[6], infinity);
  EXPECT_EQ(out[7], 1);
}

/// x to the power 2·y + 1 and 2·y, of integers that f32 does not have.
TEST(ExpandMath, PowOfInteger) {
  const std::vector<float> in = {-1, -1, -2, -2, -0.0f, 4, -1};
  const std::vector<float> half = {8388608, -8388609, 1, -2, -2, 1, 1073741760};
  auto powers = [&](int64_t one) {
    // The sign is turned so that a function of f32 comes last.
    return evaluate("arith.negf %p", in, half,
                    R"(
    %t = arith.fptosi %y : tensor<$Nxf32, $E> to tensor<$Nxi32, $E>
    %one = arith.constant dense<)" +
                        std::to_string(one) + R"(> : tensor<$Nxi32, $E>
    %d = arith.addi %t, %t : tensor<$Nxi32, $E>
    %n = arith.addi %d, %one : tensor<$Nxi32, $E>
    %p = math.fpowi %x, %n : tensor<$Nxf32, $E>, tensor<$Nxi32, $E>)");
  };
  EXPECT_EQ(powers(1), (std::vector<float>{1, 1, 8, 0.125f, infinity, -64, 1}));
  EXPECT_EQ(powers(0),
            (std::vector<float>{-1, -1, -4, -0.0625f, -infinity, -16, -1}));
}

} // namespace
