//===- SystemTest.cpp - what the driver provides --------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of printf, malloc and assert, memory on the stack, and barriers of the
// whole grid.
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

const char *declarations = R"(
.extern .func (.param .b32 retval) vprintf(.param .b64 f, .param .b64 v);
.extern .func (.param .b64 retval) malloc(.param .b64 bytes);
.extern .func free(.param .b64 pointer);
.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l,
                           .param .b64 n, .param .b64 s);
.global .align 1 .b8 format[12] = {37, 100, 32, 37, 37, 32, 37, 108, 102, 10};
.global .align 1 .b8 text[6] = {120, 32, 62, 32, 48};
.global .align 1 .b8 file[5] = {97, 46, 99, 117};
)";

KernelRun runSystem(const std::string &body, unsigned count = 1) {
  return runText(wrap(body, declarations), {}, threads(count));
}

TEST(System, PrintfCountsItsArguments) {
  KernelRun run = runSystem(R"(
{ .param .b64 p0; .param .b64 p1; .param .b32 r;
mov.u64 %rd4, format; cvta.global.u64 %rd4, %rd4;
st.param.b64 [p0], %rd4; mov.u64 %rd5, 0; st.param.b64 [p1], %rd5;
call.uni (r), vprintf, (p0, p1);
ld.param.b32 %r1, [r]; }
st.global.u32 [%rd2], %r1;)");
  EXPECT_EQ(run.findings(), "");
  EXPECT_EQ(run.u32(0), 2u); // "%d %% %lf\n"
}

TEST(System, MallocGivesEveryThreadItsOwn) {
  std::string take = R"(
{ .param .b64 p0; .param .b64 r;
mov.u64 %rd4, %bytes; st.param.b64 [p0], %rd4;
call.uni (r), malloc, (p0);
ld.param.b64 %rd5, [r]; }
)";
  auto with = [&](const char *bytes) {
    std::string text = take;
    return text.replace(text.find("%bytes"), 6, bytes);
  };
  KernelRun run = runSystem(with("12") + R"(
st.u32 [%rd5+8], %r0;
bar.sync 0;
ld.u32 %r1, [%rd5+8];
st.global.u32 [%rd2], %r1;
{ .param .b64 p0; st.param.b64 [p0], %rd5; call.uni free, (p0); })",
                            64);
  EXPECT_EQ(run.findings(), "");
  for (unsigned t = 0; t < 64; ++t)
    EXPECT_EQ(run.u32(t), t);
  // More than the heap has; and what nobody wrote.
  EXPECT_EQ(runSystem(with("8388609") + "st.global.u64 [%rd2], %rd5;").u64(0),
            0u);
  only(runSystem(with("16") + "ld.u32 %r1, [%rd5];\n"
                              "st.global.u32 [%rd2], %r1;"),
       FindingKind::UninitialisedMemory);
}

TEST(System, AFailedAssertionSaysWhich) {
  Finding found = only(runSystem(R"(
setp.ne.u32 %p1, %r0, 3;
@%p1 bra FINE;
{ .param .b64 p0; .param .b64 p1; .param .b32 p2; .param .b64 p3;
.param .b64 p4;
mov.u64 %rd4, text; cvta.global.u64 %rd4, %rd4; st.param.b64 [p0], %rd4;
mov.u64 %rd4, file; cvta.global.u64 %rd4, %rd4; st.param.b64 [p1], %rd4;
mov.u32 %r1, 17; st.param.b32 [p2], %r1; st.param.b64 [p3], %rd4;
st.param.b64 [p4], 1;
call.uni __assertfail, (p0, p1, p2, p3, p4); }
FINE:
st.global.u32 [%rd2], %r0;)",
                                 8),
                       FindingKind::Trap);
  EXPECT_EQ(found.message, "the assertion 'x > 0' of a.cu:17 fails");
  EXPECT_EQ(found.lanes, 1u << 3);
}

TEST(System, OtherFunctionsNeedABody) {
  Result<Module> module =
      Module::parse(wrap("call.uni unknown;", ".extern .func unknown;\n"), "t");
  ASSERT_FALSE(bool(module));
  EXPECT_NE(module.error().find("expected a function with a body"),
            std::string::npos);
  module = Module::parse(wrap("{ .param .b32 p; call.uni free, (p); }",
                              ".extern .func free(.param .b32 p);\n"),
                         "t");
  ASSERT_FALSE(bool(module));
  EXPECT_NE(module.error().find("with the parameters that CUDA gives it"),
            std::string::npos);
}

