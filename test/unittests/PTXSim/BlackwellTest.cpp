//===- BlackwellTest.cpp - instructions that sm_100 adds ------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic on pairs of fp32 and with narrow operands, min and max of three,
// redux of fp32, formats of 4 and 6 bits and scales, 32-byte accesses: numbers
// worked out by hand from the PTX ISA.
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

/// The kernel of `wrap` for another chip.
std::string wrapFor(const std::string &chip, const std::string &body) {
  std::string text = wrap(body);
  return text.replace(text.find(header), header.size(),
                      ".version 9.0\n.target " + chip + "\n.address_size 64\n");
}
KernelRun run100(const std::string &body, unsigned count = 1,
                 std::vector<std::array<uint32_t, 4>> in = {}) {
  KernelRun run =
      runText(wrapFor("sm_100a", body), std::move(in), threads(count));
  EXPECT_EQ(run.findings(), "") << body;
  return run;
}
uint32_t eval100(const std::string &body) {
  return run100(body + "\n st.global.b32 [%rd2], %r1;").u32(0);
}
uint64_t evalWide100(const std::string &body) {
  return run100(body + "\n st.global.b64 [%rd2], %rd10;").u64(0);
}

/// Sets %rd`reg` to the pair (low, high).
std::string pair(unsigned reg, uint32_t low, uint32_t high) {
  std::string number = std::to_string(reg);
  return "mov.b64 %rd" + number + ", {" + std::to_string(low) + ", " +
         std::to_string(high) + "};\n";
}
uint64_t both(uint32_t low, uint32_t high) {
  return low | static_cast<uint64_t>(high) << 32;
}

constexpr uint32_t one = 0x3f800000u, two = 0x40000000u, half = 0x3f000000u,
                   nan = 0x7fffffffu, tiny = 0x00000001u;

TEST(Blackwell, PairsOfSingles) {
  std::string ab = pair(11, one, half) + pair(12, two, one);
  EXPECT_EQ(evalWide100(ab + "add.f32x2 %rd10, %rd11, %rd12;"),
            both(bitsOf(3), bitsOf(1.5f)));
  EXPECT_EQ(evalWide100(ab + "sub.rn.f32x2 %rd10, %rd11, %rd12;"),
            both(bitsOf(-1), bitsOf(-0.5f)));
  EXPECT_EQ(evalWide100(ab + "mul.f32x2 %rd10, %rd11, %rd12;"),
            both(two, half));
  EXPECT_EQ(evalWide100(ab + "fma.rn.f32x2 %rd10, %rd11, %rd12, %rd11;"),
            both(bitsOf(3), one));
  // One added to the smallest subnormal: rounded up, down and, as that is
  // flushed to zero, not at all.
  std::string small = pair(11, one, one) + pair(12, tiny, tiny);
  EXPECT_EQ(evalWide100(small + "add.rp.f32x2 %rd10, %rd11, %rd12;"),
            both(one + 1, one + 1));
  EXPECT_EQ(evalWide100(small + "add.rm.f32x2 %rd10, %rd11, %rd12;"),
            both(one, one));
  EXPECT_EQ(evalWide100(small + "add.rp.ftz.f32x2 %rd10, %rd11, %rd12;"),
            both(one, one));
  // -(1 x 1) + tiny, towards zero.
  EXPECT_EQ(evalWide100(pair(11, one, one) + pair(12, bitsOf(-1), one) +
                        pair(13, tiny, tiny) +
                        "fma.rz.f32x2 %rd10, %rd11, %rd12, %rd13;"),
            both(0xbf7fffffu, one));
}

