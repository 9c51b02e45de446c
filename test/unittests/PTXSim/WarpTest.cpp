//===- WarpTest.cpp - shuffles, votes, barriers, atomics ------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exchange within a warp and between the warps of a block.
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

TEST(Warp, Shuffles) {
  KernelRun run = runBody(R"(
    add.u32 %r1, %r0, 100;
    shfl.sync.up.b32 %r2, %r1, 1, 0, -1;
    shfl.sync.down.b32 %r3|%p1, %r1, 2, 31, -1;
    shfl.sync.bfly.b32 %r4, %r1, 16, 31, 0xffffffff;
    // segments of 8 lanes: c = 0x181f
    shfl.sync.idx.b32 %r5, %r1, 3, 0x181f, -1;
    selp.u32 %r6, 1000, 0, %p1;
    add.u32 %r3, %r3, %r6;
    st.global.v4.u32 [%rd2], {%r2, %r3, %r4, %r5};)",
                          {}, threads(32));
  EXPECT_EQ(run.findings(), "");
  for (unsigned i = 0; i < 32; ++i) {
    EXPECT_EQ(run.u32(i, 0), 100 + (i ? i - 1 : 0));
    EXPECT_EQ(run.u32(i, 1), i < 30 ? 1102 + i : 100 + i);
    EXPECT_EQ(run.u32(i, 2), 100 + (i ^ 16));
    EXPECT_EQ(run.u32(i, 3), 100 + i / 8 * 8 + 3);
  }
}

TEST(Warp, ShufflesReadFromMembersAlone) {
  // Two halves exchange within themselves, each with its own mask.
  const std::string halves = R"(
    setp.lt.u32 %p1, %r0, 16;
    selp.b32 %r4, 0x0000ffff, 0xffff0000, %p1;
    shfl.sync.bfly.b32 %r2, %r0, DISTANCE, 31, %r4;
    st.global.b32 [%rd2], %r2;)";
  auto withDistance = [&](const std::string &distance) {
    std::string body = halves;
    body.replace(body.find("DISTANCE"), 8, distance);
    return runBody(body, {}, threads(32));
  };
  EXPECT_EQ(withDistance("8").findings(), "");
  KernelRun across = withDistance("16");
  EXPECT_EQ(only(across, FindingKind::InactiveLane).lanes, 0xffffffffu);
  EXPECT_NE(across.findings().find("its member mask does not name"),
            std::string::npos);

  // Lanes that have left may be named, but not read.
  const std::string left = R"(
    setp.ge.u32 %p1, %r0, 24;
    @%p1 exit;
    shfl.sync.down.b32 %r2, %r0, DISTANCE, CLAMP, 0xffffffff;
    st.global.b32 [%rd2], %r2;)";
  auto afterExit = [&](const std::string &distance, const std::string &clamp) {
    std::string body = left;
    body.replace(body.find("DISTANCE"), 8, distance);
    body.replace(body.find("CLAMP"), 5, clamp);
    return runBody(body, {}, threads(32));
  };
  EXPECT_EQ(afterExit("4", "0x1807").findings(), "");
  EXPECT_EQ(only(afterExit("4", "31"), FindingKind::InactiveLane).lanes,
            0x00f00000u);
}

TEST(Warp, VotesMatchesReductions) {
  KernelRun run = runBody(R"(
    setp.lt.u32 %p1, %r0, 10;
    vote.sync.ballot.b32 %r1, %p1, -1;
    vote.sync.any.pred %p2, %p1, -1;
    vote.sync.all.pred %p3, !%p1, -1;
    vote.sync.uni.pred %p4, %p1, -1;
    selp.u32 %r2, 1, 0, %p2; selp.u32 %r3, 2, 0, %p3; selp.u32 %r4, 4, 0, %p4;
    or.b32 %r2, %r2, %r3; or.b32 %r2, %r2, %r4;
    and.b32 %r5, %r0, 3;
    match.any.sync.b32 %r6, %r5, -1;
    redux.sync.add.u32 %r7, %r0, -1;
    st.global.v4.u32 [%rd2], {%r1, %r2, %r6, %r7};)",
                          {}, threads(32));
  EXPECT_EQ(run.findings(), "");
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(run.out[i],
              (std::array<uint32_t, 4>{0x3ff, 1, 0x11111111u << i % 4, 496}));
}

