//===- MbarrierTest.cpp - mbarrier objects --------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts and phases by hand; each misuse with a twin that is right.
//
//===----------------------------------------------------------------------===//

#include "HopperUtils.h"

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

const char *objects = ".shared .align 8 .b64 bar[4];\n"
                      ".shared .align 16 .b32 data[64];\n";

/// Thread 0 initialises bar[0] with `count`; all threads meet.
std::string init(unsigned count) {
  return "setp.ne.u32 %p1, %r0, 0;\n"
         "@%p1 bra READY;\n"
         "mbarrier.init.shared::cta.b64 [bar], " +
         std::to_string(count) +
         ";\n"
         "READY:\nbar.sync 0;\n";
}

/// Waits until the phase of `parity` is complete.
std::string wait(const std::string &parity, const std::string &label = "WAIT",
                 const std::string &bar = "bar") {
  return label + ":\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [" + bar +
         "], " + parity + ";\n@!%p2 bra " + label + ";\n";
}

KernelRun run(const std::string &body, unsigned count, uint64_t seed = 0) {
  return runText(wrap90(body, objects), {}, threads(count, seed));
}

TEST(Mbarrier, StatesHoldThePendingCount) {
  KernelRun good = run(
      R"(
mbarrier.init.shared.b64 [bar], 5;
mbarrier.arrive.shared.b64 %rd5, [bar];
mbarrier.pending_count.b64 %r1, %rd5;
mbarrier.arrive.noComplete.shared.b64 %rd6, [bar], 2;
mbarrier.pending_count.b64 %r2, %rd6;
mbarrier.test_wait.shared.b64 %p1, [bar], %rd6;
mbarrier.arrive.release.cta.shared::cta.b64 %rd7, [bar], 2;
mbarrier.pending_count.b64 %r3, %rd7;
mbarrier.test_wait.shared.b64 %p2, [bar], %rd6;
mbarrier.test_wait.parity.shared.b64 %p3, [bar], 1;
selp.u32 %r4, 1, 0, %p1; selp.u32 %r5, 2, 0, %p2; selp.u32 %r6, 4, 0, %p3;
add.u32 %r4, %r4, %r5; add.u32 %r4, %r4, %r6;
st.global.v4.u32 [%rd2], {%r1, %r2, %r3, %r4};
)",
      1);
  EXPECT_EQ(good.findings(), "");
  EXPECT_EQ(good.u32(0, 0), 5u);
  EXPECT_EQ(good.u32(0, 1), 4u);
  EXPECT_EQ(good.u32(0, 2), 2u);
  // The phase was complete after the third arrival; the one now under way has
  // parity 1.
  EXPECT_EQ(good.u32(0, 3), 2u);
}

TEST(Mbarrier, DroppedArrivalsAreNotExpectedAgain) {
  // Two of three drop out with the first phase: one arrival completes the next.
  KernelRun good = run(
      R"(
mbarrier.init.shared.b64 [bar], 3;
mbarrier.arrive_drop.shared.b64 %rd5, [bar], 2;
mbarrier.arrive.shared.b64 _, [bar];
mbarrier.arrive.shared.b64 %rd6, [bar];
mbarrier.pending_count.b64 %r1, %rd6;
mbarrier.test_wait.shared.b64 %p1, [bar], %rd6;
selp.u32 %r2, 1, 0, %p1;
mbarrier.inval.shared.b64 [bar];
st.global.v2.u32 [%rd2], {%r1, %r2};
)",
      1);
  EXPECT_EQ(good.findings(), "");
  EXPECT_EQ(good.u32(0, 0), 1u);
  EXPECT_EQ(good.u32(0, 1), 1u);
}

