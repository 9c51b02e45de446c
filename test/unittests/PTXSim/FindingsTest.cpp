//===- FindingsTest.cpp - planted bugs and their repaired twins -----------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each kind of finding fires on a kernel with the fault and stays quiet on the
// same kernel without it.
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

const char *shared = ".shared .align 16 .b8 s[1024];\n";

TEST(Findings, GlobalOutOfBounds) {
  // Thread 31 of 32 owns the last 16 bytes.
  KernelRun bad = runBody("ld.global.u32 %r1, [%rd1+16];"
                          "st.global.u32 [%rd2], %r1;",
                          {}, threads(32));
  const Finding &finding = only(bad, FindingKind::OutOfBounds);
  EXPECT_EQ(finding.lanes, 0x80000000u);
  EXPECT_EQ(finding.allocation, "in");
  EXPECT_EQ(finding.text, "ld.global.u32 %r1, [%rd1+16];st.global.u32 [%rd2], "
                          "%r1;");
  EXPECT_NE(finding.message.find("4 bytes past the end of 'in' of 512 bytes"),
            std::string::npos)
      << finding.message;
  KernelRun good = runBody("ld.global.u32 %r1, [%rd1+12];"
                           "st.global.u32 [%rd2], %r1;",
                           {}, threads(32));
  EXPECT_EQ(good.findings(), "");
  KernelRun before = runBody("ld.param.u64 %rd5, [in];"
                             "st.global.u32 [%rd5+-4], %r0;",
                             {}, oneThread());
  EXPECT_NE(
      only(before, FindingKind::OutOfBounds).message.find("4 bytes before"),
      std::string::npos);
  KernelRun null =
      runBody("mov.u64 %rd5, 0; ld.global.u32 %r1, [%rd5];", {}, oneThread());
  EXPECT_NE(only(null, FindingKind::OutOfBounds).message.find("nothing is"),
            std::string::npos);
}

TEST(Findings, OutOfBoundsStoreWritesNothing) {
  KernelRun run = runBody("st.global.u32 [%rd2], 7;"
                          "st.global.v4.u32 [%rd2+8], {1, 2, 3, 4};",
                          {}, oneThread());
  EXPECT_TRUE(run.has(FindingKind::Misaligned));
  EXPECT_EQ(run.u32(0, 0), 7u);
  EXPECT_EQ(run.u32(0, 2), 0xcbcbcbcbu);
}

TEST(Findings, SharedLocalAndParamOutOfBounds) {
  KernelRun bad =
      runText(wrap("mov.u32 %r1, s; st.shared.u32 [%r1+1024], %r0;", shared),
              {}, oneThread());
  only(bad, FindingKind::OutOfBounds);
  KernelRun null = runText(
      wrap("st.shared.u32 [0], %r0; mov.u32 %r1, s;", shared), {}, oneThread());
  only(null, FindingKind::OutOfBounds);
  KernelRun good =
      runText(wrap("mov.u32 %r1, s; st.shared.u32 [%r1+1020], %r0;", shared),
              {}, oneThread());
  EXPECT_EQ(good.findings(), "");
  KernelRun local = runBody(".local .b32 a[4]; mov.u64 %rd5, a;"
                            "st.local.u32 [%rd5+16], %r0;",
                            {}, oneThread());
  only(local, FindingKind::OutOfBounds);
  KernelRun param = runBody("ld.param.u64 %rd5, [out+8];", {}, oneThread());
  only(param, FindingKind::OutOfBounds);
}

TEST(Findings, Misaligned) {
  KernelRun bad =
      runBody("ld.global.v2.u32 {%r1, %r2}, [%rd1+4];", {}, threads(32));
  EXPECT_EQ(only(bad, FindingKind::Misaligned).lanes, 0xffffffffu);
  KernelRun good =
      runBody("ld.global.v2.u32 {%r1, %r2}, [%rd1+8];", {}, threads(32));
  EXPECT_EQ(good.findings(), "");
  KernelRun matrix = runText(
      wrap("mov.u32 %r1, s; shl.b32 %r2, %r0, 4; add.u32 %r1, %r1, %r2;"
           "mov.u32 %r3, 0; st.shared.v4.u32 [%r1], {%r3, %r3, %r3, %r3};"
           "bar.warp.sync -1;"
           "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r4, %r5}, [%r1+8];",
           shared),
      {}, threads(32));
  EXPECT_EQ(only(matrix, FindingKind::Misaligned).lanes, 0xffffu);
}

