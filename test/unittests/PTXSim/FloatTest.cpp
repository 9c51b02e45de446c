//===- FloatTest.cpp - floating-point instructions ------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounding, flushing, NaN, signed zeros, the narrow formats, and the error of
// the approximate functions.
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

#include <random>

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

uint32_t evalF(const std::string &code) {
  return eval32(code + " mov.b32 %r1, %f1;");
}
uint32_t evalH(const std::string &code) {
  return eval32(code + " cvt.u32.u16 %r1, %h1;");
}

struct CaseF {
  const char *code;
  uint32_t expected;
};

TEST(Float, SinglePrecision) {
  const CaseF cases[] = {
      {"add.f32 %f1, 0f3F800000, 0f40000000;", 0x40400000},
      // 1 + 2^-24 is a tie: to even below, up above.
      {"add.rn.f32 %f1, 0f3F800000, 0f33800000;", 0x3f800000},
      {"add.rp.f32 %f1, 0f3F800000, 0f33800000;", 0x3f800001},
      {"add.rz.f32 %f1, 0fBF800000, 0fB3800000;", 0xbf800000},
      {"add.rm.f32 %f1, 0fBF800000, 0fB3800000;", 0xbf800001},
      {"sub.f32 %f1, 0f7F800000, 0f7F800000;", 0x7fffffff},
      {"mul.f32 %f1, 0f00800000, 0f3F000000;", 0x00400000},
      {"mul.ftz.f32 %f1, 0f00800000, 0f3F000000;", 0x00000000},
      {"add.ftz.f32 %f1, 0f80000001, 0f80000001;", 0x80000000},
      {"add.sat.f32 %f1, 0f3F800000, 0f3F800000;", 0x3f800000},
      {"mul.sat.f32 %f1, 0f7FC00000, 0f3F800000;", 0x00000000},
      {"sub.sat.f32 %f1, 0f3F800000, 0f40000000;", 0x00000000},
      // (1 + 2^-12)^2 - 1 keeps the last product bit: 2^-11 + 2^-24.
      {"fma.rn.f32 %f1, 0f3F800800, 0f3F800800, 0fBF800000;", 0x3a000400},
      {"fma.rz.f32 %f1, 0f3F800001, 0f3F800001, 0f00000000;", 0x3f800002},
      {"fma.rp.f32 %f1, 0f3F800001, 0f3F800001, 0f00000000;", 0x3f800003},
      {"fma.rn.f32 %f1, 0f7F7FFFFF, 0f40000000, 0fFF800000;", 0xff800000},
      {"div.rn.f32 %f1, 0f3F800000, 0f40400000;", 0x3eaaaaab},
      {"div.rz.f32 %f1, 0f3F800000, 0f40400000;", 0x3eaaaaaa},
      {"rcp.rn.f32 %f1, 0f40400000;", 0x3eaaaaab},
      {"sqrt.rn.f32 %f1, 0f40000000;", 0x3fb504f3},
      {"sqrt.rp.f32 %f1, 0f40000000;", 0x3fb504f4},
      {"sqrt.rn.f32 %f1, 0fBF800000;", 0x7fffffff},
      {"neg.f32 %f1, 0f00000000;", 0x80000000},
      {"abs.f32 %f1, 0fC0000000;", 0x40000000},
      {"min.f32 %f1, 0f00000000, 0f80000000;", 0x80000000},
      {"max.f32 %f1, 0f80000000, 0f00000000;", 0x00000000},
      {"max.f32 %f1, 0f7FC00000, 0f3F800000;", 0x3f800000},
      {"min.f32 %f1, 0f3F800000, 0f7FC00000;", 0x3f800000},
      {"max.NaN.f32 %f1, 0f7FC00000, 0f3F800000;", 0x7fffffff},
      {"max.f32 %f1, 0fFF800000, 0fBF800000;", 0xbf800000},
      {"copysign.f32 %f1, 0f80000000, 0f3F800000;", 0xbf800000},
      {"div.full.f32 %f1, 0f3F800000, 0f40800000;", 0x3e800000},
      // The ISA gives 0 for divisors beyond 2^126.
      {"div.approx.f32 %f1, 0f3F800000, 0f7F000000;", 0x00000000},
      {"ex2.approx.f32 %f1, 0f40400000;", 0x41000000},
      {"ex2.approx.ftz.f32 %f1, 0fFF800000;", 0x00000000},
      {"ex2.approx.ftz.f32 %f1, 0fC3000000;", 0x00000000}, // 2^-128
      {"ex2.approx.f32 %f1, 0fC3000000;", 0x00200000},
      {"lg2.approx.f32 %f1, 0f41000000;", 0x40400000},
      {"lg2.approx.f32 %f1, 0f00000000;", 0xff800000},
      {"lg2.approx.f32 %f1, 0fBF800000;", 0x7fffffff},
      {"rsqrt.approx.f32 %f1, 0f40800000;", 0x3f000000},
      {"rcp.approx.f32 %f1, 0f00000000;", 0x7f800000},
      {"sin.approx.f32 %f1, 0f00000000;", 0x00000000},
      {"cos.approx.f32 %f1, 0f00000000;", 0x3f800000},
      {"tanh.approx.f32 %f1, 0f7F800000;", 0x3f800000},
  };
  for (const CaseF &c : cases)
    EXPECT_EQ(evalF(c.code), c.expected) << c.code;
}

