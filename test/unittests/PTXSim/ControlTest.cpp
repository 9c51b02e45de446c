//===- ControlTest.cpp - divergence, calls, local memory ------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes that take different paths meet again where they must: seen through
// activemask and through what each lane computes.
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

TEST(Control, IfElseMeetsAgain) {
  KernelRun run = runBody(R"(
    and.b32 %r1, %r0, 1;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra EVEN;
    activemask.b32 %r2;
    bra JOIN;
  EVEN:
    activemask.b32 %r2;
  JOIN:
    activemask.b32 %r3;
    st.global.v2.b32 [%rd2], {%r2, %r3};)",
                          {}, threads(32));
  EXPECT_EQ(run.findings(), "");
  EXPECT_EQ(run.u32(0), 0x55555555u);
  EXPECT_EQ(run.u32(1), 0xaaaaaaaau);
  EXPECT_EQ(run.u32(0, 1), 0xffffffffu);
  EXPECT_EQ(run.u32(1, 1), 0xffffffffu);
}

TEST(Control, LoopsOfDifferentLength) {
  // Lane i sums 0..i; the early ones wait after the loop.
  KernelRun run = runBody(R"(
    mov.u32 %r1, 0; mov.u32 %r2, 0;
  LOOP:
    setp.gt.u32 %p1, %r1, %r0;
    @%p1 bra DONE;
    add.u32 %r2, %r2, %r1;
    add.u32 %r1, %r1, 1;
    bra LOOP;
  DONE:
    activemask.b32 %r3;
    st.global.v2.b32 [%rd2], {%r2, %r3};)",
                          {}, threads(32));
  EXPECT_EQ(run.findings(), "");
  for (unsigned i = 0; i < 32; ++i) {
    EXPECT_EQ(run.u32(i), i * (i + 1) / 2);
    EXPECT_EQ(run.u32(i, 1), 0xffffffffu);
  }
}

TEST(Control, NestedWithBreakAndEarlyExit) {
  // for (a = 0; a < 4; ++a) { if (lane == 5) return; for (b..) if (b > lane)
  // break; }
  KernelRun run = runBody(R"(
    mov.u32 %r1, 0; mov.u32 %r5, 0;
    st.global.b32 [%rd2], %r5;
  OUTER:
    setp.eq.u32 %p1, %r0, 5;
    @%p1 exit;
    mov.u32 %r2, 0;
  INNER:
    setp.gt.u32 %p2, %r2, %r0;
    @%p2 bra BREAK;
    add.u32 %r5, %r5, 1;
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p3, %r2, 8;
    @%p3 bra INNER;
  BREAK:
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p4, %r1, 4;
    @%p4 bra OUTER;
    activemask.b32 %r6;
    st.global.v2.b32 [%rd2], {%r5, %r6};)",
                          {}, threads(32));
  EXPECT_EQ(run.findings(), "");
  for (unsigned i = 0; i < 32; ++i) {
    if (i == 5) {
      EXPECT_EQ(run.u32(i), 0u);
      continue;
    }
    EXPECT_EQ(run.u32(i), 4 * std::min(i + 1, 8u)) << i;
    EXPECT_EQ(run.u32(i, 1), 0xffffffdfu);
  }
}

TEST(Control, BranchTable) {
  KernelRun run = runBody(R"(
    and.b32 %r1, %r0, 3;
    mov.u32 %r2, 100;
    ts: .branchtargets A, B, C, JOIN;
    brx.idx %r1, ts;
  A:
    mov.u32 %r2, 10; bra JOIN;
  B:
    mov.u32 %r2, 20;
  C:
    add.u32 %r2, %r2, 1;
  JOIN:
    activemask.b32 %r3;
    st.global.v2.b32 [%rd2], {%r2, %r3};)",
                          {}, threads(32));
  EXPECT_EQ(run.findings(), "");
  const uint32_t expected[4] = {10, 21, 101, 100};
  for (unsigned i = 0; i < 32; ++i) {
    EXPECT_EQ(run.u32(i), expected[i % 4]);
    EXPECT_EQ(run.u32(i, 1), 0xffffffffu);
  }
}

TEST(Control, PredicatedInstructionsLeaveOtherLanesAlone) {
  KernelRun run = runBody(R"(
    mov.u32 %r1, 7;
    setp.lt.u32 %p1, %r0, 4;
    @%p1 mov.u32 %r1, 9;
    @!%p1 add.u32 %r1, %r1, 1;
    st.global.b32 [%rd2], %r1;)",
                          {}, threads(32));
  EXPECT_EQ(run.u32(3), 9u);
  EXPECT_EQ(run.u32(4), 8u);
}

