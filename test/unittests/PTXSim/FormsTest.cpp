//===- FormsTest.cpp - rarer forms of arithmetic --------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Directed rounding with .ftz and .sat, min and max with the sign of both,
// instructions on bits and bytes, and lanes of a warp: numbers worked out by
// hand from the PTX ISA.
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

#include <set>

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

std::string number(uint32_t bits) { return std::to_string(bits); }

/// `op` on fp32 numbers given by their bits.
uint32_t single(const std::string &op, uint32_t a, uint32_t b = 0,
                uint32_t c = 0, unsigned sources = 2) {
  std::string body = "mov.b32 %f1, " + number(a) + ";\n mov.b32 %f2, " +
                     number(b) + ";\n mov.b32 %f3, " + number(c) + ";\n " + op +
                     " %f4";
  for (unsigned i = 1; i <= sources; ++i)
    body += ", %f" + std::to_string(i);
  return eval32(body + ";\n mov.b32 %r1, %f4;");
}

constexpr uint32_t one = 0x3f800000u, minusOne = 0xbf800000u,
                   three = 0x40400000u, tiny = 1u, nan = 0x7fffffffu,
                   minusInfinity = 0xff800000u, infinity = 0x7f800000u,
                   smallest = 0x00800000u;

TEST(Forms, DirectedRoundingFlushes) {
  // 1 + 2^-149 is not representable; the subnormal is gone with .ftz.
  EXPECT_EQ(single("add.rp.f32", one, tiny), one + 1);
  EXPECT_EQ(single("add.rp.ftz.f32", one, tiny), one);
  EXPECT_EQ(single("sub.rm.f32", one, tiny), one - 1);
  EXPECT_EQ(single("sub.rm.ftz.f32", one, tiny), one);
  EXPECT_EQ(single("sub.rz.f32", minusOne, tiny), minusOne);
  // 2^-126 / 3 is subnormal: a result that is flushed.
  EXPECT_EQ(single("div.rp.f32", smallest, three), 0x002aaaabu);
  EXPECT_EQ(single("div.rz.f32", smallest, three), 0x002aaaaau);
  EXPECT_EQ(single("div.rp.ftz.f32", smallest, three), 0u);
  EXPECT_EQ(single("div.rm.ftz.f32", smallest | 0x80000000u, three),
            0x80000000u);
  EXPECT_EQ(single("mul.rp.ftz.f32", smallest, 0x3f000000u), 0u);
  EXPECT_EQ(single("rcp.rp.f32", three, 0, 0, 1), 0x3eaaaaabu);
  EXPECT_EQ(single("rcp.rm.ftz.f32", three, 0, 0, 1), 0x3eaaaaaau);
  EXPECT_EQ(single("rcp.rz.ftz.f32", tiny, 0, 0, 1), infinity);
  EXPECT_EQ(single("sqrt.rp.ftz.f32", 0x40000000u, 0, 0, 1), 0x3fb504f4u);
  EXPECT_EQ(single("sqrt.rm.ftz.f32", tiny, 0, 0, 1), 0u);
  EXPECT_EQ(single("fma.rm.ftz.f32", one, one, tiny | 0x80000000u, 3), one);
  EXPECT_EQ(single("mad.rm.f32", one, one, tiny | 0x80000000u, 3), one - 1);
}

TEST(Forms, DirectedRoundingSaturates) {
  EXPECT_EQ(single("add.rp.sat.f32", one, one), one);
  EXPECT_EQ(single("sub.rz.sat.f32", tiny, one), 0u);
  EXPECT_EQ(single("mul.rm.sat.f32", 0x3f000000u, 0x3f000000u), 0x3e800000u);
  EXPECT_EQ(single("fma.rz.ftz.sat.f32", one, three, tiny, 3), one);
  EXPECT_EQ(single("add.rm.ftz.sat.f32", tiny, tiny), 0u);
  EXPECT_EQ(single("add.rp.sat.f32", nan, one), 0u);
  // Without it NaN comes out as the canonical one.
  EXPECT_EQ(single("add.rz.f32", infinity, minusInfinity), nan);
  EXPECT_EQ(single("sqrt.rp.f32", minusOne, 0, 0, 1), nan);
}