TEST(Float, FmaRoundsOnce) {
  // Against the host's fma on 64 random triples of very different sizes.
  std::mt19937 random(3);
  std::vector<std::array<uint32_t, 4>> in(512);
  for (auto &words : in)
    for (unsigned k = 0; k < 3; ++k)
      words[k] = (random() & 0x807fffff) | (90 + random() % 80) << 23;
  for (unsigned i = 0; i < 64; ++i) // products that nearly cancel
    in[i][2] = bitsOf(-(floatOf(in[i][0]) * floatOf(in[i][1])));
  KernelRun run = runBody(R"(
    ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];
    fma.rn.f32 %f5, %f1, %f2, %f3;
    st.global.f32 [%rd2], %f5;)",
                          in, threads(512));
  for (unsigned i = 0; i < 512; ++i)
    EXPECT_EQ(run.f32(i),
              std::fma(floatOf(in[i][0]), floatOf(in[i][1]), floatOf(in[i][2])))
        << i;
}

TEST(Float, DoublePrecision) {
  auto evalD = [](const std::string &code) {
    uint64_t bits = eval64(code + " mov.b64 %rd10, %d1;");
    double value;
    std::memcpy(&value, &bits, 8);
    return value;
  };
  EXPECT_EQ(evalD("add.f64 %d1, 0d3FF0000000000000, 0d4000000000000000;"), 3.0);
  EXPECT_EQ(evalD("add.rp.f64 %d1, 0d3FF0000000000000, 0d3C90000000000000;"),
            1.0 + 0x1p-52);
  EXPECT_EQ(evalD("add.rz.f64 %d1, 0d3FF0000000000000, 0d3CA0000000000000;"),
            1.0);
  EXPECT_EQ(evalD("fma.rn.f64 %d1, 0d3FF0000000000001, 0d3FF0000000000001, "
                  "0dBFF0000000000000;"),
            0x1p-51 + 0x1p-104);
  EXPECT_EQ(evalD("div.rn.f64 %d1, 0d3FF0000000000000, 0d4008000000000000;"),
            1.0 / 3.0);
  EXPECT_EQ(evalD("sqrt.rn.f64 %d1, 0d4000000000000000;"), std::sqrt(2.0));
  EXPECT_EQ(evalD("min.f64 %d1, 0d7FF8000000000000, 0d3FF0000000000000;"), 1.0);
  EXPECT_EQ(evalD("neg.f64 %d1, 0d3FF0000000000000;"), -1.0);
}