TEST(Findings, ReadOnlyWrite) {
  std::string constant = ".const .align 4 .u32 c[2] = {5, 6};\n";
  KernelRun bad = runText(wrap("mov.u64 %rd5, c; cvta.const.u64 %rd5, %rd5;"
                               "st.u32 [%rd5], 1;",
                               constant),
                          {}, oneThread());
  only(bad, FindingKind::ReadOnlyWrite);
  KernelRun good = runText(wrap("ld.const.u32 %r1, [c+4];"
                                "st.global.u32 [%rd2], %r1;",
                                constant),
                           {}, oneThread());
  EXPECT_EQ(good.findings(), "");
  EXPECT_EQ(good.u32(0), 6u);
}

TEST(Findings, UninitialisedRegister) {
  KernelRun bad = runBody("add.u32 %r1, %r2, 1; st.global.u32 [%rd2], %r1;", {},
                          threads(32));
  only(bad, FindingKind::UninitialisedRegister);
  // Written in some lanes only.
  KernelRun part = runBody("setp.lt.u32 %p1, %r0, 4; @%p1 mov.u32 %r2, 1;"
                           "add.u32 %r1, %r2, 1; st.global.u32 [%rd2], %r1;",
                           {}, threads(32));
  EXPECT_EQ(only(part, FindingKind::UninitialisedRegister).lanes, 0xfffffff0u);
  // A move carries it on, the use is reported.
  KernelRun moved = runBody("mov.u32 %r3, %r2;\n selp.u32 %r4, 1, %r3, %p1;",
                            {}, threads(32));
  only(moved, FindingKind::UninitialisedRegister); // %p1
  KernelRun good = runBody("mov.u32 %r3, %r2; setp.eq.u32 %p1, %r0, %r0;"
                           "selp.u32 %r4, 1, %r3, %p1; add.u32 %r1, %r4, 1;",
                           {}, threads(32));
  EXPECT_EQ(good.findings(), "");
  // So do arithmetic, conversions, comparisons and shuffles: the lanes above 3
  // fold what nobody looks at, as compilers have them do.
  const std::string fold =
      "setp.lt.u32 %p1, %r0, 4; @%p1 mov.u32 %r2, 1;"
      "shfl.sync.bfly.b32 %r3, %r2, 2, 31, -1; max.u32 %r2, %r2, %r3;"
      "cvt.rn.f32.u32 %f1, %r2; add.f32 %f1, %f1, %f1;"
      "setp.gt.f32 %p2, %f1, 0f00000000;";
  KernelRun folded =
      runBody(fold + "@%p1 st.global.f32 [%rd2], %f1;", {}, threads(32));
  EXPECT_EQ(folded.findings(), "");
  EXPECT_EQ(folded.f32(3), 2.0f);
  KernelRun used =
      runBody(fold + "st.global.f32 [%rd2], %f1;", {}, threads(32));
  EXPECT_EQ(only(used, FindingKind::UninitialisedRegister).lanes, 0xfffffff0u);
  KernelRun across = runBody(fold + "shfl.sync.bfly.b32 %r4, %r2, 16, 31, -1;"
                                    "@%p1 st.global.u32 [%rd2], %r4;",
                             {}, threads(32));
  EXPECT_EQ(only(across, FindingKind::UninitialisedRegister).lanes, 0xfu);
  KernelRun compared = runBody(fold + "@%p2 bra L;\nL:", {}, threads(32));
  EXPECT_EQ(only(compared, FindingKind::UninitialisedRegister).lanes,
            0xfffffff0u);
  // Half of a packed register: what is taken out again is as written as before.
  const std::string half = "mov.b16 %h1, 7; mov.b32 %r3, {%h1, %h2};"
                           "mov.b32 {%h3, %h4}, %r3;";
  KernelRun low = runBody(half + "st.global.b16 [%rd2], %h3;", {}, threads(32));
  EXPECT_EQ(low.findings(), "");
  EXPECT_EQ(low.u32(0) & 0xffff, 7u);
  // A copy of it has the same parts.
  const std::string copied = "mov.b16 %h1, 7; mov.b32 %r3, {%h1, %h2};"
                             "mov.b32 %r4, %r3; mov.b32 {%h3, %h4}, %r4;";
  EXPECT_EQ(runBody(copied + "st.global.b16 [%rd2], %h3;", {}, threads(32))
                .findings(),
            "");
  only(runBody(copied + "st.global.b16 [%rd2], %h4;", {}, threads(32)),
       FindingKind::UninitialisedRegister);
  KernelRun high =
      runBody(half + "st.global.b16 [%rd2], %h4;", {}, threads(32));
  only(high, FindingKind::UninitialisedRegister);
  KernelRun whole =
      runBody(half + "st.global.b32 [%rd2], %r3;", {}, threads(32));
  only(whole, FindingKind::UninitialisedRegister);
  KernelRun guard = runBody("@%p5 mov.u32 %r1, 1;", {}, threads(32));
  only(guard, FindingKind::UninitialisedRegister);
}

