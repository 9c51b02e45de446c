//===- ApproximateTest.cpp - approximate functions ------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results stay within the error that the PTX ISA documents, exact or perturbed;
// the perturbed ones use it, repeat with the seed and differ between seeds.
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

#include <functional>

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

using Words = std::array<uint32_t, 4>;

KernelRun runOn(const std::string &instruction, const std::vector<float> &in,
                Approximation approximation, uint64_t seed) {
  std::vector<Words> words;
  for (size_t i = 0; i < in.size(); ++i)
    words.push_back({bitsOf(in[i]), bitsOf(in[(7 * i + 3) % in.size()]), 0, 0});
  LaunchConfig config = threads(static_cast<unsigned>(in.size()), seed);
  config.approximation = approximation;
  return runBody("ld.global.v2.f32 {%f1, %f2}, [%rd1];\n" + instruction +
                     "\n st.global.f32 [%rd2], %f3;",
                 words, config);
}

double ulp(double value) {
  return std::ldexp(1.0, std::max(std::ilogb(value), -126) - 23);
}

struct Function {
  const char *instruction;
  std::function<long double(long double, long double)> value;
  /// The documented error, from argument and value.
  std::function<double(double, double)> bound;
  float least, most;
};

const std::vector<Function> &functions() {
  const double pi = 3.14159265358979323846;
  auto angle = [pi](double a, double) {
    return std::fabs(a) <= 2 * pi ? std::exp2(-20.5) : std::exp2(-14.7);
  };
  static const std::vector<Function> all = {
      {"rcp.approx.f32 %f3, %f1;",
       [](long double a, long double) { return 1 / a; },
       [](double, double v) { return ulp(v); }, 1e-30f, 1e30f},
      {"sqrt.approx.f32 %f3, %f1;",
       [](long double a, long double) { return std::sqrt(a); },
       [](double, double v) { return v * std::exp2(-23.0); }, 1e-30f, 1e30f},
      {"rsqrt.approx.f32 %f3, %f1;",
       [](long double a, long double) { return 1 / std::sqrt(a); },
       [](double, double v) { return v * std::exp2(-22.9); }, 1e-30f, 1e30f},
      {"ex2.approx.f32 %f3, %f1;",
       [](long double a, long double) { return std::exp2(a); },
       [](double, double v) { return 2 * ulp(v); }, -140, 127},
      {"lg2.approx.f32 %f3, %f1;",
       [](long double a, long double) { return std::log2(a); },
       [](double a, double v) {
         return std::exp2(-22.0) * (a > 0.5 && a < 2 ? 1 : std::fabs(v));
       },
       1e-3f, 1e3f},
      {"sin.approx.f32 %f3, %f1;",
       [](long double a, long double) { return std::sin(a); }, angle, -314,
       314},
      {"cos.approx.f32 %f3, %f1;",
       [](long double a, long double) { return std::cos(a); }, angle, -314,
       314},
      {"tanh.approx.f32 %f3, %f1;",
       [](long double a, long double) { return std::tanh(a); },
       [](double, double v) { return std::exp2(-11.0) * std::fabs(v); }, -9, 9},
      {"div.approx.f32 %f3, %f1, %f2;",
       [](long double a, long double b) { return a / b; },
       [](double, double v) { return 2 * ulp(v); }, 0.1f, 100},
      {"div.full.f32 %f3, %f1, %f2;",
       [](long double a, long double b) { return a / b; },
       [](double, double v) { return 2 * ulp(v); }, 0.1f, 100},
  };
  return all;
}

std::vector<float> sample(float least, float most) {
  std::vector<float> in;
  for (int i = 0; i < 512; ++i) {
    double t = (i + 0.37) / 512;
    in.push_back(
        static_cast<float>(least > 0 ? least * std::pow(double(most) / least, t)
                                     : least + (double(most) - least) * t));
  }
  return in;
}

TEST(Approximate, ResultsAreWithinTheDocumentedError) {
  for (const Function &function : functions()) {
    std::vector<float> in = sample(function.least, function.most);
    for (auto [approximation, seed] :
         {std::pair<Approximation, uint64_t>{Approximation::Exact, 0},
          {Approximation::Promised, 0},
          {Approximation::Perturbed, 1},
          {Approximation::Perturbed, 2}}) {
      KernelRun run = runOn(function.instruction, in, approximation, seed);
      ASSERT_EQ(run.findings(), "");
      double largest = 0;
      for (size_t i = 0; i < in.size(); ++i) {
        float other = in[(7 * i + 3) % in.size()];
        double value = static_cast<double>(function.value(in[i], other));
        // The last factor covers the double in which the bound is computed.
        double used = std::fabs(run.f32(i) - value) /
                      (function.bound(in[i], value) * (1 + 1e-4));
        ASSERT_LE(used, 1) << function.instruction << in[i];
        largest = std::max(largest, used);
      }
      if (approximation == Approximation::Perturbed)
        EXPECT_GT(largest, 0.7) << function.instruction;
    }
  }
}