TEST(Float, ComparisonsOrderedAndUnordered) {
  auto truth = [](const std::string &code) {
    return eval32(code + " selp.u32 %r1, 1, 0, %p1;");
  };
  const std::string nan = "0f7FC00000", one = "0f3F800000", two = "0f40000000";
  struct Row {
    const char *name;
    bool onNaN, oneTwo, oneOne;
  };
  const Row rows[] = {{"eq", 0, 0, 1},  {"ne", 0, 1, 0},  {"lt", 0, 1, 0},
                      {"le", 0, 1, 1},  {"gt", 0, 0, 0},  {"ge", 0, 0, 1},
                      {"equ", 1, 0, 1}, {"neu", 1, 1, 0}, {"ltu", 1, 1, 0},
                      {"leu", 1, 1, 1}, {"gtu", 1, 0, 0}, {"geu", 1, 0, 1},
                      {"num", 0, 1, 1}, {"nan", 1, 0, 0}};
  for (const Row &row : rows) {
    std::string setp = std::string("setp.") + row.name + ".f32 %p1, ";
    EXPECT_EQ(truth(setp + nan + ", " + one + ";"), row.onNaN) << row.name;
    EXPECT_EQ(truth(setp + one + ", " + two + ";"), row.oneTwo) << row.name;
    EXPECT_EQ(truth(setp + one + ", " + one + ";"), row.oneOne) << row.name;
  }
  EXPECT_EQ(truth("setp.gt.ftz.f32 %p1, 0f00000001, 0f00000000;"), 0u);
  EXPECT_EQ(truth("setp.gt.f32 %p1, 0f00000001, 0f00000000;"), 1u);
  EXPECT_EQ(truth("testp.infinite.f32 %p1, 0fFF800000;"), 1u);
  EXPECT_EQ(truth("testp.subnormal.f32 %p1, 0f00000001;"), 1u);
  EXPECT_EQ(truth("testp.notanumber.f32 %p1, 0f7F800000;"), 0u);
}

TEST(Float, HalfFormats) {
  EXPECT_EQ(evalH("add.f16 %h1, 0x3C00, 0x3C00;"), 0x4000u);
  // 2048 + 1 is a tie in fp16, 2048 + 3 rounds to 2052.
  EXPECT_EQ(evalH("add.rn.f16 %h1, 0x6800, 0x3C00;"), 0x6800u);
  EXPECT_EQ(evalH("add.rn.f16 %h1, 0x6800, 0x4200;"), 0x6802u);
  EXPECT_EQ(evalH("mul.f16 %h1, 0x7BFF, 0x4000;"), 0x7c00u);
  EXPECT_EQ(evalH("mul.f16 %h1, 0x0400, 0x3800;"), 0x0200u);
  EXPECT_EQ(evalH("mul.ftz.f16 %h1, 0x0400, 0x3800;"), 0x0000u);
  // 1.0009765625² + 2^-24: the product's last bit decides the rounding.
  EXPECT_EQ(evalH("fma.rn.f16 %h1, 0x3C01, 0x3C01, 0x0001;"), 0x3c02u);
  EXPECT_EQ(evalH("fma.rn.relu.f16 %h1, 0xBC00, 0x3C00, 0x0000;"), 0u);
  EXPECT_EQ(evalH("fma.rn.sat.f16 %h1, 0x3C00, 0x4000, 0x3C00;"), 0x3c00u);
  EXPECT_EQ(evalH("max.f16 %h1, 0x7E00, 0x3C00;"), 0x3c00u);
  EXPECT_EQ(evalH("max.NaN.f16 %h1, 0x7E00, 0x3C00;"), 0x7fffu);
  EXPECT_EQ(evalH("ex2.approx.f16 %h1, 0x4200;"), 0x4800u);
  EXPECT_EQ(evalH("fma.rn.bf16 %h1, 0x3F83, 0x3F83, 0xBF80;"), 0x3d42u);
  EXPECT_EQ(evalH("add.bf16 %h1, 0x4380, 0x3F80;"), 0x4380u);
  EXPECT_EQ(evalH("add.bf16 %h1, 0x4380, 0x4040;"), 0x4382u);
  EXPECT_EQ(evalH("neg.bf16 %h1, 0x3F80;"), 0xbf80u);
  EXPECT_EQ(eval32("fma.rn.f16x2 %r1, 0x3C004000, 0x40003C00, 0x3C003C00;"),
            0x42004200u);
  EXPECT_EQ(eval32("min.bf16x2 %r1, 0x3F80C000, 0xBF804000;"), 0xbf80c000u);
  EXPECT_EQ(eval32("setp.lt.f16x2 %p1|%p2, 0x3C004000, 0x40003C00;\n"
                   "selp.u32 %r2, 1, 0, %p1; selp.u32 %r3, 2, 0, %p2;\n"
                   "or.b32 %r1, %r2, %r3;"),
            2u);
  EXPECT_EQ(eval32("set.gt.f16x2.f16x2 %r1, 0x3C004000, 0x40003C00;"),
            0x00003c00u);
}