TEST(Mbarrier, TransactionsHoldThePhaseBack) {
  KernelRun good = run(
      R"(
mbarrier.init.shared::cta.b64 [bar], 1;
mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %rd5, [bar], 48;
mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], 32;
mbarrier.test_wait.acquire.cta.shared::cta.b64 %p1, [bar], %rd5;
mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 16;
mbarrier.complete_tx.shared.b64 [bar], 16;
mbarrier.test_wait.shared::cta.b64 %p2, [bar], %rd5;
mbarrier.complete_tx.shared.b64 [bar], 16;
mbarrier.test_wait.shared::cta.b64 %p3, [bar], %rd5;
selp.u32 %r1, 1, 0, %p1; selp.u32 %r2, 1, 0, %p2; selp.u32 %r3, 1, 0, %p3;
st.global.v4.u32 [%rd2], {%r1, %r2, %r3, %r3};
)",
      1);
  EXPECT_EQ(good.findings(), "");
  EXPECT_EQ(good.u32(0, 0), 0u);
  EXPECT_EQ(good.u32(0, 1), 0u);
  EXPECT_EQ(good.u32(0, 2), 1u);
}

/// Two warps hand data over twice: warp 0 fills it, warp 1 empties it.
std::string pipeline(const std::string &arrive, const std::string &wait) {
  std::string text = R"(
setp.ne.u32 %p1, %r0, 0;
@%p1 bra READY;
mbarrier.init.shared::cta.b64 [bar], 32;
mbarrier.init.shared::cta.b64 [bar+8], 32;
READY:
bar.sync 0;
and.b32 %r5, %r0, 31; shl.b32 %r6, %r5, 2; mov.u32 %r7, data;
add.u32 %r7, %r7, %r6; xor.b32 %r8, %r6, 4; mov.u32 %r9, data;
add.u32 %r9, %r9, %r8;
mov.u32 %r10, 0; mov.u32 %r12, 0;
setp.ge.u32 %p3, %r0, 32;
@%p3 bra CONSUME;
PRODUCE:
xor.b32 %r11, %r10, 1;
PWAIT:
mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar+8], %r11;
@!%p2 bra PWAIT;
mad.lo.u32 %r13, %r10, 100, %r5;
st.shared.u32 [%r7], %r13;
mbarrier.arrive.ARRIVE.shared::cta.b64 _, [bar];
add.u32 %r10, %r10, 1; setp.lt.u32 %p4, %r10, 2; @%p4 bra PRODUCE;
bra DONE;
CONSUME:
CWAIT:
mbarrier.try_wait.parity.WAITS.shared::cta.b64 %p2, [bar], %r10, 1000;
@!%p2 bra CWAIT;
ld.shared.u32 %r13, [%r9];
mad.lo.u32 %r12, %r12, 1000, %r13;
mbarrier.arrive.ARRIVE.shared::cta.b64 _, [bar+8];
add.u32 %r10, %r10, 1; setp.lt.u32 %p4, %r10, 2; @%p4 bra CONSUME;
st.global.u32 [%rd2], %r12;
DONE:
)";
  for (auto [name, with] : {std::pair("ARRIVE", arrive), {"WAITS", wait}})
    for (size_t at; (at = text.find(std::string(".") + name)) != text.npos;)
      text.replace(at + 1, std::string(name).size(), with);
  return text;
}

TEST(Mbarrier, OrdersAProducerAndAConsumer) {
  for (uint64_t seed = 0; seed < numSeeds; ++seed) {
    KernelRun good = run(pipeline("release.cta", "acquire.cta"), 64, seed);
    EXPECT_EQ(good.findings(), "");
    for (unsigned t = 0; t < 32; ++t)
      EXPECT_EQ(good.u32(32 + t), (t ^ 1) * 1000 + 100 + (t ^ 1));
    EXPECT_TRUE(run(pipeline("relaxed.cta", "acquire.cta"), 64, seed)
                    .has(FindingKind::SharedRace));
    EXPECT_TRUE(run(pipeline("release.cta", "relaxed.cta"), 64, seed)
                    .has(FindingKind::SharedRace));
  }
}