TEST(Forms, TheSignOfBoth) {
  uint32_t minusTwo = 0xc0000000u, two = 0x40000000u;
  EXPECT_EQ(single("min.xorsign.abs.f32", minusTwo, three), minusTwo);
  EXPECT_EQ(single("max.xorsign.abs.f32", minusTwo, three), 0xc0400000u);
  EXPECT_EQ(single("min.xorsign.abs.f32", minusTwo, 0xc0400000u), two);
  // A number and a NaN: the magnitude of the number, the sign of both.
  EXPECT_EQ(single("max.xorsign.abs.f32", 0xffc00000u, two), minusTwo);
  EXPECT_EQ(single("max.NaN.xorsign.abs.f32", 0xffc00000u, two), nan);
  EXPECT_EQ(single("min.ftz.xorsign.abs.f32", tiny | 0x80000000u, two),
            0x80000000u);
  auto half = [](const std::string &op, uint32_t a, uint32_t b) {
    return eval32("mov.b16 %h1, " + number(a) + ";\n mov.b16 %h2, " +
                  number(b) + ";\n " + op +
                  " %h3, %h1, %h2;\n cvt.u32.u16 %r1, %h3;");
  };
  EXPECT_EQ(half("min.xorsign.abs.f16", 0xc000, 0x4200), 0xc000u);
  EXPECT_EQ(half("max.NaN.xorsign.abs.f16", 0xfe00, 0x4200), 0x7fffu);
  EXPECT_EQ(half("max.ftz.NaN.f16", 0x0001, 0x8000), 0x0000u);
  EXPECT_EQ(half("max.xorsign.abs.bf16", 0xc000, 0x4040), 0xc040u);
  EXPECT_EQ(eval32("mov.b32 %r2, 0xc0004200;\n mov.b32 %r3, 0x4200c000;\n"
                   "min.xorsign.abs.f16x2 %r1, %r2, %r3;"),
            0xc000c000u);
}

TEST(Forms, Halves) {
  auto fma = [](const std::string &form, uint32_t a, uint32_t b, uint32_t c) {
    return eval32("mov.b16 %h1, " + number(a) + ";\n mov.b16 %h2, " +
                  number(b) + ";\n mov.b16 %h3, " + number(c) + ";\n fma.rn" +
                  form + " %h4, %h1, %h2, %h3;\n cvt.u32.u16 %r1, %h4;");
  };
  EXPECT_EQ(fma(".ftz.sat.f16", 0x4000, 0x4000, 0x0001), 0x3c00u);
  EXPECT_EQ(fma(".ftz.relu.f16", 0xc000, 0x3c00, 0x3c00), 0u);
  // 0x7fff is what tensor maps fill with; other NaN stay NaN.
  EXPECT_EQ(fma(".oob.f16", 0x7fff, 0x4000, 0x3c00), 0u);
  EXPECT_EQ(fma(".oob.f16", 0x4000, 0x4000, 0x3c00), 0x4500u);
  EXPECT_EQ(fma(".oob.f16", 0x7e00, 0x4000, 0x3c00), 0x7fffu);
  EXPECT_EQ(fma(".oob.relu.bf16", 0xbf80, 0x3f80, 0x0000), 0u);
  EXPECT_EQ(eval32("mov.b32 %r2, 0x80013c00;\n neg.ftz.f16x2 %r1, %r2;"),
            0x0000bc00u);
  EXPECT_EQ(eval32("mov.b32 %r2, 0x8001bc00;\n abs.ftz.f16x2 %r1, %r2;"),
            0x00003c00u);
  EXPECT_EQ(eval32("mov.b16 %h1, 0x3c00;\n mov.b16 %h2, 0x3c00;\n"
                   "add.ftz.sat.f16 %h3, %h1, %h2;\n cvt.u32.u16 %r1, %h3;"),
            0x3c00u);
}

TEST(Forms, ComparisonsOfHalvesToHalves) {
  auto set = [](const std::string &form, uint32_t a, uint32_t b) {
    return eval32("mov.b16 %h1, " + number(a) + ";\n mov.b16 %h2, " +
                  number(b) + ";\n set." + form +
                  " %h3, %h1, %h2;\n cvt.u32.u16 %r1, %h3;");
  };
  EXPECT_EQ(set("lt.f16.f16", 0x3c00, 0x4000), 0x3c00u);
  EXPECT_EQ(set("gt.f16.f16", 0x3c00, 0x4000), 0u);
  EXPECT_EQ(set("eq.u16.f16", 0x8000, 0x0000), 0xffffu);
  EXPECT_EQ(set("neu.s16.f16", 0x7e00, 0x7e00), 0xffffu);
  EXPECT_EQ(set("le.bf16.bf16", 0x3f80, 0x3f80), 0x3f80u);
}

