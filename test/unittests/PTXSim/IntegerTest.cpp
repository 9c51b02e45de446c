//===- IntegerTest.cpp - integer and bit instructions ---------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hand-made numbers from the definitions in the PTX ISA, edges included.
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

#include <algorithm>

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

struct Case32 {
  const char *code;
  uint32_t expected;
};
struct Case64 {
  const char *code;
  uint64_t expected;
};

TEST(Opcodes, EveryPatternIsListedOnce) {
  std::vector<std::string> patterns = supportedInstructions();
  std::sort(patterns.begin(), patterns.end());
  auto repeated = std::adjacent_find(patterns.begin(), patterns.end());
  EXPECT_EQ(repeated, patterns.end()) << *repeated;
}

TEST(Integer, ThirtyTwoBits) {
  const Case32 cases[] = {
      {"add.u32 %r1, 0xffffffff, 2;", 1},
      {"add.sat.s32 %r1, 0x7fffffff, 1;", 0x7fffffff},
      {"sub.s32 %r1, 1, 3;", 0xfffffffe},
      {"sub.sat.s32 %r1, 0x80000000, 1;", 0x80000000},
      {"neg.s32 %r1, 0x80000000;", 0x80000000},
      {"abs.s32 %r1, -5;", 5},
      {"mul.lo.s32 %r1, 0x10001, 0x10001;", 0x20001},
      {"mul.hi.u32 %r1, 0xffffffff, 0xffffffff;", 0xfffffffe},
      {"mul.hi.s32 %r1, -1, 1;", 0xffffffff},
      {"mad.lo.s32 %r1, 3, -4, 20;", 8},
      {"mad.hi.u32 %r1, 0x80000000, 6, 1;", 4},
      {"mul24.lo.u32 %r1, 0xff000002, 3;", 6},
      {"mul24.lo.s32 %r1, 0x00ffffff, 3;", 0xfffffffd},
      {"mul24.hi.u32 %r1, 0x800000, 0x10;", 0x800},
      {"mad24.lo.u32 %r1, 5, 6, 7;", 37},
      {"div.s32 %r1, -7, 2;", 0xfffffffd},
      {"rem.s32 %r1, -7, 2;", 0xffffffff},
      {"div.u32 %r1, 0xfffffff9, 2;", 0x7ffffffc},
      {"div.s32 %r1, 0x80000000, -1;", 0x80000000},
      {"rem.s32 %r1, 0x80000000, -1;", 0},
      {"min.s32 %r1, -1, 1;", 0xffffffff},
      {"min.u32 %r1, -1, 1;", 1},
      {"min.relu.s32 %r1, -1, 1;", 0},
      {"min.relu.s32 %r1, 3, 2;", 2},
      {"max.relu.s32 %r1, -1, -2;", 0},
      {"max.relu.s32 %r1, -1, 2;", 2},
      {"max.s32 %r1, -1, 1;", 1},
      {"max.u32 %r1, -1, 1;", 0xffffffff},
      {"sad.s32 %r1, -3, 4, 10;", 17},
      {"sad.u32 %r1, 3, 0xffffffff, 0;", 0xfffffffc},
      {"dp4a.s32.s32 %r1, 0x01FF0203, 0x02020202, 1;", 11},
      {"dp4a.u32.u32 %r1, 0x000000FF, 0x000000FF, 0;", 65025},
      {"dp4a.u32.s32 %r1, 0x000000FF, 0x000000FF, 0;", 0xffffff01},
      {"add.s16x2 %r1, 0x7fff0001, 0x0001ffff;", 0x80000000},
      {"min.s16x2 %r1, 0x80000005, 0x00010003;", 0x80000003},
      {"max.u16x2 %r1, 0x80000005, 0x00010003;", 0x80000005},
      {"min.s16x2.relu %r1, 0x80000005, 0x00010003;", 3},
      {"max.relu.s16x2 %r1, 0x8000fff0, 0x0001ffff;", 0x00010000},
      {"dp2a.lo.s32.s32 %r1, 0xFFFE0003, 0x01020504, 1;", 3},
      {"dp2a.hi.s32.s32 %r1, 0xFFFE0003, 0x01020504, 1;", 5},
      {"dp2a.lo.u32.u32 %r1, 0xFFFF0001, 0x000002FF, 0;", 131325},
      {"dp2a.hi.u32.s32 %r1, 0xFFFF0001, 0xFF010000, 0;", 0xffff0002},
      {"vabsdiff4.u32.u32.u32 %r1, 0x01FF0500, 0x030007FF, 9;", 0x02ff02ff},
      {"vabsdiff4.u32.u32.u32.add %r1, 0x01FF0500, 0x030007FF, 9;", 523},
      {"and.b32 %r1, 0xff00ff00, 0x0ff00ff0;", 0x0f000f00},
      {"or.b32 %r1, 0xf0, 0x0f;", 0xff},
      {"xor.b32 %r1, 0xff, 0x0f;", 0xf0},
      {"not.b32 %r1, 0;", 0xffffffff},
      {"cnot.b32 %r1, 0;", 1},
      {"cnot.b32 %r1, 9;", 0},
      {"shl.b32 %r1, 1, 31;", 0x80000000},
      {"shl.b32 %r1, 1, 32;", 0},
      {"shr.u32 %r1, 0x80000000, 31;", 1},
      {"shr.u32 %r1, 0x80000000, 99;", 0},
      {"shr.s32 %r1, 0x80000000, 31;", 0xffffffff},
      {"shr.s32 %r1, 0x80000000, 1000;", 0xffffffff},
      {"shf.l.wrap.b32 %r1, 0x80000001, 0x00000002, 33;", 5},
      {"shf.l.clamp.b32 %r1, 0x80000001, 0x00000002, 33;", 0x80000001},
      {"shf.r.wrap.b32 %r1, 0x80000001, 0x00000003, 1;", 0xc0000000},
      {"shf.r.clamp.b32 %r1, 0x80000001, 0x00000003, 40;", 3},
      {"popc.b32 %r1, 0xf0f0;", 8},
      {"clz.b32 %r1, 0;", 32},
      {"clz.b32 %r1, 0x00010000;", 15},
      {"brev.b32 %r1, 1;", 0x80000000},
      {"bfind.u32 %r1, 0x00010000;", 16},
      {"bfind.u32 %r1, 0;", 0xffffffff},
      {"bfind.s32 %r1, -1;", 0xffffffff},
      {"bfind.s32 %r1, -3;", 1},
      {"bfind.shiftamt.u32 %r1, 0x00010000;", 15},
      {"bfe.u32 %r1, 0x12345678, 8, 8;", 0x56},
      {"bfe.s32 %r1, 0x0000f000, 8, 8;", 0xfffffff0},
      {"bfe.u32 %r1, 0x12345678, 28, 8;", 1},
      {"bfe.s32 %r1, 0x80000000, 30, 8;", 0xfffffffe},
      {"bfe.s32 %r1, 0x80000000, 40, 8;", 0xffffffff},
      {"bfe.u32 %r1, 0x12345678, 0, 0;", 0},
      {"bfe.u32 %r1, 0x12345678, 0, 32;", 0x12345678},
      {"bfi.b32 %r1, 0xff, 0, 8, 4;", 0xf00},
      {"bfi.b32 %r1, 0xff, 0xffffffff, 28, 8;", 0xffffffff},
      {"bfi.b32 %r1, 0, 0xffffffff, 0, 32;", 0},
      {"bfi.b32 %r1, 5, 7, 32, 4;", 7},
      {"prmt.b32 %r1, 0x33221100, 0x77665544, 0x7410;", 0x77441100},
      {"prmt.b32 %r1, 0x80, 0, 0x8888;", 0xffffffff},
      {"prmt.b32.f4e %r1, 0x33221100, 0x77665544, 1;", 0x44332211},
      {"prmt.b32.rc16 %r1, 0x33221100, 0, 1;", 0x33223322},
      {"lop3.b32 %r1, 0xf0, 0xcc, 0xaa, 0x80;", 0x80},
      {"lop3.b32 %r1, 0xf0, 0xcc, 0xaa, 0x96;", 0x96},
      {"bmsk.clamp.b32 %r1, 4, 8;", 0xff0},
      {"add.cc.u32 %r2, 0xffffffff, 1; addc.u32 %r1, 0, 0;", 1},
      {"sub.cc.u32 %r2, 0, 1; subc.u32 %r1, 5, 0;", 4},
      {"sub.cc.u32 %r2, 1, 1; subc.u32 %r1, 5, 0;", 5},
      // The carry of a subtraction is set where nothing was borrowed.
      {"sub.cc.u32 %r2, 0, 1; addc.u32 %r1, 5, 0;", 5},
      {"sub.cc.u32 %r2, 1, 1; addc.u32 %r1, 5, 0;", 6},
      {"add.cc.u32 %r2, 0xffffffff, 1; addc.cc.u32 %r3, 0xffffffff, 0; "
       "addc.u32 %r1, 7, 0;",
       8},
      {"mad.lo.cc.u32 %r2, 0xffffffff, 1, 1; madc.hi.u32 %r1, 0x80000000, 4, "
       "0;",
       3},
  };
  for (const Case32 &c : cases)
    EXPECT_EQ(eval32(c.code), c.expected) << c.code;
}