TEST(Warp, ReductionsOverPartOfTheWarp) {
  KernelRun run = runBody(R"(
    setp.lt.u32 %p1, %r0, 4;
    mov.u32 %r1, 0; mov.u32 %r2, 0; mov.u32 %r3, 0; mov.u32 %r4, 0;
    sub.s32 %r5, 2, %r0;
    @%p1 redux.sync.min.s32 %r1, %r5, 0xf;
    @%p1 redux.sync.max.u32 %r2, %r5, 0xf;
    @%p1 match.all.sync.b32 %r3|%p2, 5, 0xf;
    @%p1 elect.sync %r4|%p3, 0xf;
    st.global.v4.u32 [%rd2], {%r1, %r2, %r3, %r4};)",
                          {}, threads(32));
  EXPECT_EQ(run.findings(), "");
  EXPECT_EQ(run.out[3],
            (std::array<uint32_t, 4>{0xffffffff, 0xffffffff, 0xf, 0}));
  EXPECT_EQ(run.out[4], (std::array<uint32_t, 4>{0, 0, 0, 0}));
}

const char *sharedArray = ".shared .align 16 .b8 s[4096];\n";

TEST(Block, BarrierOrdersSharedMemory) {
  for (uint64_t seed = 0; seed < 3; ++seed) {
    KernelRun run = runText(wrap(R"(
    mov.u32 %r10, s;
    shl.b32 %r1, %r0, 2;
    add.u32 %r2, %r10, %r1;
    st.shared.u32 [%r2], %r0;
    bar.sync 0;
    sub.u32 %r3, 127, %r0;
    shl.b32 %r3, %r3, 2;
    add.u32 %r3, %r3, %r10;
    ld.shared.u32 %r4, [%r3];
    st.global.u32 [%rd2], %r4;)",
                                 sharedArray),
                            {}, threads(128, seed));
    EXPECT_EQ(run.findings(), "");
    for (unsigned i = 0; i < 128; ++i)
      EXPECT_EQ(run.u32(i), 127 - i);
  }
}

TEST(Block, NamedBarriersProducersConsumers) {
  // Warp 0 fills, arrives at 1 and goes on; warp 1 waits at 1 and reads.
  for (uint64_t seed = 0; seed < 5; ++seed) {
    KernelRun run = runText(wrap(R"(
    mov.u32 %r10, s;
    shl.b32 %r1, %r0, 2;
    add.u32 %r2, %r10, %r1;
    mov.u32 %r4, 0;
    setp.lt.u32 %p1, %r0, 32;
    @%p1 bra PRODUCER;
    bar.sync 1, 64;
    ld.shared.u32 %r4, [%r2+-128];
    bra DONE;
  PRODUCER:
    st.shared.u32 [%r2], %r0;
    bar.arrive 1, 64;
  DONE:
    st.global.u32 [%rd2], %r4;)",
                                 sharedArray),
                            {}, threads(64, seed));
    EXPECT_EQ(run.findings(), "");
    for (unsigned i = 0; i < 64; ++i)
      EXPECT_EQ(run.u32(i), i < 32 ? 0 : i - 32);
  }
}

TEST(Block, BarrierReductions) {
  KernelRun run = runBody(R"(
    setp.lt.u32 %p1, %r0, 40;
    bar.red.popc.u32 %r1, 0, %p1;
    bar.red.and.pred %p2, 0, %p1;
    bar.red.or.pred %p3, 0, %p1;
    selp.u32 %r2, 1, 0, %p2; selp.u32 %r3, 1, 0, %p3;
    st.global.v4.u32 [%rd2], {%r1, %r2, %r3, %r0};)",
                          {}, threads(64));
  EXPECT_EQ(run.findings(), "");
  for (unsigned i = 0; i < 64; ++i)
    EXPECT_EQ(run.out[i], (std::array<uint32_t, 4>{40, 0, 1, i}));
}