TEST(Float, ApproximateWithinTheDocumentedError) {
  std::mt19937 random(5);
  std::vector<std::array<uint32_t, 4>> in(256);
  for (auto &words : in)
    words[0] = bitsOf((random() % 200001) / 10000.0f - 10.0f);
  KernelRun run = runBody(R"(
    ld.global.f32 %f1, [%rd1];
    ex2.approx.f32 %f2, %f1;
    sin.approx.f32 %f3, %f1;
    abs.f32 %f5, %f1;
    rsqrt.approx.f32 %f4, %f5;
    tanh.approx.f32 %f6, %f1;
    st.global.v4.f32 [%rd2], {%f2, %f3, %f4, %f6};)",
                          in, threads(256));
  for (unsigned i = 0; i < 256; ++i) {
    double x = floatOf(in[i][0]);
    EXPECT_NEAR(run.f32(i, 0) / std::exp2(x), 1, 0x1p-22);
    EXPECT_NEAR(run.f32(i, 1), std::sin(x), 0x1p-20);
    EXPECT_NEAR(run.f32(i, 2) * std::sqrt(std::fabs(x)), 1, 0x1p-22);
    EXPECT_NEAR(run.f32(i, 3), std::tanh(x), 0x1p-11);
  }
}

struct CaseC {
  const char *code;
  uint32_t expected;
};