TEST(Mbarrier, MustBeInitialisedByThen) {
  for (uint64_t seed = 0; seed < numSeeds; ++seed) {
    KernelRun never = run("mbarrier.arrive.shared.b64 _, [bar];", 1, seed);
    EXPECT_NE(only(never, FindingKind::MbarrierMisuse)
                  .message.find("is not initialised"),
              std::string::npos);
    // The second warp may be first.
    std::string text = init(64);
    std::string arrive = "mbarrier.arrive.shared.b64 _, [bar];\n" + wait("0");
    EXPECT_EQ(run(text + arrive, 64, seed).findings(), "");
    text.replace(text.find("bar.sync 0;"), 11, "");
    EXPECT_TRUE(run(text + arrive, 64, seed).has(FindingKind::MbarrierMisuse));
  }
  KernelRun gone = run("mbarrier.init.shared.b64 [bar], 2;\n"
                       "mbarrier.inval.shared.b64 [bar];\n"
                       "mbarrier.arrive.shared.b64 _, [bar];",
                       1);
  only(gone, FindingKind::MbarrierMisuse);
  // Invalidated, its memory may be used for something else.
  KernelRun reused = run("mbarrier.init.shared.b64 [bar], 2;\n"
                         "mbarrier.inval.shared.b64 [bar];\n"
                         "st.shared.u32 [bar], 7; ld.shared.u32 %r1, [bar];\n"
                         "st.global.u32 [%rd2], %r1;",
                         1);
  EXPECT_EQ(reused.findings(), "");
  EXPECT_EQ(reused.u32(0), 7u);
}

TEST(Mbarrier, IsNotReadOrWrittenAsMemory) {
  only(run("mbarrier.init.shared.b64 [bar], 2; ld.shared.u32 %r1, [bar];", 1),
       FindingKind::MbarrierMisuse);
  only(run("mbarrier.init.shared.b64 [bar], 2; st.shared.u32 [bar+4], 1;", 1),
       FindingKind::MbarrierMisuse);
}

TEST(Mbarrier, CountsMustFit) {
  only(run("mbarrier.init.shared.b64 [bar], 0;", 1),
       FindingKind::MbarrierMisuse);
  only(run("mbarrier.init.shared.b64 [bar], 1048576;", 1),
       FindingKind::MbarrierMisuse);
  only(run("mbarrier.init.shared.b64 [bar+4], 1;", 1), FindingKind::Misaligned);
  // More than are pending.
  EXPECT_NE(only(run("mbarrier.init.shared.b64 [bar], 2;\n"
                     "mbarrier.arrive.shared.b64 _, [bar], 3;",
                     1),
                 FindingKind::MbarrierMisuse)
                .message.find("takes 2 arrivals more"),
            std::string::npos);
  // While bytes hold the phase back no arrival is pending.
  only(run("mbarrier.init.shared.b64 [bar], 1;\n"
           "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 8;\n"
           "mbarrier.arrive.shared.b64 _, [bar];",
           1),
       FindingKind::MbarrierMisuse);
  only(run("mbarrier.init.shared.b64 [bar], 2;\n"
           "mbarrier.arrive.noComplete.shared.b64 %rd5, [bar], 2;",
           1),
       FindingKind::MbarrierMisuse);
  only(run("mbarrier.init.shared.b64 [bar], 1;\n"
           "mbarrier.expect_tx.shared.b64 [bar], 1048575;\n"
           "mbarrier.expect_tx.shared.b64 [bar], 1;",
           1),
       FindingKind::MbarrierMisuse);
  only(run("mbarrier.init.shared.b64 [bar], 1;\n"
           "mbarrier.complete_tx.shared.b64 [bar], 1048576;",
           1),
       FindingKind::MbarrierMisuse);
}

TEST(Mbarrier, AStateIsGoodForOnePhase) {
  std::string body = "mbarrier.init.shared.b64 [bar], 1;\n"
                     "mbarrier.arrive.shared.b64 %rd5, [bar];\n"
                     "mbarrier.arrive.shared.b64 _, [bar];\n";
  only(run(body + "mbarrier.test_wait.shared.b64 %p1, [bar], %rd5;", 1),
       FindingKind::MbarrierMisuse);
}