TEST(Forms, Multiply24AndHigh) {
  EXPECT_EQ(eval32("mov.u32 %r2, 0xff123456;\n mov.u32 %r3, 0x654321;\n"
                   "mad24.hi.u32 %r1, %r2, %r3, 5;"),
            static_cast<uint32_t>((0x123456ull * 0x654321ull >> 16) + 5));
  EXPECT_EQ(eval32("mov.s32 %r2, 0xffffff;\n mov.s32 %r3, 0x10000;\n"
                   "mad24.hi.s32 %r1, %r2, %r3, 0;"),
            0xffffffffu); // -1 x 2^16, without the lowest 16 bits
  EXPECT_EQ(eval32("mov.s32 %r2, 0x7fffff;\n"
                   "mad24.hi.sat.s32 %r1, %r2, %r2, 0x7fffffff;"),
            0x7fffffffu);
  EXPECT_EQ(eval32("mov.s32 %r2, 0x40000000;\n"
                   "mad.hi.sat.s32 %r1, %r2, %r2, 0x7fffffff;"),
            0x7fffffffu);
  EXPECT_EQ(eval32("mov.u16 %h1, 0x8000;\n mad.hi.u16 %h2, %h1, %h1, 3;\n"
                   "cvt.u32.u16 %r1, %h2;"),
            0x4003u);
  EXPECT_EQ(eval32("mov.s16 %h1, 0x8000;\n mad.hi.s16 %h2, %h1, 2, 3;\n"
                   "cvt.u32.u16 %r1, %h2;"),
            2u);
}

TEST(Forms, Bits) {
  auto fns = [](const char *mask, const char *base, const char *n) {
    return eval32(std::string("mov.b32 %r2, ") + mask + ";\n fns.b32 %r1, " +
                  "%r2, " + base + ", " + n + ";");
  };
  EXPECT_EQ(fns("0xaaaaaaaa", "3", "1"), 3u);
  EXPECT_EQ(fns("0xaaaaaaaa", "3", "-1"), 3u);
  EXPECT_EQ(fns("0xaaaaaaaa", "2", "1"), 3u);
  EXPECT_EQ(fns("0xaaaaaaaa", "2", "-1"), 1u);
  EXPECT_EQ(fns("0xaaaaaaaa", "2", "3"), 7u);
  EXPECT_EQ(fns("0xaaaaaaaa", "2", "0"), ~0u);
  EXPECT_EQ(fns("0xaaaaaaaa", "3", "0"), 3u);
  EXPECT_EQ(fns("0x00000010", "0", "2"), ~0u);
  auto szext = [](const char *form, const char *a, const char *n) {
    return eval32(std::string("mov.b32 %r2, ") + a + ";\n szext." + form +
                  " %r1, %r2, " + n + ";");
  };
  EXPECT_EQ(szext("clamp.s32", "0x8f", "8"), 0xffffff8fu);
  EXPECT_EQ(szext("clamp.u32", "0xf8f", "8"), 0x8fu);
  EXPECT_EQ(szext("clamp.s32", "0x80000001", "40"), 0x80000001u);
  EXPECT_EQ(szext("wrap.s32", "0xff", "40"), 0xffffffffu); // 8 bits
  EXPECT_EQ(szext("wrap.u32", "0xffffffff", "32"), 0u);
  EXPECT_EQ(szext("clamp.s32", "0xffffffff", "0"), 0u);
  EXPECT_EQ(eval32("mov.u32 %r2, 33;\n bmsk.wrap.b32 %r1, %r2, 2;"), 6u);
  EXPECT_EQ(eval32("mov.u32 %r2, 30;\n bmsk.wrap.b32 %r1, %r2, 5;"),
            0xc0000000u);
  EXPECT_EQ(eval32("mov.u32 %r2, 4;\n bmsk.wrap.b32 %r1, %r2, 32;"), 0u);
  // (a & b) ^ c, and whether it is set and %p2, or not %p2.
  std::string lop = "mov.b32 %r2, 12;\n mov.b32 %r3, 10;\n mov.b32 %r4, 8;\n"
                    "setp.eq.u32 %p2, %r2, 12;\n";
  EXPECT_EQ(eval32(lop + "lop3.and.b32 %r5|%p3, %r2, %r3, %r4, 0x6a, %p2;\n"
                         "selp.u32 %r1, 1, 0, %p3;\n add.u32 %r1, %r1, %r5;"),
            0u);
  EXPECT_EQ(eval32(lop + "lop3.or.b32 _|%p3, %r2, %r3, %r4, 0x6a, %p2;\n"
                         "selp.u32 %r1, 1, 0, %p3;"),
            1u);
  EXPECT_EQ(eval32(lop + "lop3.and.b32 %r5|%p3, %r2, %r3, 9, 0x6a, %p2;\n"
                         "selp.u32 %r1, 16, 0, %p3;\n add.u32 %r1, %r1, %r5;"),
            17u);
}