TEST(Findings, UninitialisedMemory) {
  KernelRun global = runBody("ld.global.u32 %r1, [%rd2];", {}, threads(32));
  EXPECT_EQ(only(global, FindingKind::UninitialisedMemory).allocation, "out");
  KernelRun stored = runBody("st.global.u32 [%rd2], %r0;"
                             "ld.global.u32 %r1, [%rd2];",
                             {}, threads(32));
  EXPECT_EQ(stored.findings(), "");
  // Half of the bytes were written.
  KernelRun half = runBody("st.global.u16 [%rd2], %r0;\n"
                           "ld.global.u32 %r1, [%rd2];",
                           {}, threads(32));
  only(half, FindingKind::UninitialisedMemory);
  KernelRun local =
      runBody(".local .b32 a[4]; ld.local.u32 %r1, [a];", {}, threads(32));
  only(local, FindingKind::UninitialisedMemory);
  KernelRun sharedRun =
      runText(wrap("ld.shared.u32 %r1, [s];", shared), {}, threads(32));
  only(sharedRun, FindingKind::UninitialisedMemory);
}

TEST(Findings, LocalMemoryOfAnEarlierCallIsNotInitialised) {
  // The second call's frame covers what the first one wrote and goes beyond it.
  const std::string functions = R"(
.func first() {
  .local .align 16 .b8 a[64]; .reg .b32 %r<3>;
  mov.u32 %r1, 9; st.local.u32 [a+40], %r1; ret;
}
.func second() {
  .local .align 16 .b8 a[4096]; .reg .b32 %r<3>;
  ld.local.u32 %r1, [a+40]; ret;
}
)";
  KernelRun run = runText(wrap("call.uni first, (); call.uni second, ();"
                               "call.uni first, (); call.uni second, ();",
                               functions),
                          {}, oneThread());
  EXPECT_EQ(only(run, FindingKind::UninitialisedMemory).occurrences, 2u);
}

TEST(Findings, UninitialisedParameters) {
  auto call = [](const std::string &argument, const std::string &result) {
    return runText(wrap("{ .param .b32 a; .param .b32 b;\n" + argument +
                            "\ncall.uni (b), f, (a);\n"
                            "ld.param.b32 %r1, [b]; }\n"
                            "st.global.u32 [%rd2], %r1;",
                        ".func (.param .b32 to) f(.param .b32 from) {\n"
                        ".reg .b32 %r<3>; ld.param.b32 %r1, [from];\n" +
                            result + "\nret;\n}\n"),
                   {}, oneThread());
  };
  KernelRun good = call("st.param.b32 [a], 7;", "st.param.b32 [to], %r1;");
  EXPECT_EQ(good.findings(), "");
  EXPECT_EQ(good.u32(0), 7u);
  KernelRun noResult = call("st.param.b32 [a], 7;", "");
  EXPECT_EQ(only(noResult, FindingKind::UninitialisedMemory).text,
            "ld.param.b32 %r1, [b]; }");
  EXPECT_EQ(noResult.u32(0), 0xcbcbcbcbu);
  KernelRun noArgument = call("", "st.param.b32 [to], 1;");
  EXPECT_EQ(only(noArgument, FindingKind::UninitialisedMemory).text,
            ".reg .b32 %r<3>; ld.param.b32 %r1, [from];");
}