TEST(Blackwell, NarrowOperands) {
  // 1.5 in both formats; the sum stays in fp32.
  std::string f16 = "mov.b16 %h1, 0x3e00;\n", bf16 = "mov.b16 %h1, 0x3fc0;\n";
  std::string c = "mov.f32 %f2, 0f3F800001;\n";
  std::string store = "mov.b32 %r1, %f1;";
  for (const std::string &a : {f16, bf16}) {
    std::string type = a == f16 ? ".f16" : ".bf16";
    EXPECT_EQ(eval100(a + c + "add.f32" + type + " %f1, %h1, %f2;\n" + store),
              0x40200000u); // 2.5 + 2^-23, a tie to even
    EXPECT_EQ(
        eval100(a + c + "add.rp.f32" + type + " %f1, %h1, %f2;\n" + store),
        0x40200001u);
    EXPECT_EQ(eval100(a + c + "sub.f32" + type + " %f1, %h1, %f2;\n" + store),
              bitsOf(0.5f - 0x1p-23f));
    EXPECT_EQ(
        eval100(a + c + "add.sat.f32" + type + " %f1, %h1, %f2;\n" + store),
        one);
    EXPECT_EQ(
        eval100(a + c + "fma.rn.f32" + type + " %f1, %h1, %h1, %f2;\n" + store),
        0x40500000u); // 3.25 + 2^-23
    EXPECT_EQ(eval100(a + c + "fma.rz.sat.f32" + type +
                      " %f1, %h1, %h1, %f2;\n" + store),
              one);
  }
}

TEST(Blackwell, ExtremesOfThree) {
  auto of = [](const char *op, uint32_t a, uint32_t b, uint32_t c) {
    return eval100("mov.b32 %f1, " + std::to_string(a) + ";\n mov.b32 %f2, " +
                   std::to_string(b) + ";\n mov.b32 %f3, " + std::to_string(c) +
                   ";\n" + op + ".f32 %f4, %f1, %f2, %f3;\n mov.b32 %r1, %f4;");
  };
  uint32_t minusTwo = bitsOf(-2);
  EXPECT_EQ(of("min", one, minusTwo, half), minusTwo);
  EXPECT_EQ(of("max", one, minusTwo, half), one);
  EXPECT_EQ(of("max.abs", one, minusTwo, half), two);
  EXPECT_EQ(of("min.abs", one, minusTwo, half), half);
  EXPECT_EQ(of("min", nan, nan, half), half);
  EXPECT_EQ(of("max.NaN", one, 0x7f800001u, half), nan);
  EXPECT_EQ(of("min.ftz", tiny, one, two), 0u);
  // Three sources are those of sm_100.
  Result<Module> old = Module::parse(wrap("max.f32 %f1, %f2, %f3, %f4;"), "t");
  ASSERT_FALSE(bool(old));
  EXPECT_NE(old.error().find("expected .target sm_100 or newer for 'min or max "
                             "of three'"),
            std::string::npos)
      << old.error();
}

TEST(Blackwell, ReductionsOfSingles) {
  // Lane i has i - 16, lane 3 a NaN, lane 4 -0.
  std::vector<std::array<uint32_t, 4>> in(32);
  for (int i = 0; i < 32; ++i)
    in[i][0] = i == 3 ? 0xffc00000u : bitsOf(static_cast<float>(i - 16));
  auto of = [&](const char *op, const char *mask) {
    return run100("ld.global.f32 %f1, [%rd1];\n"
                  "setp.eq.u32 %p1, %r0, 33;\n mov.b32 %r4, " +
                      std::string(mask) +
                      ";\n shr.u32 %r5, %r4, %r0;\n and.b32 %r5, %r5, 1;\n"
                      "setp.eq.u32 %p1, %r5, 0;\n st.global.f32 [%rd2], %f1;\n"
                      "@%p1 bra OUT;\n redux.sync." +
                      op +
                      ".f32 %f2, %f1, %r4;\n st.global.f32 [%rd2], %f2;\n"
                      "OUT:\n",
                  32, in)
        .u32(31);
  };
  EXPECT_EQ(of("min", "0xffffffff"), bitsOf(-16));
  EXPECT_EQ(of("max", "0xffffffff"), bitsOf(15));
  EXPECT_EQ(of("min.abs", "0xffffffff"), 0u);
  EXPECT_EQ(of("max.abs", "0xffffffff"), bitsOf(16));
  EXPECT_EQ(of("max.NaN", "0xffffffff"), nan);
  EXPECT_EQ(of("max.NaN", "0xfffffff0"), bitsOf(15));
  EXPECT_EQ(of("min.abs.NaN", "0x80000010"), bitsOf(12));
  // All are NaN: the canonical one.
  in[31][0] = 0x7f800001u;
  EXPECT_EQ(of("max", "0x80000008"), nan);
}