TEST(Integer, SixtyFourBits) {
  const Case64 cases[] = {
      {"add.s64 %rd10, 0xffffffffffffffff, 2;", 1},
      {"mul.wide.u32 %rd10, 0xffffffff, 0xffffffff;", 0xfffffffe00000001ull},
      {"mul.wide.s32 %rd10, -2, 3;", 0xfffffffffffffffaull},
      {"mad.wide.s32 %rd10, -2, 3, 10;", 4},
      {"mul.lo.s64 %rd10, 0x100000001, 0x100000001;", 0x200000001ull},
      {"mul.hi.u64 %rd10, 0xffffffffffffffff, 2;", 1},
      {"mul.hi.s64 %rd10, -1, 2;", 0xffffffffffffffffull},
      {"div.s64 %rd10, -100, 7;", uint64_t(-14)},
      {"rem.u64 %rd10, 100, 7;", 2},
      {"shl.b64 %rd10, 1, 63;", uint64_t(1) << 63},
      {"shl.b64 %rd10, 1, 64;", 0},
      {"shr.s64 %rd10, 0x8000000000000000, 63;", ~uint64_t(0)},
      {"bfe.u64 %rd10, 0x123456789abcdef0, 32, 16;", 0x5678},
      {"bfi.b64 %rd10, 0xff, 0, 60, 8;", 0xf000000000000000ull},
      {"brev.b64 %rd10, 1;", uint64_t(1) << 63},
      {"min.s64 %rd10, -1, 1;", ~uint64_t(0)},
      {"abs.s64 %rd10, -9;", 9},
      {"selp.b64 %rd10, 1, 2, 0;", 2},
  };
  for (const Case64 &c : cases)
    EXPECT_EQ(eval64(c.code), c.expected) << c.code;
  EXPECT_EQ(eval32("popc.b64 %r1, 0xf00000000000000f;"), 8u);
  EXPECT_EQ(eval32("clz.b64 %r1, 1;"), 63u);
  EXPECT_EQ(eval32("bfind.u64 %r1, 0x100000000;"), 32u);
}