TEST(Findings, AccessesFarOutsideHitNoNeighbour) {
  // 2^24 + 2^10 and 2^33 bytes too far: next to "in" lies "out".
  for (const char *distance : {"16778240", "8589934592", "-8589934592"}) {
    KernelRun run = runBody(std::string("add.u64 %rd5, %rd1, ") + distance +
                                "; st.global.u32 [%rd5], %r0;",
                            {}, oneThread());
    only(run, FindingKind::OutOfBounds);
  }
}

std::string exchange(const char *barrier) {
  return wrap(
      std::string("mov.u32 %r10, s; shl.b32 %r1, %r0, 2;"
                  "add.u32 %r2, %r10, %r1; st.shared.u32 [%r2], %r0;\n") +
          barrier +
          "\nxor.b32 %r3, %r1, 128; add.u32 %r3, %r3, %r10;\n"
          "ld.shared.u32 %r4, [%r3];\n"
          "st.global.u32 [%rd2], %r4;",
      shared);
}

TEST(Findings, SharedRaceReadAfterWrite) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    KernelRun bad = runText(exchange(""), {}, threads(64, seed));
    // Depending on the order the read comes first: then it is uninitialised and
    // the write races with it.
    EXPECT_TRUE(bad.has(FindingKind::SharedRace)) << bad.findings();
    KernelRun good = runText(exchange("bar.sync 0;"), {}, threads(64, seed));
    EXPECT_EQ(good.findings(), "");
    KernelRun warpOnly =
        runText(exchange("bar.warp.sync -1;"), {}, threads(64, seed));
    EXPECT_TRUE(warpOnly.has(FindingKind::SharedRace));
  }
}

TEST(Findings, SharedRaceWriteAfterReadAndWriteWrite) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    auto kernel = [](const char *second) {
      return wrap(std::string("mov.u32 %r10, s; shl.b32 %r1, %r0, 2;"
                              "add.u32 %r2, %r10, %r1;"
                              "st.shared.u32 [%r2], %r0; bar.sync 0;\n"
                              "xor.b32 %r3, %r1, 128; add.u32 %r3, %r3, %r10;"
                              "ld.shared.u32 %r4, [%r3];\n") +
                      second + "\nst.shared.u32 [%r2], %r4;",
                  shared);
    };
    EXPECT_TRUE(runText(kernel(""), {}, threads(64, seed))
                    .has(FindingKind::SharedRace));
    EXPECT_EQ(runText(kernel("bar.sync 0;"), {}, threads(64, seed)).findings(),
              "");
    const char *same = "mov.u32 %r1, 7; st.shared.u32 [s], %r1;";
    KernelRun both = runText(wrap(same, shared), {}, threads(64, seed));
    only(both, FindingKind::SharedRace);
    KernelRun one = runText(wrap(same, shared), {}, threads(32, seed));
    EXPECT_EQ(one.findings(), "");
  }
}

TEST(Findings, BytesOfOneWordDoNotRace) {
  KernelRun run = runText(wrap("mov.u32 %r10, s; and.b32 %r1, %r0, 31;"
                               "shr.u32 %r2, %r0, 5; mad.lo.u32 %r1, %r1, 2, "
                               "%r2; add.u32 %r1, %r1, %r10;"
                               "st.shared.u8 [%r1], %r0;",
                               shared),
                          {}, threads(64));
  EXPECT_EQ(run.findings(), "");
}

/// Every thread copies its 16 bytes of `in` to shared memory and reads its own
/// or its neighbour's.
std::string copyKernel(const std::string &wait,
                       const std::string &offset = "0") {
  return wrap("mov.u32 %r10, s; shl.b32 %r1, %r0, 4; add.u32 %r2, %r10, %r1;\n"
              "cp.async.cg.shared.global [%r2], [%rd1], 16;\n"
              "cp.async.commit_group;\n" +
                  wait + "\nxor.b32 %r3, %r1, " + offset +
                  "; add.u32 %r3, %r3, %r10;\n"
                  "ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r3];\n"
                  "st.global.v4.u32 [%rd2], {%r4, %r5, %r6, %r7};",
              shared);
}