TEST(System, StackPiecesAreApart) {
  // Lane i asks for 4 i + 4 bytes, and once more.
  std::string body = R"(
shl.b32 %r1, %r0, 2; add.u32 %r1, %r1, 4; cvt.u64.u32 %rd4, %r1;
stacksave.u64 %rd9;
alloca.u64 %rd5, %rd4, 16;
alloca.u64 %rd6, 8;
st.local.u32 [%rd5], %r0;
st.local.u32 [%rd6], 7;
and.b64 %rd7, %rd5, 15;
ld.local.u32 %r2, [%rd5];
ld.local.u32 %r3, [%rd6];
stackrestore.u64 %rd9;
alloca.u64 %rd8, 8;
sub.u64 %rd8, %rd8, %rd5;
cvt.u32.u64 %r5, %rd8;
cvt.u32.u64 %r4, %rd7;
st.global.v4.u32 [%rd2], {%r2, %r3, %r4, %r5};)";
  KernelRun run = runBody(body, {}, threads(32));
  EXPECT_EQ(run.findings(), "");
  for (unsigned t = 0; t < 32; ++t)
    EXPECT_EQ(run.out[t], (std::array<uint32_t, 4>{t, 7, 0, 0}));
  // Past the end of the largest piece, after it is given back, and too much.
  only(runBody("alloca.u64 %rd5, 8;\n st.local.u32 [%rd5+8], 1;", {},
               oneThread()),
       FindingKind::OutOfBounds);
  only(runBody("stacksave.u64 %rd4;\n alloca.u64 %rd5, 8;\n"
               "stackrestore.u64 %rd4;\n st.local.u32 [%rd5], 1;",
               {}, oneThread()),
       FindingKind::OutOfBounds);
  EXPECT_TRUE(runBody("alloca.u64 %rd5, 1000000;", {}, oneThread())
                  .has(FindingKind::OutOfBounds));
}

TEST(System, TheWholeGridMeets) {
  // Every block counts up and waits until all have; then it reads what the
  // block after it wrote.
  std::string body = R"(
mov.u32 %r10, %envreg1; mov.u32 %r11, %envreg2;
mov.b64 %rd10, {%r11, %r10};
mov.u32 %r12, %ctaid.x; mov.u32 %r13, %nctaid.x; mov.u32 %r14, %ntid.x;
mad.lo.u32 %r15, %r12, %r14, %r0;
mul.wide.u32 %rd11, %r15, 16;
ld.param.u64 %rd2, [out];
add.u64 %rd12, %rd2, %rd11;
mul.lo.u32 %r16, %r15, 3;
st.global.u32 [%rd12], %r16;
bar.sync 0;
setp.ne.u32 %p1, %r0, 0;
@%p1 bra MET;
fence.acq_rel.gpu;
atom.add.u32 %r17, [%rd10+4], 1;
WAIT:
ld.acquire.gpu.u32 %r17, [%rd10+4];
setp.lt.u32 %p2, %r17, %r13;
@%p2 bra WAIT;
MET:
bar.sync 0;
add.u32 %r18, %r12, 1; rem.u32 %r18, %r18, %r13;
mad.lo.u32 %r18, %r18, %r14, %r0;
mul.wide.u32 %rd13, %r18, 16; add.u64 %rd13, %rd13, %rd2;
ld.global.u32 %r19, [%rd13];
st.global.u32 [%rd12+4], %r19;)";
  for (uint64_t seed = 0; seed < 6; ++seed) {
    LaunchConfig config = threads(64, seed);
    config.grid = {5, 1, 1};
    config.threads = 2;
    KernelRun run = runBody(body, {}, config);
    EXPECT_EQ(run.findings(), "");
    EXPECT_TRUE(run.result.completed);
    for (unsigned i = 0; i < 5 * 64; ++i) {
      EXPECT_EQ(run.u32(i, 0), 3 * i);
      EXPECT_EQ(run.u32(i, 1), 3 * ((i + 64) % (5 * 64)));
    }
    // Without the wait the blocks race.
    std::string racing = body;
    racing.replace(racing.find("@%p2 bra WAIT;"), 14, "");
    EXPECT_TRUE(
        runBody(racing, {}, config).has(FindingKind::GlobalRace) ||
        runBody(racing, {}, config).has(FindingKind::UninitialisedMemory));
  }
}

} // namespace