TEST(Approximate, PerturbationsFollowTheSeedAndTheArgument) {
  for (const Function &function : functions()) {
    std::vector<float> in = sample(function.least, function.most);
    in[1] = in[0];
    in[8] = in[3];
    auto results = [&](uint64_t seed) {
      return runOn(function.instruction, in, Approximation::Perturbed, seed)
          .out;
    };
    auto first = results(1);
    EXPECT_TRUE(first == results(1)) << function.instruction;
    EXPECT_FALSE(first == results(2)) << function.instruction;
  }
  KernelRun twice = runOn("ex2.approx.f32 %f3, %f1;", {0.3f, 0.3f, 0.3f},
                          Approximation::Perturbed, 1);
  EXPECT_EQ(twice.u32(0), twice.u32(1));
  EXPECT_EQ(twice.u32(0), twice.u32(2));
}

TEST(Approximate, ListedResultsStay) {
  struct Case {
    const char *instruction;
    uint32_t argument, result;
  };
  for (Case c : {Case{"ex2.approx.f32 %f3, %f1;", 0x80000000, 0x3f800000},
                 {"ex2.approx.ftz.f32 %f3, %f1;", 0x00000001, 0x3f800000},
                 {"ex2.approx.f32 %f3, %f1;", 0xff800000, 0},
                 {"ex2.approx.f32 %f3, %f1;", 0x43800000, 0x7f800000},
                 {"ex2.approx.ftz.f32 %f3, %f1;", 0xc3000000, 0},
                 {"lg2.approx.f32 %f3, %f1;", 0xbf800000, 0x7fffffff},
                 {"lg2.approx.f32 %f3, %f1;", 0x80000000, 0xff800000},
                 {"rcp.approx.f32 %f3, %f1;", 0xff800000, 0x80000000},
                 {"rsqrt.approx.f32 %f3, %f1;", 0x80000000, 0xff800000},
                 {"sqrt.approx.f32 %f3, %f1;", 0x80000000, 0x80000000},
                 {"sin.approx.f32 %f3, %f1;", 0x80000000, 0x80000000},
                 {"cos.approx.f32 %f3, %f1;", 0x7f800000, 0x7fffffff},
                 {"tanh.approx.f32 %f3, %f1;", 0xff800000, 0xbf800000}})
    for (uint64_t seed : {0, 1, 2, 3}) {
      KernelRun run = runOn(c.instruction, {floatOf(c.argument)},
                            Approximation::Perturbed, seed);
      EXPECT_EQ(run.u32(0), c.result) << c.instruction;
      EXPECT_EQ(run.findings(), "");
    }
}

TEST(Approximate, NothingIsPromisedForLargeAngles) {
  for (const char *instruction :
       {"sin.approx.f32 %f3, %f1;", "cos.approx.ftz.f32 %f3, %f1;"}) {
    const std::vector<float> in = {1, -400, 314, 5000};
    KernelRun exact = runOn(instruction, in, Approximation::Exact, 0);
    EXPECT_EQ(exact.findings(), "");
    EXPECT_LE(std::fabs(exact.f32(3)), 1);
    for (Approximation approximation :
         {Approximation::Promised, Approximation::Perturbed}) {
      KernelRun run = runOn(instruction, in, approximation, 0);
      const Finding &finding = only(run, FindingKind::UndefinedResult);
      EXPECT_EQ(finding.lanes, 0b1010u);
      EXPECT_NE(finding.message.find("-400"), std::string::npos);
      EXPECT_EQ(run.u32(1), 0x7fffffffu);
      EXPECT_EQ(run.u32(3), 0x7fffffffu);
      EXPECT_NEAR(run.f32(2), exact.f32(2), 1e-4);
    }
    // The repaired twin reduces its argument.
    EXPECT_EQ(runOn("mul.f32 %f4, %f1, 0f3E22F983;\n cvt.rni.f32.f32 %f4, "
                    "%f4;\n fma.rn.f32 %f1, %f4, 0fC0C90FDB, %f1;\n" +
                        std::string(instruction),
                    in, Approximation::Perturbed, 0)
                  .findings(),
              "");
  }
  KernelRun divisor = runOn("div.approx.f32 %f3, %f1, 0f00000100;", {1e-38f},
                            Approximation::Promised, 0);
  only(divisor, FindingKind::UndefinedResult);
}

} // namespace