std::vector<std::array<uint32_t, 4>> counting(unsigned count) {
  std::vector<std::array<uint32_t, 4>> in(count);
  for (unsigned i = 0; i < count; ++i)
    in[i] = {4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3};
  return in;
}

TEST(Findings, MissingAsyncWait) {
  KernelRun bad = runText(copyKernel(""), counting(32), threads(32));
  only(bad, FindingKind::MissingAsyncWait);
  KernelRun late =
      runText(copyKernel("cp.async.wait_group 1;"), counting(32), threads(32));
  only(late, FindingKind::MissingAsyncWait);
  EXPECT_NE(late.out, counting(32)); // the data is not there
  for (const char *wait : {"cp.async.wait_group 0;", "cp.async.wait_all;"}) {
    KernelRun good = runText(copyKernel(wait), counting(32), threads(32));
    EXPECT_EQ(good.findings(), "");
    EXPECT_EQ(good.out, counting(32));
  }
}

TEST(Findings, AsyncCopyOfAnotherWarpNeedsABarrier) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    // Byte offset 512 is the other warp's half.
    KernelRun bad = runText(copyKernel("cp.async.wait_group 0;", "512"),
                            counting(64), threads(64, seed));
    EXPECT_TRUE(bad.has(FindingKind::SharedRace) ||
                bad.has(FindingKind::MissingAsyncWait) ||
                bad.has(FindingKind::UninitialisedMemory))
        << seed;
    EXPECT_TRUE(bad.has(FindingKind::SharedRace)) << bad.findings();
    KernelRun good =
        runText(copyKernel("cp.async.wait_group 0; bar.sync 0;", "512"),
                counting(64), threads(64, seed));
    EXPECT_EQ(good.findings(), "");
    for (unsigned i = 0; i < 64; ++i)
      EXPECT_EQ(good.u32(i), 4 * (i ^ 32));
  }
}

TEST(Findings, AsyncCopyOverDataStillRead) {
  // The next stage is copied over the buffer other warps read: the barrier
  // before the copy is missing.
  auto kernel = [](const char *barrier) {
    return wrap(std::string("mov.u32 %r10, s; shl.b32 %r1, %r0, 4;"
                            "add.u32 %r2, %r10, %r1;"
                            "cp.async.ca.shared.global [%r2], [%rd1], 16;"
                            "cp.async.wait_all; bar.sync 0;\n"
                            "xor.b32 %r3, %r1, 512; add.u32 %r3, %r3, %r10;"
                            "ld.shared.u32 %r4, [%r3];\n") +
                    barrier +
                    "cp.async.ca.shared.global [%r2], [%rd1], 16;\n"
                    "st.global.u32 [%rd2], %r4;",
                shared);
  };
  for (uint64_t seed = 0; seed < 10; ++seed) {
    EXPECT_TRUE(runText(kernel(""), counting(64), threads(64, seed))
                    .has(FindingKind::SharedRace));
    EXPECT_EQ(runText(kernel("bar.sync 0;"), counting(64), threads(64, seed))
                  .findings(),
              "");
  }
}

TEST(Async, GroupsArriveInOrderAndShortSourcesAreFilled) {
  KernelRun run =
      runText(wrap(R"(
    mov.u32 %r10, s;
    mov.u32 %r1, 0x11; st.shared.v2.u32 [%r10], {%r1, %r1};
    st.shared.v2.u32 [%r10+8], {%r1, %r1};
    st.shared.v2.u32 [%r10+16], {%r1, %r1};
    mov.u32 %r2, 6;
    cp.async.ca.shared.global [%r10], [%rd1], 8, %r2;
    cp.async.commit_group;
    mov.u32 %r3, 0;
    cp.async.ca.shared.global [%r10+8], [%rd1], 4, %r3;
    cp.async.ca.shared.global [%r10+12], [%rd1+12], 4;
    cp.async.commit_group;
    cp.async.wait_group 1;
    ld.shared.v2.u32 {%r4, %r5}, [%r10];
    cp.async.wait_group 0;
    ld.shared.v2.u32 {%r6, %r7}, [%r10+8];
    st.global.v4.u32 [%rd2], {%r4, %r5, %r6, %r7};)",
                   shared),
              {{0xaaaaaaaa, 0xbbbbbbbb, 0xcccccccc, 0xdddddddd}}, oneThread());
  EXPECT_EQ(run.findings(), "");
  EXPECT_EQ(run.out[0],
            (std::array<uint32_t, 4>{0xaaaaaaaa, 0x0000bbbb, 0, 0xdddddddd}));
}