TEST(Blackwell, FormatsOfSixBits) {
  auto pack = [](const char *type, float a, float b) {
    return eval100("mov.b32 %f1, " + std::to_string(bitsOf(a)) +
                   ";\n mov.b32 %f2, " + std::to_string(bitsOf(b)) +
                   ";\n cvt.rn.satfinite." + type +
                   ".f32 %h1, %f1, %f2;\n cvt.u32.u16 %r1, %h1;");
  };
  // e2m3: bias 1, up to 7.5, steps of 1/8 below 2.
  EXPECT_EQ(pack("e2m3x2", 1.0f, -7.5f), 0x083fu);
  EXPECT_EQ(pack("e2m3x2", 0.125f, 100.0f), 0x011fu);
  EXPECT_EQ(pack("e2m3x2", 0.0625f, -0.1875f), 0x0022u); // ties to even
  EXPECT_EQ(pack("relu.e2m3x2", -1.0f, 2.0f), 0x0010u);
  EXPECT_EQ(pack("e2m3x2", NAN, -INFINITY), 0x1f3fu);
  // e3m2: bias 3, up to 28, the smallest 1/16.
  EXPECT_EQ(pack("e3m2x2", 28.0f, 0.0625f), 0x1f01u);
  EXPECT_EQ(pack("e3m2x2", -1.25f, 0.3125f), 0x2d05u);
  auto unpack = [](const char *type, uint32_t bits) {
    return eval100("mov.b16 %h1, " + std::to_string(bits) + ";\n cvt.rn." +
                   type + " %r1, %h1;");
  };
  EXPECT_EQ(unpack("f16x2.e2m3x2", 0x013fu), 0x3000c780u); // 1/8, -7.5
  EXPECT_EQ(unpack("f16x2.e3m2x2", 0x1f21u), 0x4f00ac00u); // 28, -1/16
  EXPECT_EQ(unpack("relu.f16x2.e3m2x2", 0x1f21u), 0x4f000000u);
}

TEST(Blackwell, FormatsOfFourBits) {
  // e2m1: 0, 0.5, 1, 1.5, 2, 3, 4, 6; two of them in a register of 8 bits.
  auto pack = [](const char *type, float a, float b) {
    return eval100("{ .reg .b8 %b<1>;\n mov.b32 %f1, " +
                   std::to_string(bitsOf(a)) + ";\n mov.b32 %f2, " +
                   std::to_string(bitsOf(b)) + ";\n cvt.rn.satfinite." + type +
                   ".f32 %b0, %f1, %f2;\n mov.b16 %h1, {%b0, 0};\n "
                   "cvt.u32.u16 %r1, %h1; }");
  };
  EXPECT_EQ(pack("e2m1x2", 6.0f, -0.5f), 0x0079u);
  EXPECT_EQ(pack("e2m1x2", 2.5f, 5.0f), 0x0046u); // ties to even
  EXPECT_EQ(pack("e2m1x2", NAN, -9.0f), 0x007fu);
  EXPECT_EQ(pack("relu.e2m1x2", -3.0f, 3.0f), 0x0005u);
  EXPECT_EQ(eval100("{ .reg .b8 %b<2>;\n mov.b16 %h1, 0x7f93;\n"
                    "mov.b16 {%b0, %b1}, %h1;\n"
                    "cvt.rn.f16x2.e2m1x2 %r1, %b0; }"),
            0xb8003e00u); // 0x93: -0.5 and 1.5
}