TEST(Convert, EveryRounding) {
  const CaseC cases[] = {
      {"cvt.rni.s32.f32 %r1, 0f40200000;", 2}, // 2.5
      {"cvt.rzi.s32.f32 %r1, 0fC0200000;", uint32_t(-2)},
      {"cvt.rmi.s32.f32 %r1, 0fC0200000;", uint32_t(-3)},
      {"cvt.rpi.s32.f32 %r1, 0f40200000;", 3},
      {"cvt.rzi.s32.f32 %r1, 0f7F800000;", 0x7fffffff},
      {"cvt.rzi.s32.f32 %r1, 0fFF800000;", 0x80000000},
      {"cvt.rzi.u32.f32 %r1, 0fC0200000;", 0},
      {"cvt.rzi.s32.f32 %r1, 0f7FC00000;", 0},
      {"cvt.rzi.u32.f32 %r1, 0f4F800000;", 0xffffffff},
      {"cvt.rn.f32.s32 %f1, 0x01000001; mov.b32 %r1, %f1;", 0x4b800000},
      {"cvt.rp.f32.s32 %f1, 0x01000001; mov.b32 %r1, %f1;", 0x4b800001},
      {"cvt.rn.f32.u32 %f1, 0xffffffff; mov.b32 %r1, %f1;", 0x4f800000},
      {"cvt.rz.f32.u32 %f1, 0xffffffff; mov.b32 %r1, %f1;", 0x4f7fffff},
      {"cvt.rn.f32.u64 %f1, 0xffffff8000000001; mov.b32 %r1, %f1;", 0x5f800000},
      {"cvt.rz.f32.u64 %f1, 0xffffff8000000001; mov.b32 %r1, %f1;", 0x5f7fffff},
      {"cvt.rn.f32.f64 %f1, 0d3FF0000010000000; mov.b32 %r1, %f1;", 0x3f800000},
      {"cvt.rp.f32.f64 %f1, 0d3FF0000000000001; mov.b32 %r1, %f1;", 0x3f800001},
      {"cvt.rni.f32.f32 %f1, 0f40200000; mov.b32 %r1, %f1;", 0x40000000},
      {"cvt.sat.f32.f32 %f1, 0f40200000; mov.b32 %r1, %f1;", 0x3f800000},
      {"cvt.ftz.f32.f32 %f1, 0f00000001; mov.b32 %r1, %f1;", 0},
      {"mov.u16 %h2, 0x3C01; cvt.f32.f16 %f1, %h2; mov.b32 %r1, %f1;",
       0x3f802000},
      {"mov.u16 %h2, 0x0001; cvt.f32.f16 %f1, %h2; mov.b32 %r1, %f1;",
       0x33800000},
      {"mov.u16 %h2, 0x3F81; cvt.f32.bf16 %f1, %h2; mov.b32 %r1, %f1;",
       0x3f810000},
      // Ties, overflow, subnormals, NaN.
      {"cvt.rn.f16.f32 %h1, 0f3F801000; cvt.u32.u16 %r1, %h1;", 0x3c00},
      {"cvt.rn.f16.f32 %h1, 0f3F803000; cvt.u32.u16 %r1, %h1;", 0x3c02},
      {"cvt.rz.f16.f32 %h1, 0f3F803000; cvt.u32.u16 %r1, %h1;", 0x3c01},
      {"cvt.rn.f16.f32 %h1, 0f477FEFFF; cvt.u32.u16 %r1, %h1;", 0x7bff},
      {"cvt.rn.f16.f32 %h1, 0f477FF000; cvt.u32.u16 %r1, %h1;", 0x7c00},
      {"cvt.rz.f16.f32 %h1, 0f7F800000; cvt.u32.u16 %r1, %h1;", 0x7c00},
      {"cvt.rz.f16.f32 %h1, 0f7F000000; cvt.u32.u16 %r1, %h1;", 0x7bff},
      {"cvt.rn.f16.f32 %h1, 0f33000001; cvt.u32.u16 %r1, %h1;", 1},
      {"cvt.rn.f16.f32 %h1, 0f33000000; cvt.u32.u16 %r1, %h1;", 0},
      {"cvt.rn.f16.f32 %h1, 0f387FE000; cvt.u32.u16 %r1, %h1;", 0x0400},
      {"cvt.rn.f16.f32 %h1, 0fFFC00000; cvt.u32.u16 %r1, %h1;", 0x7fff},
      {"cvt.rn.bf16.f32 %h1, 0f3F808000; cvt.u32.u16 %r1, %h1;", 0x3f80},
      {"cvt.rn.bf16.f32 %h1, 0f3F818000; cvt.u32.u16 %r1, %h1;", 0x3f82},
      {"cvt.rn.bf16.f32 %h1, 0f7F7FFFFF; cvt.u32.u16 %r1, %h1;", 0x7f80},
      {"cvt.rz.bf16.f32 %h1, 0f7F7FFFFF; cvt.u32.u16 %r1, %h1;", 0x7f7f},
      {"cvt.rn.bf16.f32 %h1, 0f7F800001; cvt.u32.u16 %r1, %h1;", 0x7fff},
      {"cvt.rna.tf32.f32 %r1, 0f3F801000;", 0x3f802000},
      // The first source goes to the upper half.
      {"cvt.rn.bf16x2.f32 %r1, 0f3F800000, 0f40000000;", 0x3f804000},
      {"cvt.rn.f16x2.f32 %r1, 0f3F800000, 0f40000000;", 0x3c004000},
      {"cvt.rn.relu.bf16x2.f32 %r1, 0fBF800000, 0f40000000;", 0x00004000},
      {"cvt.rz.bf16x2.f32 %r1, 0f3F81FFFF, 0f40000000;", 0x3f814000},
      // Narrow integers in wide registers.
      {"mov.u32 %r2, 0x80; cvt.s32.s8 %r1, %r2;", 0xffffff80},
      {"mov.u32 %r2, 0x180; cvt.u32.u8 %r1, %r2;", 0x80},
      {"mov.u32 %r2, 0x12345; cvt.u16.u32 %h1, %r2; cvt.u32.u16 %r1, %h1;",
       0x2345},
      {"mov.u16 %h2, 0xffff; cvt.s32.s16 %r1, %h2;", 0xffffffff},
      {"mov.u32 %r2, 300; cvt.sat.u8.u32 %r1, %r2;", 255},
      {"mov.u32 %r2, -300; cvt.sat.s8.s32 %r1, %r2;", 0xffffff80},
      {"mov.u64 %rd10, 0x1ffffffff; cvt.u32.u64 %r1, %rd10;", 0xffffffff},
      {"mov.u64 %rd10, 0x1ffffffff; cvt.sat.s32.s64 %r1, %rd10;", 0x7fffffff},
      {"cvt.rn.f16.s32 %h1, 2049; cvt.u32.u16 %r1, %h1;", 0x6800},
  };
  for (const CaseC &c : cases)
    EXPECT_EQ(eval32(c.code), c.expected) << c.code;
  EXPECT_EQ(eval64("cvt.s64.s32 %rd10, -5;"), uint64_t(-5));
  EXPECT_EQ(eval64("cvt.rzi.s64.f64 %rd10, 0dC340000000000000;"),
            uint64_t(-(int64_t(1) << 53)));
  EXPECT_EQ(eval64("cvt.rn.f64.u64 %d1, 0xffffffffffffffff; "
                   "mov.b64 %rd10, %d1;"),
            0x43f0000000000000ull);
  // 2^54 + 5 lies between 2^54 + 4, whose fraction is odd, and 2^54 + 8.
  EXPECT_EQ(eval64("cvt.rp.f64.s64 %d1, 18014398509481989; "
                   "mov.b64 %rd10, %d1;"),
            0x4350000000000002u);
  EXPECT_EQ(eval64("cvt.rm.f64.u64 %d1, 18014398509481989; "
                   "mov.b64 %rd10, %d1;"),
            0x4350000000000001u);
  EXPECT_EQ(eval64("cvt.rz.f64.u64 %d1, 0xffffffffffffffff; "
                   "mov.b64 %rd10, %d1;"),
            0x43efffffffffffffull);
  EXPECT_EQ(eval64("cvt.f64.f32 %d1, 0f3FC00000; mov.b64 %rd10, %d1;"),
            0x3ff8000000000000ull);
}