const char *functions = R"(
.func (.param .b32 ret) factorial(.param .b32 n);
.func (.param .b32 ret) factorial(.param .b32 n) {
  .reg .b32 %r<9>; .reg .pred %p<3>;
  ld.param.u32 %r1, [n];
  setp.lt.u32 %p1, %r1, 2;
  mov.u32 %r2, 1;
  @%p1 bra END;
  add.u32 %r3, %r1, -1;
  { .param .b32 arg; .param .b32 res;
    st.param.b32 [arg], %r3;
    call.uni (res), factorial, (arg);
    ld.param.b32 %r4, [res]; }
  mul.lo.u32 %r2, %r1, %r4;
END:
  st.param.b32 [ret], %r2;
  ret;
}
.func early(.param .b64 p, .param .b32 lane) {
  .reg .b64 %rd<3>; .reg .b32 %r<3>; .reg .pred %p<2>;
  ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [lane];
  setp.lt.u32 %p1, %r1, 8;
  @%p1 ret;
  setp.gt.u32 %p1, %r1, 29;
  @%p1 exit;
  st.b32 [%rd1], %r1;
}
)";

TEST(Control, CallsRecurseAndDiverge) {
  KernelRun run = runText(wrap(R"(
    and.b32 %r1, %r0, 7;
    { .param .b32 a; .param .b32 b;
      st.param.b32 [a+0], %r1;
      call (b), factorial, (a);
      ld.param.b32 %r2, [b+0]; }
    st.global.b32 [%rd2], %r2;)",
                               functions),
                          {}, threads(32));
  EXPECT_EQ(run.findings(), "");
  const uint32_t expected[8] = {1, 1, 2, 6, 24, 120, 720, 5040};
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(run.u32(i), expected[i % 8]);
}

TEST(Control, ReturnsAndExitsInsideACall) {
  KernelRun run = runText(wrap(R"(
    { .param .b64 a; .param .b32 b;
      st.param.b64 [a], %rd2; st.param.b32 [b], %r0;
      call.uni early, (a, b); }
    activemask.b32 %r2;
    st.global.b32 [%rd2+4], %r2;)",
                               functions),
                          {}, threads(32));
  EXPECT_EQ(run.findings(), "");
  EXPECT_EQ(run.u32(0, 1), 0x3fffffffu);
  EXPECT_EQ(run.u32(10), 10u);
  EXPECT_EQ(run.u32(31, 1), 0xcbcbcbcbu); // left inside the call
}

TEST(Control, LocalMemoryAndGenericAddresses) {
  KernelRun run = runBody(R"(
    .local .align 16 .b8 depot[64];
    .reg .b64 %SP, %SPL;
    mov.b64 %SPL, depot;
    cvta.local.u64 %SP, %SPL;
    mul.wide.u32 %rd10, %r0, 4;
    and.b64 %rd10, %rd10, 60;
    add.s64 %rd11, %SP, %rd10;
    add.s64 %rd12, %SPL, %rd10;
    st.u32 [%rd11], %r0;
    ld.local.u32 %r1, [%rd12];
    cvta.to.local.u64 %rd13, %rd11;
    st.local.v2.u32 [depot+8], {%r1, %r0};
    ld.local.u32 %r2, [depot+12];
    isspacep.local %p1, %rd11; selp.u32 %r3, 1, 0, %p1;
    isspacep.global %p2, %rd2; selp.u32 %r4, 1, 0, %p2;
    st.global.v4.u32 [%rd2], {%r1, %r2, %r3, %r4};)",
                          {}, threads(32));
  EXPECT_EQ(run.findings(), "");
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(run.out[i], (std::array<uint32_t, 4>{i, i, 1, 1}));
}

TEST(Control, SpecialRegisters) {
  LaunchConfig config;
  config.block = {64, 1, 1};
  config.grid = {2, 1, 1};
  Result<Module> module = Module::parse(header + R"(
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<20>; .reg .b64 %rd<5>;
  mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z;
  mov.u32 %r4, %ctaid.y; mov.u32 %r5, %nctaid.y;
  mov.u32 %r6, %laneid; mov.u32 %r7, %warpid; mov.u32 %r8, %lanemask_lt;
  mov.u32 %r9, %ntid.y;
  mad.lo.u32 %r10, %r3, 4, %r2; mad.lo.u32 %r10, %r10, 8, %r1;
  mad.lo.u32 %r11, %r4, 64, %r10;
  mul.wide.u32 %rd1, %r11, 32; ld.param.u64 %rd2, [out];
  add.u64 %rd3, %rd1, %rd2;
  st.global.v4.u32 [%rd3], {%r1, %r2, %r3, %r4};
  st.global.v4.u32 [%rd3+16], {%r6, %r7, %r8, %r5};
  ret;
})",
                                        "m.ptx");
  ASSERT_TRUE(bool(module)) << module.error();
  config.block = {8, 4, 2};
  config.grid = {1, 2, 1};
  Memory memory;
  uint64_t out = memory.allocate(128 * 32, "out");
  auto result = launch(*module, "k", memory, Arguments().pointer(out), config);
  ASSERT_TRUE(bool(result)) << result.error();
  EXPECT_TRUE(result->findings.empty());
  std::vector<std::array<uint32_t, 8>> rows(128);
  memory.read(out, rows.data(), 128 * 32);
  for (unsigned i = 0; i < 128; ++i) {
    unsigned t = i % 64;
    EXPECT_EQ(rows[i],
              (std::array<uint32_t, 8>{t % 8, t / 8 % 4, t / 32, i / 64, t % 32,
                                       t / 32, (1u << t % 32) - 1, 2}));
  }
}

} // namespace