TEST(Atomic, EveryOperation) {
  struct Case {
    const char *operation;
    uint32_t start, expected;
  };
  // 32 lanes with operand 'lane', one after the other.
  const Case cases[] = {
      {"add.u32 %r1, [%rd5], %r0;", 5, 501},
      {"sys.add.u32 %r1, [%rd5], %r0;", 5, 501}, // as nvcc has it
      {"add.relaxed.gpu.u32 %r1, [%rd5], %r0;", 5, 501},
      {"cas.release.sys.b32 %r1, [%rd5], 3, 8;", 3, 8},
      {"min.s32 %r1, [%rd5], %r0;", 7, 0},
      {"max.u32 %r1, [%rd5], %r0;", 7, 31},
      {"and.b32 %r1, [%rd5], %r0;", 31, 0},
      {"or.b32 %r1, [%rd5], %r0;", 32, 63},
      {"xor.b32 %r1, [%rd5], %r0;", 1, 1},
      {"inc.u32 %r1, [%rd5], 9;", 0, 2},
      {"dec.u32 %r1, [%rd5], 9;", 0, 8},
      {"exch.b32 %r1, [%rd5], 42;", 3, 42},
      {"cas.b32 %r1, [%rd5], 3, 8;", 3, 8},
      {"add.f32 %f1, [%rd5], %f2;", 0, 0x42000000},
      {"add.noftz.f16x2 %r1, [%rd5], 0x40003C00;", 0, 0x54005000},
  };
  for (const Case &c : cases) {
    std::vector<std::array<uint32_t, 4>> in(32, {c.start, 0, 0, 0});
    KernelRun run =
        runBody(std::string("ld.param.u64 %rd5, [in]; mov.f32 %f2, 0f3F800000;"
                            "atom.global.") +
                    c.operation +
                    "bar.warp.sync -1; ld.global.u32 %r2, "
                    "[%rd5]; st.global.u32 [%rd2], %r2;",
                in, threads(32));
    EXPECT_EQ(run.findings(), "") << c.operation;
    EXPECT_EQ(run.u32(0), c.expected) << c.operation;
  }
}

TEST(Atomic, SharedAcrossWarpsAndGlobalAcrossBlocks) {
  LaunchConfig config;
  config.block = {128, 1, 1};
  config.grid = {64, 1, 1};
  config.threads = 2;
  Result<Module> module = Module::parse(header + R"(
.shared .align 4 .u32 total;
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<9>; .reg .b64 %rd<5>; .reg .pred %p<3>; .reg .f64 %d<3>;
  mov.u32 %r0, %tid.x;
  setp.eq.u32 %p1, %r0, 0;
  @%p1 st.shared.u32 [total], 0;
  bar.sync 0;
  red.shared.add.u32 [total], %r0;
  bar.sync 0;
  @!%p1 exit;
  ld.shared.u32 %r1, [total];
  ld.param.u64 %rd1, [out];
  red.global.add.u32 [%rd1], %r1;
  mov.f64 %d1, 0d3FE0000000000000;
  atom.global.add.f64 %d2, [%rd1+8], %d1;
  ret;
})",
                                        "m.ptx");
  ASSERT_TRUE(bool(module)) << module.error();
  Memory memory;
  uint64_t out = memory.allocate(16, "out", 256, Init::Zero);
  auto result = launch(*module, "k", memory, Arguments().pointer(out), config);
  ASSERT_TRUE(bool(result)) << result.error();
  for (const Finding &finding : result->findings)
    ADD_FAILURE() << finding.str();
  uint32_t total;
  double halves;
  memory.read(out, &total, 4);
  memory.read(out + 8, &halves, 8);
  EXPECT_EQ(total, 64u * 8128u);
  EXPECT_EQ(halves, 32.0);
}

} // namespace
