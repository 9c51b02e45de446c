//===- LaneRaceTest.cpp - races between the lanes of one warp -------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes that share memory without a bar.warp.sync, and lanes that write one
// word in one instruction; each beside a repaired twin.
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

/// One warp: %r2 is the address of the own word, %r3 that of the word of the
/// lane with the lowest bit flipped, %r4 that of the lane beyond the half.
KernelRun run(const std::string &body) {
  return runText(wrap("mov.u32 %r10, s; shl.b32 %r1, %r0, 2;\n"
                      "add.u32 %r2, %r10, %r1;\n"
                      "xor.b32 %r3, %r1, 4; add.u32 %r3, %r3, %r10;\n"
                      "xor.b32 %r4, %r1, 64; add.u32 %r4, %r4, %r10;\n"
                      "setp.lt.u32 %p1, %r0, 16;\n" +
                          body,
                      ".shared .align 16 .b8 s[1024];\n"),
                 {}, threads(32));
}

TEST(LaneRace, ReadOfWhatAnotherLaneWrote) {
  auto kernel = [](const std::string &between, const std::string &read) {
    return run("st.shared.u32 [%r2], %r0;\n" + between +
               "\nld.shared.u32 %r5, [" + read +
               "];\nst.global.u32 [%rd2], %r5;");
  };
  KernelRun bad = kernel("", "%r3");
  const Finding &finding = only(bad, FindingKind::SharedRace);
  EXPECT_NE(finding.message.find("that lane 1 of the warp wrote, without a "
                                 "bar.warp.sync in between"),
            std::string::npos)
      << finding.message;
  KernelRun good = kernel("bar.warp.sync -1;", "%r3");
  EXPECT_EQ(good.findings(), "");
  EXPECT_EQ(good.u32(6), 7u);
  EXPECT_EQ(kernel("bar.sync 0;", "%r3").findings(), "");
  EXPECT_EQ(kernel("barrier.sync 1, 32;", "%r3").findings(), "");
  // A lane knows what it did itself.
  EXPECT_EQ(kernel("", "%r2").findings(), "");
  // These wait for each other, but order no accesses; nor does a fence alone.
  for (const char *between :
       {"shfl.sync.bfly.b32 %r6, %r0, 1, 31, -1;",
        "vote.sync.ballot.b32 %r6, %p1, -1;", "fence.acq_rel.cta;"})
    only(kernel(between, "%r3"), FindingKind::SharedRace);
}

TEST(LaneRace, WriteOfWhatAnotherLaneReads) {
  auto kernel = [](const std::string &between, const std::string &read) {
    return run("st.shared.u32 [%r2], %r0;\nbar.warp.sync -1;\n"
               "ld.shared.u32 %r5, [" +
               read + "];\n" + between + "\nst.shared.u32 [%r2], %r5;");
  };
  const KernelRun bad = kernel("", "%r3");
  const Finding &finding = only(bad, FindingKind::SharedRace);
  EXPECT_NE(finding.message.find("that lane 1 of the warp reads"),
            std::string::npos)
      << finding.message;
  EXPECT_EQ(kernel("bar.warp.sync -1;", "%r3").findings(), "");
  EXPECT_EQ(kernel("", "%r2").findings(), "");
  // Two lanes have read it, the last of them is the one that writes.
  only(kernel("ld.shared.u32 %r5, [%r2];", "%r3"), FindingKind::SharedRace);
  EXPECT_EQ(
      kernel("ld.shared.u32 %r5, [%r2];\nbar.warp.sync -1;", "%r3").findings(),
      "");
}

TEST(LaneRace, BranchesOrderNothing) {
  auto kernel = [](const std::string &afterBranch) {
    return run("mov.u32 %r5, 0;\n@!%p1 bra JOIN;\n"
               "st.shared.u32 [%r2], %r0;\nJOIN:\n" +
               afterBranch + "\n@!%p1 ld.shared.u32 %r5, [%r4];\n");
  };
  only(kernel(""), FindingKind::SharedRace);
  EXPECT_EQ(kernel("bar.warp.sync -1;").findings(), "");
  // One side of a branch meets without the other.
  only(kernel("@%p1 bar.warp.sync 0xffff;"), FindingKind::SharedRace);
}