TEST(Convert, EveryHalfWidensAndComesBack) {
  // 65536 values in 64 blocks of 1024 threads.
  LaunchConfig config;
  config.block = {1024, 1, 1};
  Result<Module> module = Module::parse(header + R"(
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<9>; .reg .b16 %h<5>; .reg .f32 %f<5>; .reg .b64 %rd<5>;
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  cvt.u16.u32 %h1, %r4;
  cvt.f32.f16 %f1, %h1;
  cvt.rn.f16.f32 %h2, %f1;
  cvt.f32.bf16 %f2, %h1;
  cvt.rn.bf16.f32 %h3, %f2;
  mov.b32 %r5, {%h2, %h3};
  ld.param.u64 %rd1, [out];
  mul.wide.u32 %rd2, %r4, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.b32 [%rd3], %r5;
  ret;
})",
                                        "m.ptx");
  ASSERT_TRUE(bool(module)) << module.error();
  Memory memory;
  uint64_t out = memory.allocate(65536 * 4, "out");
  config.grid = {64, 1, 1};
  auto result = launch(*module, "k", memory, Arguments().pointer(out), config);
  ASSERT_TRUE(bool(result)) << result.error();
  std::vector<uint32_t> words(65536);
  memory.read(out, words.data(), 65536 * 4);
  for (uint32_t i = 0; i < 65536; ++i) {
    uint32_t f16 = (i & 0x7fff) > 0x7c00 ? 0x7fff : i;
    uint32_t bf16 = (i & 0x7fff) > 0x7f80 ? 0x7fff : i;
    ASSERT_EQ(words[i], f16 | bf16 << 16) << i;
  }
}

} // namespace