TEST(Integer, SixteenBits) {
  auto eval16 = [](const std::string &code) {
    return eval32(code + " cvt.u32.u16 %r1, %h1;");
  };
  EXPECT_EQ(eval16("add.s16 %h1, 0x7fff, 1;"), 0x8000u);
  EXPECT_EQ(eval16("mul.lo.s16 %h1, 300, 300;"), 90000u & 0xffff);
  EXPECT_EQ(eval16("shr.s16 %h1, 0x8000, 20;"), 0xffffu);
  EXPECT_EQ(eval16("shr.u16 %h1, 0x8000, 15;"), 1u);
  EXPECT_EQ(eval16("shl.b16 %h1, 1, 16;"), 0u);
  EXPECT_EQ(eval16("max.s16 %h1, -1, 1;"), 1u);
  EXPECT_EQ(eval16("neg.s16 %h1, 1;"), 0xffffu);
  EXPECT_EQ(eval32("mul.wide.s16 %r1, -300, 300;"), uint32_t(-90000));
  EXPECT_EQ(eval32("mul.wide.u16 %r1, 0xffff, 0xffff;"), 0xfffe0001u);
  EXPECT_EQ(eval32("mad.wide.u16 %r1, 0xffff, 2, 5;"), 131075u);
}

TEST(Integer, PacksAndUnpacks) {
  EXPECT_EQ(eval32("mov.u16 %h1, 0x1122; mov.u16 %h2, 0x3344; "
                   "mov.b32 %r1, {%h1, %h2};"),
            0x33441122u);
  EXPECT_EQ(eval32("mov.b32 %r2, 0x33441122; mov.b32 {%h1, %h2}, %r2; "
                   "cvt.u32.u16 %r1, %h2;"),
            0x3344u);
  EXPECT_EQ(eval64("mov.b64 %rd10, {1, 2};"), 0x200000001ull);
  EXPECT_EQ(eval32("mov.u64 %rd10, 0x900000008; mov.b64 {_, %r1}, %rd10;"), 9u);
  EXPECT_EQ(eval64("mov.u16 %h1, 1; mov.u16 %h2, 2; mov.u16 %h3, 3; "
                   "mov.u16 %h4, 4; mov.b64 %rd10, {%h1, %h2, %h3, %h4};"),
            0x0004000300020001ull);
}