TEST(Forms, PackedConversions) {
  auto pack = [](const char *form, const char *a, const char *b,
                 const char *c) {
    return eval32(std::string("mov.b32 %r2, ") + a + ";\n mov.b32 %r3, " + b +
                  ";\n cvt.pack.sat." + form + " %r1, %r2, %r3" + c + ";");
  };
  EXPECT_EQ(pack("u16.s32", "-5", "70000", ""), 0x0000ffffu);
  EXPECT_EQ(pack("s16.s32", "-40000", "-2", ""), 0x8000fffeu);
  EXPECT_EQ(pack("u8.s32.b32", "300", "-1", ", 0x1234"), 0x1234ff00u);
  EXPECT_EQ(pack("s8.s32.b32", "-200", "5", ", 0xabcd"), 0xabcd8005u);
  EXPECT_EQ(pack("s4.s32.b32", "7", "-9", ", 0xabcdef"), 0xabcdef78u);
  EXPECT_EQ(pack("u2.s32.b32", "9", "1", ", 1"), 0x1du);
  // Bytes have registers of their own.
  EXPECT_EQ(eval32("{ .reg .b8 %b<4>;\n mov.b32 %r2, 0x44332211;\n"
                   "mov.b32 {%b0, %b1, %b2, %b3}, %r2;\n"
                   "mov.b32 %r1, {%b3, %b2, %b1, %b0}; }"),
            0x11223344u);
}

TEST(Forms, MatricesTurnWithinAWarp) {
  // Row g of the matrix is 8 g to 8 g + 7.
  std::string body = "shl.b32 %r2, %r0, 1;\n add.u32 %r3, %r2, 1;\n"
                     "shl.b32 %r3, %r3, 16;\n or.b32 %r2, %r2, %r3;\n"
                     "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;\n"
                     "st.global.b32 [%rd2], %r1;";
  KernelRun run = runBody(body, {}, threads(32));
  EXPECT_EQ(run.findings(), "");
  for (unsigned lane = 0; lane < 32; ++lane) {
    unsigned row = lane / 4, column = lane % 4 * 2;
    EXPECT_EQ(run.u32(lane), (column * 8 + row) | ((column + 1) * 8 + row)
                                                      << 16);
  }
}

TEST(Forms, TheLeaderDependsOnTheMaskAlone) {
  std::string body =
      "elect.sync %r1|%p1, 0xffff0000;\n selp.u32 %r2, 1, 0, %p1;\n"
      "elect.sync %r3|%p2, 0xffff0000;\n";
  std::string text = "setp.lt.u32 %p5, %r0, 16;\n@%p5 bra OUT;\n" + body +
                     "OUT:\n st.global.v4.u32 [%rd2], {%r1, %r2, %r3, %r3};";
  std::set<uint32_t> leaders;
  for (uint64_t seed = 0; seed < 30; ++seed) {
    std::string init = "mov.u32 %r1, 0; mov.u32 %r2, 0; mov.u32 %r3, 0;\n";
    KernelRun run = runBody(init + text, {}, threads(32, seed));
    EXPECT_EQ(run.findings(), "");
    uint32_t leader = run.u32(31);
    leaders.insert(leader);
    for (unsigned lane = 16; lane < 32; ++lane) {
      EXPECT_EQ(run.u32(lane, 0), leader);
      EXPECT_EQ(run.u32(lane, 1), lane == leader ? 1u : 0u);
      EXPECT_EQ(run.u32(lane, 2), leader);
    }
    if (!seed)
      EXPECT_EQ(leader, 16u);
  }
  EXPECT_GT(leaders.size(), 4u);
  EXPECT_GE(*leaders.begin(), 16u);
}

TEST(Forms, CopiesThatIgnoreTheirSource) {
  std::vector<std::array<uint32_t, 4>> in = {{1, 2, 3, 4}, {5, 6, 7, 8}};
  std::string body =
      "setp.eq.u32 %p1, %r0, 1;\n shl.b32 %r5, %r0, 4;\n"
      "mov.u32 %r6, tile;\n add.u32 %r6, %r6, %r5;\n"
      "cp.async.cg.shared.global [%r6], [%rd1], 16, %p1;\n"
      "cp.async.wait_all;\n ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r6];\n"
      "st.global.v4.u32 [%rd2], {%r1, %r2, %r3, %r4};";
  KernelRun run =
      runText(wrap(body, ".shared .align 16 .b32 tile[8];\n"), in, threads(2));
  EXPECT_EQ(run.findings(), "");
  EXPECT_EQ(run.out[0], in[0]);
  EXPECT_EQ(run.out[1], (std::array<uint32_t, 4>{0, 0, 0, 0}));
}

} // namespace