TEST(LaneRace, SomeLanesMeet) {
  // Lanes 2i and 2i + 1 meet by a mask of their own.
  auto kernel = [](const std::string &read) {
    return run("st.shared.u32 [%r2], %r0;\n"
               "and.b32 %r6, %r0, 30; mov.u32 %r7, 3; shl.b32 %r7, %r7, %r6;\n"
               "bar.warp.sync %r7;\nld.shared.u32 %r5, [" +
               read + "];\nst.global.u32 [%rd2], %r5;");
  };
  KernelRun good = kernel("%r3");
  EXPECT_EQ(good.findings(), "");
  EXPECT_EQ(good.u32(6), 7u);
  only(kernel("%r4"), FindingKind::SharedRace);
  // What one of a pair learnt before, it passes on.
  EXPECT_EQ(run("st.shared.u32 [%r2], %r0;\n"
                "@%p1 bar.warp.sync 0xffff;\n@!%p1 bar.warp.sync 0xffff0000;\n"
                "and.b32 %r6, %r0, 15; mov.u32 %r7, 0x10001;\n"
                "shl.b32 %r7, %r7, %r6; bar.warp.sync %r7;\n"
                "xor.b32 %r8, %r1, 68; add.u32 %r8, %r8, %r10;\n"
                "ld.shared.u32 %r5, [%r8];")
                .findings(),
            "");
}

TEST(LaneRace, OneInstruction) {
  const KernelRun bad = run("st.shared.u32 [s+8], %r0;");
  const Finding &finding = only(bad, FindingKind::SharedRace);
  EXPECT_NE(finding.message.find("lanes write different values"),
            std::string::npos);
  EXPECT_EQ(finding.lanes, 0x7fffffffu);
  // The same value is no matter; nor are neighbouring halves of a word.
  EXPECT_EQ(run("mov.u32 %r5, 7;\nst.shared.u32 [s+8], %r5;").findings(), "");
  EXPECT_EQ(run("mov.b32 {%h1, %h2}, %r0; shr.u32 %r1, %r1, 1;\n"
                "add.u32 %r2, %r10, %r1; st.shared.u16 [%r2], %h1;")
                .findings(),
            "");
  // Rows of two matrices at one address.
  auto matrices = [](const char *second) {
    return run(std::string("and.b32 %r5, %r0, 7; shl.b32 %r5, %r5, 4;\n"
                           "add.u32 %r5, %r5, %r10; mov.u32 %r6, 1;\n"
                           "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r5], "
                           "{%r6, ") +
               second + "};");
  };
  only(matrices("%r0"), FindingKind::SharedRace);
  EXPECT_EQ(matrices("%r6").findings(), "");
}

TEST(LaneRace, MatricesBelongToTheWholeWarp) {
  auto load = [](const std::string &between) {
    return run("shl.b32 %r5, %r0, 4; add.u32 %r5, %r5, %r10;\n"
               "st.shared.v4.u32 [%r5], {%r0, %r0, %r0, %r0};\n" +
               between +
               "\nldmatrix.sync.aligned.m8n8.x4.shared.b16 "
               "{%r6, %r7, %r8, %r9}, [%r5];");
  };
  only(load(""), FindingKind::SharedRace);
  EXPECT_EQ(load("bar.warp.sync -1;").findings(), "");
  auto store = [](const std::string &between) {
    return run("shl.b32 %r5, %r0, 4; add.u32 %r5, %r5, %r10;\n"
               "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r5], "
               "{%r0, %r0, %r0, %r0};\n" +
               between + "\nld.shared.u32 %r6, [%r5];");
  };
  only(store(""), FindingKind::SharedRace);
  EXPECT_EQ(store("bar.warp.sync -1;").findings(), "");
}

TEST(LaneRace, WhoWaitsForACopyWaitsForItsOwn) {
  auto kernel = [](const std::string &after) {
    return run("shl.b32 %r5, %r0, 4; add.u32 %r5, %r5, %r10;\n"
               "cp.async.cg.shared.global [%r5], [%rd1], 16;\n"
               "cp.async.wait_all;\n" +
               after + "\nxor.b32 %r6, %r5, 16; ld.shared.u32 %r7, [%r6];");
  };
  only(kernel(""), FindingKind::SharedRace);
  EXPECT_EQ(kernel("bar.warp.sync -1;").findings(), "");
}

TEST(LaneRace, LanesHandOver) {
  // The lower half writes, fences and raises a flag; the upper half, which
  // comes second, sees it.
  auto kernel = [](const std::string &before, const std::string &after) {
    return run("mov.u32 %r6, 1; mov.u32 %r5, 0;\n"
               "setp.eq.u32 %p2, %r0, 0;\n"
               "@%p2 st.shared.u32 [s+512], %r5;\nbar.warp.sync -1;\n"
               "@%p1 bra WRITE;\n"
               "ld.relaxed.cta.shared.u32 %r7, [s+512];\n"
               "setp.eq.u32 %p3, %r7, 0;\n@%p3 bra DONE;\n" +
               after + "\nld.shared.u32 %r5, [%r4];\nbra DONE;\n" +
               "WRITE:\nst.shared.u32 [%r2], %r0;\n" + before +
               "\nst.relaxed.cta.shared.u32 [s+512], %r6;\nDONE:\n");
  };
  std::string fence = "fence.acq_rel.cta;";
  EXPECT_EQ(kernel(fence, fence).findings(), "");
  only(kernel("", fence), FindingKind::SharedRace);
  only(kernel(fence, ""), FindingKind::SharedRace);
}

} // namespace