TEST(Integer, Predicates) {
  auto truth = [](const std::string &code) {
    return eval32(code + " selp.u32 %r1, 1, 0, %p1;");
  };
  EXPECT_EQ(truth("setp.lt.s32 %p1, -1, 0;"), 1u);
  EXPECT_EQ(truth("setp.lt.u32 %p1, -1, 0;"), 0u);
  EXPECT_EQ(truth("setp.lo.u32 %p1, 1, 2;"), 1u);
  EXPECT_EQ(truth("setp.hs.u32 %p1, 2, 2;"), 1u);
  EXPECT_EQ(truth("setp.ne.s32 %p1, 2, 2;"), 0u);
  EXPECT_EQ(truth("setp.eq.s32 %p2, 1, 2; setp.eq.or.s32 %p1, 3, 4, !%p2;"),
            1u);
  EXPECT_EQ(truth("setp.eq.s32 %p2, 1, 1; setp.eq.xor.s32 %p1, 3, 3, %p2;"),
            0u);
  EXPECT_EQ(truth("setp.ge.s32 %p2|%p1, 1, 5;"), 1u);
  EXPECT_EQ(truth("setp.gt.s64 %p1, 0x100000000, 1;"), 1u);
  EXPECT_EQ(truth("setp.gt.s16 %p1, -1, 1;"), 0u);
  EXPECT_EQ(truth("mov.pred %p2, 1; not.pred %p3, %p2; or.pred %p1, %p2, %p3;"),
            1u);
  EXPECT_EQ(truth("mov.pred %p2, 1; and.pred %p1, %p2, 0;"), 0u);
  EXPECT_EQ(eval32("set.lt.u32.s32 %r1, 1, 2;"), 0xffffffffu);
  EXPECT_EQ(eval32("set.lt.f32.s32 %f1, 1, 2; mov.b32 %r1, %f1;"), 0x3f800000u);
  EXPECT_EQ(eval32("slct.s32.s32 %r1, 5, 6, -1;"), 6u);
  EXPECT_EQ(eval32("slct.b32.f32 %r1, 5, 6, 0f80000000;"), 5u);
  // A negative subnormal is below zero unless it is flushed; NaN selects b.
  EXPECT_EQ(eval32("slct.b32.f32 %r1, 5, 6, 0f80000001;"), 6u);
  EXPECT_EQ(eval32("slct.ftz.b32.f32 %r1, 5, 6, 0f80000001;"), 5u);
  EXPECT_EQ(eval32("slct.ftz.b32.f32 %r1, 5, 6, 0f7FC00000;"), 6u);
}

} // namespace