TEST(Blackwell, Scales) {
  auto scale = [](const char *form, float a, float b) {
    return eval100("mov.b32 %f1, " + std::to_string(bitsOf(a)) +
                   ";\n mov.b32 %f2, " + std::to_string(bitsOf(b)) +
                   ";\n cvt." + form +
                   ".ue8m0x2.f32 %h1, %f1, %f2;\n cvt.u32.u16 %r1, %h1;");
  };
  EXPECT_EQ(scale("rz", 1.0f, 3.0f), 0x7f80u);
  EXPECT_EQ(scale("rp", 1.0f, 3.0f), 0x7f81u);
  EXPECT_EQ(scale("rp", 0x1.8p127f, 0x1.8p-127f), 0xff01u);
  EXPECT_EQ(scale("rp.satfinite", 0x1.8p127f, 0x1p-149f), 0xfe00u);
  EXPECT_EQ(scale("rz", INFINITY, NAN), 0xffffu);
  EXPECT_EQ(scale("rz.satfinite", INFINITY, NAN), 0xfeffu);
  EXPECT_EQ(eval100("mov.b32 %r2, 0x3fc04000;\n" // 1.5 and 2
                    "cvt.rp.ue8m0x2.bf16x2 %h1, %r2;\n cvt.u32.u16 %r1, %h1;"),
            0x8080u);
  EXPECT_EQ(eval100("mov.b16 %h1, 0x80ff;\n cvt.rn.bf16x2.ue8m0x2 %r1, %h1;"),
            0x40007fffu);
  EXPECT_EQ(eval100("mov.b16 %h1, 0x00fe;\n cvt.rn.bf16x2.ue8m0x2 %r1, %h1;"),
            0x00407f00u);
}

TEST(Blackwell, ThirtyTwoBytesAtOnce) {
  // The two threads' 16 bytes of input, read by thread 0 and written back.
  std::vector<std::array<uint32_t, 4>> in = {{1, 2, 3, 4}, {5, 6, 7, 8}};
  std::string first = "setp.ne.u32 %p1, %r0, 0;\n@%p1 bra OUT;\n";
  for (const char *copy :
       {"ld.global.v8.b32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%rd1];\n"
        "st.global.v8.b32 [%rd2], {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8};\n",
        "ld.global.v4.b64 {%rd10, %rd11, %rd12, %rd13}, [%rd1];\n"
        "st.global.v4.b64 [%rd2], {%rd10, %rd11, %rd12, %rd13};\n",
        "{ .reg .b128 %q<2>;\n ld.global.b128 %q0, [%rd1];\n"
        "ld.global.b128 %q1, [%rd1+16];\n st.global.b128 [%rd2], %q0;\n"
        "st.global.b128 [%rd2+16], %q1; }\n"}) {
    KernelRun run = run100(first + copy + "OUT:\n", 2, in);
    EXPECT_EQ(run.out, in) << copy;
  }
  // 32 bytes are for global memory alone.
  Result<Module> shared = Module::parse(
      wrapFor("sm_100a", "ld.shared.v4.b64 {%rd10, %rd11, %rd12, %rd13}, "
                         "[%rd1];"),
      "t");
  EXPECT_FALSE(bool(shared));
}

TEST(Blackwell, OlderChipsHaveNoneOfIt) {
  for (const char *instr :
       {"add.f32x2 %rd1, %rd2, %rd3;", "add.f32.f16 %f1, %h1, %f2;",
        "cvt.rn.satfinite.e2m3x2.f32 %h1, %f1, %f2;",
        "cvt.rz.ue8m0x2.f32 %h1, %f1, %f2;", "redux.sync.max.f32 %f1, %f2, 1;",
        "cvt.rn.satfinite.tf32.f32 %r1, %f1;",
        "ld.global.v8.b32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%rd1];"}) {
    EXPECT_TRUE(bool(Module::parse(wrapFor("sm_100a", instr), "t"))) << instr;
    Result<Module> old = Module::parse(wrap(instr), "t");
    ASSERT_FALSE(bool(old)) << instr;
    EXPECT_NE(old.error().find("expected .target sm_100"), std::string::npos)
        << old.error();
  }
}

} // namespace