TEST(Findings, AsyncCopyOutOfBoundsAndMisaligned) {
  KernelRun bad =
      runText(wrap("cp.async.cg.shared.global [s+1024], [%rd1], 16;", shared),
              {}, oneThread());
  only(bad, FindingKind::OutOfBounds);
  KernelRun source =
      runText(wrap("cp.async.cg.shared.global [s], [%rd1+16], 16;", shared), {},
              oneThread());
  only(source, FindingKind::OutOfBounds);
  // Nothing is read where the source size is 0.
  KernelRun none =
      runText(wrap("mov.u32 %r1, 0; mov.u64 %rd5, 0;"
                   "cp.async.cg.shared.global [s], [%rd5], 16, %r1;",
                   shared),
              {}, oneThread());
  EXPECT_EQ(none.findings(), "");
  KernelRun misaligned =
      runText(wrap("cp.async.cg.shared.global [s+8], [%rd1], 16;", shared), {},
              oneThread());
  only(misaligned, FindingKind::Misaligned);
}

TEST(Findings, BarrierDivergence) {
  KernelRun half =
      runBody("setp.lt.u32 %p1, %r0, 16; @%p1 bar.sync 0;", {}, threads(32));
  EXPECT_EQ(only(half, FindingKind::BarrierDivergence).lanes, 0xffff0000u);
  // One warp leaves early.
  KernelRun early = runBody("setp.lt.u32 %p1, %r0, 32; @%p1 exit; bar.sync 0;",
                            {}, threads(64));
  only(early, FindingKind::BarrierDivergence);
  KernelRun good = runBody("bar.sync 0; setp.lt.u32 %p1, %r0, 32; @%p1 exit;",
                           {}, threads(64));
  EXPECT_EQ(good.findings(), "");
}

TEST(Findings, BarrierMismatch) {
  KernelRun bad = runBody("setp.lt.u32 %p1, %r0, 32; mov.u32 %r1, 64;"
                          "@%p1 mov.u32 %r1, 96; bar.sync 1, %r1;",
                          {}, threads(64));
  EXPECT_TRUE(bad.has(FindingKind::BarrierMismatch));
  KernelRun odd = runBody("bar.sync 1, 40;", {}, threads(64));
  EXPECT_TRUE(odd.has(FindingKind::BarrierMismatch));
  KernelRun good =
      runBody("mov.u32 %r1, 64; bar.sync 1, %r1;", {}, threads(64));
  EXPECT_EQ(good.findings(), "");
}

TEST(Findings, Deadlock) {
  KernelRun bad = runBody("setp.lt.u32 %p1, %r0, 32; @%p1 bra A;\n"
                          "bar.sync 1, 64; bra B;\nA:\n bar.sync 2, 64;\nB:",
                          {}, threads(64));
  const Finding &finding = only(bad, FindingKind::Deadlock);
  EXPECT_NE(finding.message.find("for barrier 1, which 1 of 2 warps"),
            std::string::npos)
      << finding.message;
  EXPECT_NE(finding.message.find("for barrier 2, which 1 of 2 warps"),
            std::string::npos);
  EXPECT_FALSE(bad.result.completed);
}