TEST(Mbarrier, AWrongParityIsADeadlock) {
  for (uint64_t seed = 0; seed < numSeeds; ++seed) {
    std::string arrive = init(33) + "setp.lt.u32 %p3, %r0, 33;\n"
                                    "@%p3 mbarrier.arrive.shared.b64 _, [bar];"
                                    "\nbar.sync 0;\n";
    EXPECT_EQ(run(arrive + wait("0"), 64, seed).findings(), "");
    KernelRun bad = run(arrive + wait("1"), 64, seed);
    EXPECT_FALSE(bad.result.completed);
    const Finding &finding = only(bad, FindingKind::Deadlock);
    EXPECT_NE(
        finding.message.find(
            "for phase 1 of the mbarrier at 0x400, whose phase 1 is under "
            "way and takes 33 of 33 arrivals and 0 bytes more"),
        std::string::npos)
        << finding.message;
    // Bytes that nobody brings.
    KernelRun bytes = run(init(64) +
                              "mbarrier.arrive.expect_tx.shared.b64 _, [bar], "
                              "4;\n" +
                              wait("0"),
                          64, seed);
    EXPECT_NE(only(bytes, FindingKind::Deadlock)
                  .message.find("takes 0 of 64 arrivals and 256 bytes more"),
              std::string::npos)
        << firstMessage(bytes);
  }
}

TEST(Mbarrier, PathsOfOneWarpTakeTurns) {
  // Lanes 16 to 31 wait for those that diverged from them.
  for (uint64_t seed = 0; seed < numSeeds; ++seed) {
    KernelRun good = run(
        init(16) + "setp.lt.u32 %p3, %r0, 16;\n@%p3 bra ARRIVE;\n" + wait("0") +
            "mov.u32 %r1, 3; bra DONE;\n"
            "ARRIVE:\nmbarrier.arrive.shared.b64 _, [bar];\n"
            "mov.u32 %r1, 4;\n"
            "DONE:\nst.global.u32 [%rd2], %r1;",
        32, seed);
    EXPECT_EQ(good.findings(), "");
    EXPECT_EQ(good.u32(16), 3u);
    KernelRun other = run(
        init(16) + "setp.ge.u32 %p3, %r0, 16;\n@%p3 bra ARRIVE;\n" + wait("0") +
            "bra DONE;\n"
            "ARRIVE:\nmbarrier.arrive.shared.b64 _, [bar];\nDONE:\n",
        32, seed);
    EXPECT_EQ(other.findings(), "");
  }
}

TEST(Mbarrier, CopiesOfAThreadArrive) {
  for (uint64_t seed = 0; seed < numSeeds; ++seed)
    for (bool increments : {false, true}) {
      // Warp 0 copies, warp 1 reads what the mbarrier lets through.
      std::string body =
          init(increments ? 1 : 32) +
          "setp.ge.u32 %p3, %r0, 32;\n@%p3 bra READ;\n"
          "shl.b32 %r5, %r0, 2; mov.u32 %r6, data; add.u32 %r6, %r6, %r5;\n"
          "cp.async.ca.shared.global [%r6], [%rd1], 4;\n"
          "cp.async.mbarrier.arrive" +
          std::string(increments ? "" : ".noinc") + ".shared.b64 [bar];\n" +
          (increments ? "bar.warp.sync -1;\n"
                        "@!%p1 mbarrier.arrive.shared.b64 _, [bar];\n"
                      : "") +
          "bra DONE;\nREAD:\n" + wait("0") +
          "and.b32 %r5, %r0, 31; shl.b32 %r5, %r5, 2; mov.u32 %r6, data;\n"
          "add.u32 %r6, %r6, %r5; ld.shared.u32 %r7, [%r6];\n"
          "st.global.u32 [%rd2], %r7;\nDONE:\n";
      std::vector<std::array<uint32_t, 4>> in(64);
      for (uint32_t t = 0; t < 64; ++t)
        in[t][0] = 7 * t;
      KernelRun good = runText(wrap90(body, objects), in, threads(64, seed));
      EXPECT_EQ(good.findings(), "");
      EXPECT_EQ(good.u32(32 + 9), 63u);
      size_t at = body.find("READ:\n") + 6;
      body.erase(at, wait("0").size());
      KernelRun bad = runText(wrap90(body, objects), in, threads(64, seed));
      EXPECT_TRUE(bad.has(FindingKind::MissingAsyncWait) ||
                  bad.has(FindingKind::UninitialisedMemory));
    }
}

} // namespace
