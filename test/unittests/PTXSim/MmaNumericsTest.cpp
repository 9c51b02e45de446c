//===- MmaNumericsTest.cpp - the ways in which tensor cores sum -----------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums whose result says how they were made, by mma, wmma and wgmma: with C = 1
// and equal products small enough to be cut off, or with fp64 products that
// cancel in one order alone.
//
//===----------------------------------------------------------------------===//

#include "HopperUtils.h"

#include <set>

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

constexpr uint64_t numWays = 40;

KernelRun runWith(const std::string &text, unsigned count, uint64_t numerics,
                  std::vector<std::array<uint32_t, 4>> in = {}) {
  LaunchConfig config = threads(count);
  config.mmaNumerics = numerics;
  KernelRun run = runText(text, std::move(in), config);
  EXPECT_EQ(run.findings(), "");
  return run;
}

/// `count` registers of one value, with the text that sets it.
std::string list(const char *name, unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i)
    text += std::string(i ? ", " : "") + name;
  return text + "}";
}

// A and B of 2^-13 in fp16: sixteen products of 2^-26 beside a C of 1.
const std::string halves = "mov.b32 %r1, 0x08000800;\n mov.b32 %r3, "
                           "0x3f800000;\n";
const std::string mmaHalf =
    halves +
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r10, %r11, "
    "%r12, %r13}, " +
    list("%r1", 4) + ", " + list("%r1", 2) + ", " + list("%r3", 4) + ";\n" +
    "st.global.v4.b32 [%rd2], {%r10, %r11, %r12, %r13};";
const std::string wmmaHalf =
    halves +
    "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%r10, %r11, %r12, %r13, "
    "%r14, %r15, %r16, %r17}, " +
    list("%r1", 8) + ", " + list("%r1", 8) + ", " + list("%r3", 8) + ";\n" +
    "st.global.v4.b32 [%rd2], {%r10, %r13, %r14, %r17};";

/// wgmma.m64n8 with A and C in registers and B all of one value in memory.
std::string wgmma(const char *types, unsigned k, const char *a, const char *b,
                  const char *transpose) {
  return wrap90(std::string("mov.b32 %r1, ") + a + ";\nmov.b32 %r2, " + b +
                    R"(;
mov.u32 %r4, tile; shl.b32 %r5, %r0, 2; add.u32 %r5, %r4, %r5;
st.shared.b32 [%r5], %r2;
fence.proxy.async.shared::cta;
bar.sync 0;
mov.b32 %r10, 0x3f800000; mov.b32 %r11, %r10;
mov.b32 %r12, %r10; mov.b32 %r13, %r10;
shr.u32 %r6, %r4, 4; cvt.u64.u32 %rd5, %r6;
or.b64 %rd5, %rd5, 0x0000000800080000;
setp.eq.u32 %p1, %r0, %r0;
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k)" +
                    std::to_string(k) + types +
                    " {%r10, %r11, %r12, %r13}, {%r1, %r1, %r1, %r1}, %rd5, "
                    "%p1, 1, 1" +
                    transpose + R"(;
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
st.global.v4.b32 [%rd2], {%r10, %r11, %r12, %r13};)",
                ".shared .align 128 .b32 tile[128];\n");
}

/// What `numWays` machines give; every element of a result is the same.
std::set<float> resultsOf(const std::string &text, unsigned count,
                          std::vector<float> *each = nullptr) {
  std::set<float> all;
  for (uint64_t way = 1; way <= numWays; ++way) {
    KernelRun run = runWith(text, count, way);
    for (unsigned t = 0; t < count; ++t)
      for (unsigned w = 0; w < 4; ++w)
        EXPECT_EQ(run.f32(t, w), run.f32(0));
    all.insert(run.f32(0));
    if (each)
      each->push_back(run.f32(0));
  }
  return all;
}

TEST(MmaNumerics, SmallProductsAreCutOff) {
  std::string byWarpgroup =
      wgmma(".f32.f16.f16", 16, "0x08000800", "0x08000800", ", 0");
  std::vector<float> mma, wmma, warpgroup;
  // Cut off 24 or 25 bits below 1, or four at a time rounded to fp32, the
  // products are gone; kept at 26 bits, eight or sixteen together count.
  std::set<float> expected = {1.0f, 1.0f + 0x1p-22f};
  EXPECT_EQ(resultsOf(wrap(mmaHalf), 32, &mma), expected);
  EXPECT_EQ(resultsOf(wrap(wmmaHalf), 32, &wmma), expected);
  EXPECT_EQ(resultsOf(byWarpgroup, 128, &warpgroup), expected);
  // A machine is one machine.
  EXPECT_EQ(mma, wmma);
  EXPECT_EQ(mma, warpgroup);
  // Without it the sum is exact.
  EXPECT_EQ(runWith(wrap(mmaHalf), 32, 0).f32(3), 1.0f + 0x1p-22f);
  EXPECT_EQ(runWith(wrap(wmmaHalf), 32, 0).f32(3), 1.0f + 0x1p-22f);
  EXPECT_EQ(runWith(byWarpgroup, 128, 0).f32(3), 1.0f + 0x1p-22f);
}

TEST(MmaNumerics, EightBitFloatsMayKeepThirteenBits) {
  // 32 products of 2^-14: A of 2^-6 and B of 2^-8, which is subnormal.
  std::string text =
      wgmma(".f32.e4m3.e4m3", 32, "0x08080808", "0x02020202", "");
  EXPECT_EQ(resultsOf(text, 128), (std::set<float>{1.0f, 1.0f + 0x1p-9f}));
  EXPECT_EQ(runWith(text, 128, 0).f32(7), 1.0f + 0x1p-9f);
}

TEST(MmaNumerics, DoublesAreAddedInSomeOrder) {
  // The products of a row are 2^60, 1, -2^60 and 1: in order, 1 is left.
  std::vector<std::array<uint32_t, 4>> in(32);
  for (unsigned row = 0; row < 8; ++row) {
    in[2 * row] = {0, 0x43b00000u, 0, 0x3ff00000u};
    in[2 * row + 1] = {0, 0xc3b00000u, 0, 0x3ff00000u};
  }
  std::string constants = "ld.param.u64 %rd1, [in];\n"
                          "mov.b64 %rd6, 0d3FF0000000000000;\n"
                          "mov.b64 %rd7, 0d0000000000000000;\n";
  std::string mma =
      constants +
      "mul.wide.u32 %rd4, %r0, 8;\n add.u64 %rd4, %rd4, %rd1;\n"
      "ld.global.b64 %rd5, [%rd4];\n"
      "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%rd8, %rd9}, {%rd5}, "
      "{%rd6}, {%rd7, %rd7};\n st.global.v2.b64 [%rd2], {%rd8, %rd9};";
  std::string wmma =
      constants +
      "wmma.load.a.sync.aligned.row.m8n8k4.global.f64 {%rd5}, [%rd1];\n"
      "wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64 {%rd8, %rd9}, "
      "{%rd5}, {%rd6}, {%rd7, %rd7};\n st.global.v2.b64 [%rd2], {%rd8, %rd9};";
  for (const std::string &body : {mma, wmma}) {
    std::set<double> all;
    for (uint64_t way = 1; way <= numWays; ++way)
      all.insert(runWith(wrap(body), 32, way, in).f64(5, 1));
    EXPECT_EQ(all, (std::set<double>{0, 1, 2}));
    EXPECT_EQ(runWith(wrap(body), 32, 0, in).f64(5, 1), 1);
  }
}

} // namespace