TEST(Findings, InactiveLanes) {
  KernelRun shuffle =
      runBody("setp.lt.u32 %p1, %r0, 16; mov.u32 %r1, 0;"
              "@%p1 shfl.sync.bfly.b32 %r1, %r0, 1, 31, 0xffffffff;",
              {}, threads(32));
  EXPECT_EQ(only(shuffle, FindingKind::InactiveLane).lanes, 0xffff0000u);
  KernelRun source =
      runBody("setp.lt.u32 %p1, %r0, 16; mov.u32 %r1, 0;"
              "@%p1 shfl.sync.bfly.b32 %r1, %r0, 16, 31, 0xffff;",
              {}, threads(32));
  EXPECT_EQ(only(source, FindingKind::InactiveLane).lanes, 0xffffu);
  KernelRun good = runBody("setp.lt.u32 %p1, %r0, 16; mov.u32 %r1, 0;"
                           "@%p1 shfl.sync.bfly.b32 %r1, %r0, 1, 31, 0xffff;",
                           {}, threads(32));
  EXPECT_EQ(good.findings(), "");
  KernelRun matrix = runText(
      wrap("mov.u32 %r1, 0; setp.lt.u32 %p1, %r0, 8;"
           "mov.u32 %r2, s; shl.b32 %r3, %r0, 4; add.u32 %r2, %r2, %r3;"
           "st.shared.v4.u32 [%r2], {%r1, %r1, %r1, %r1}; bar.warp.sync -1;"
           "@%p1 ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2];",
           shared),
      {}, threads(32));
  EXPECT_EQ(only(matrix, FindingKind::InactiveLane).lanes, 0xffffff00u);
  KernelRun wmma = runBody(
      "setp.lt.u32 %p1, %r0, 16; mov.u32 %r1, 8; ld.param.u64 %rd1, [in];"
      "@%p1 wmma.load.a.sync.aligned.row.m16n16k16.global.bf16 "
      "{%r2, %r3, %r4, %r5}, [%rd1], %r1;",
      {}, threads(32));
  EXPECT_EQ(only(wmma, FindingKind::InactiveLane).lanes, 0xffff0000u);
  KernelRun vote = runBody("setp.lt.u32 %p1, %r0, 16;"
                           "@%p1 vote.sync.ballot.b32 %r1, %p1, -1;",
                           {}, threads(32));
  only(vote, FindingKind::InactiveLane);
  KernelRun warpSync = runBody("setp.lt.u32 %p1, %r0, 16;"
                               "@%p1 bar.warp.sync -1;",
                               {}, threads(32));
  only(warpSync, FindingKind::InactiveLane);
}

TEST(Findings, TrapAndStepLimit) {
  KernelRun trap =
      runBody("setp.eq.u32 %p1, %r0, 3; @%p1 trap;", {}, threads(32));
  EXPECT_EQ(only(trap, FindingKind::Trap).lanes, 8u);
  LaunchConfig config = threads(32);
  config.maxBlockInstructions = 10000;
  KernelRun endless = runBody("L: bra L;", {}, config);
  only(endless, FindingKind::StepLimit);
  EXPECT_FALSE(endless.result.completed);
}

TEST(Findings, RepetitionsAreCountedAndTheLimitStops) {
  KernelRun loop = runBody("mov.u32 %r1, 0;\nL:\n ld.global.u32 %r2, [%rd2];\n"
                           "add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 10;"
                           "@%p1 bra L;",
                           {}, threads(32));
  EXPECT_EQ(only(loop, FindingKind::UninitialisedMemory).occurrences, 10u);
  LaunchConfig config = threads(32);
  config.maxFindings = 2;
  KernelRun many = runBody("st.global.u32 [%rd2], %r10;\n"
                           "st.global.u32 [%rd2], %r11;\n"
                           "st.global.u32 [%rd2], %r12;\n L: bra L;",
                           {}, config);
  EXPECT_EQ(many.result.findings.size(), 2u);
  EXPECT_FALSE(many.result.completed);
}

TEST(Findings, NameTheSourceLine) {
  KernelRun run = runText(
      wrap(".loc 1 42 7\n ld.global.u32 %r1, [%rd2];", ".file 1 \"a.cu\"\n"),
      {}, threads(32));
  const Finding &finding = only(run, FindingKind::UninitialisedMemory);
  EXPECT_EQ(finding.source, "a.cu:42");
  EXPECT_EQ(finding.line, 20u);
  EXPECT_EQ(finding.kernel, "k");
  EXPECT_NE(finding.str().find("uninitialised-memory at line 20"),
            std::string::npos)
      << finding.str();
}

} // namespace
