//===- OrderTest.cpp - what orders accesses to shared memory --------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strong accesses race with plain ones unless something orders them; a release
// that was acquired, or fences around strong accesses, do.
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

/// `flag` is zero before `body` runs on two warps; %p1 holds in the second.
KernelRun run(const std::string &body, uint64_t seed) {
  return runText(wrap("mov.u32 %r10, 0; setp.ge.u32 %p1, %r0, 32;"
                      "setp.ne.u32 %p2, %r0, 0;\n"
                      "@!%p2 st.shared.u32 [flag], %r10;\n"
                      "bar.sync 0;\n" +
                          body,
                      ".shared .align 16 .b32 flag[4];\n"
                      ".shared .align 16 .b32 data[4];\n"),
                 {}, threads(64, seed));
}

bool isRacy(const KernelRun &run) { return run.has(FindingKind::SharedRace); }

TEST(Order, AtomicsRaceWithPlainAccesses) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const char *update = "red.shared.add.u32 [flag], 1;\n";
    const char *read = "ld.shared.u32 %r1, [flag];\n"
                       "st.global.u32 [%rd2], %r1;";
    EXPECT_TRUE(isRacy(run(std::string(update) + read, seed)));
    KernelRun good = run(std::string(update) + "bar.sync 0;\n" + read, seed);
    EXPECT_EQ(good.findings(), "");
    EXPECT_EQ(good.u32(0), 64u);
    // The plain access comes first.
    EXPECT_TRUE(isRacy(run("@!%p1 st.shared.u32 [data], %r10;\n"
                           "@%p1 atom.shared.exch.b32 %r1, [data], %r0;",
                           seed)));
    EXPECT_TRUE(isRacy(run("@!%p1 ld.shared.u32 %r1, [flag];\n"
                           "@%p1 red.shared.add.u32 [flag], 1;",
                           seed)));
    EXPECT_TRUE(isRacy(run("@!%p1 st.shared.u32 [flag], %r10;\n"
                           "@%p1 red.shared.add.u32 [flag], 1;",
                           seed)));
    // Among themselves they do not race.
    EXPECT_EQ(run("red.shared.add.u32 [flag], 1;\n"
                  "ld.volatile.shared.u32 %r1, [flag];",
                  seed)
                  .findings(),
              "");
  }
}

TEST(Order, VolatileAccessesRaceWithPlainOnes) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    EXPECT_TRUE(isRacy(run("@!%p1 st.volatile.shared.u32 [flag], %r0;\n"
                           "@%p1 ld.shared.u32 %r1, [flag];",
                           seed)));
    EXPECT_TRUE(isRacy(run("@!%p1 ld.volatile.shared.u32 %r1, [flag];\n"
                           "@%p1 st.shared.u32 [flag], %r10;",
                           seed)));
    // Separate barriers of one warp each order nothing.
    EXPECT_TRUE(isRacy(run("@!%p1 st.volatile.shared.u32 [flag], %r0;\n"
                           "selp.u32 %r1, 1, 2, %p1; bar.sync %r1, 32;\n"
                           "@%p1 ld.shared.u32 %r1, [flag];",
                           seed)));
  }
}

/// The first warp writes data and then the flag, the second waits for the flag
/// and reads the data.
KernelRun handOver(const std::string &fenceBefore, const std::string &write,
                   const std::string &read, const std::string &fenceAfter,
                   uint64_t seed, const std::string &address = "flag") {
  return run("ld.param.u64 %rd7, [out];\n@!%p2 st.global.u32 [%rd7+8], %r10;\n"
             "bar.sync 0;\n@%p1 bra READ;\n"
             "st.shared.u32 [data], %r10; mov.u32 %r11, 1;\n" +
                 fenceBefore + "\n" + write + " [" + address +
                 "], %r11;\nbra DONE;\nREAD:\n" + read + " %r1, [" + address +
                 "];\nsetp.eq.u32 %p3, %r1, 0;\n@%p3 bra READ;\n" + fenceAfter +
                 "\nld.shared.u32 %r2, [data];\nDONE:\n",
             seed);
}

TEST(Order, AReleaseThatIsAcquiredOrders) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const char *store = "st.release.cta.shared.u32";
    const char *load = "ld.acquire.cta.shared.u32";
    const char *relaxedStore = "st.relaxed.cta.shared.u32";
    const char *relaxedLoad = "ld.relaxed.cta.shared.u32";
    const char *fence = "fence.acq_rel.cta;";
    EXPECT_EQ(handOver("", store, load, "", seed).findings(), "");
    EXPECT_EQ(
        handOver(fence, relaxedStore, relaxedLoad, fence, seed).findings(), "");
    EXPECT_EQ(handOver("membar.cta;", "st.volatile.shared.u32", load, "", seed)
                  .findings(),
              "");
    EXPECT_EQ(
        handOver("", "red.release.cta.shared.add.u32", relaxedLoad, fence, seed)
            .findings(),
        "");
    EXPECT_EQ(handOver("", "st.release.cta.global.u32",
                       "ld.acquire.cta.global.u32", "", seed, "%rd7+8")
                  .findings(),
              "");
    // One half of it does not.
    EXPECT_TRUE(isRacy(handOver("", store, relaxedLoad, "", seed)));
    EXPECT_TRUE(isRacy(handOver("", relaxedStore, load, "", seed)));
    EXPECT_TRUE(isRacy(handOver("", relaxedStore, relaxedLoad, "", seed)));
    EXPECT_TRUE(isRacy(handOver("", relaxedStore, relaxedLoad, fence, seed)));
    EXPECT_TRUE(isRacy(handOver(fence, relaxedStore, relaxedLoad, "", seed)));
  }
}

TEST(Order, WhatFollowsAReleaseIsNotReleased) {
  for (uint64_t seed = 0; seed < 10; ++seed)
    EXPECT_TRUE(isRacy(run("@%p1 bra READ;\n"
                           "mov.u32 %r11, 1;\n"
                           "st.release.cta.shared.u32 [flag], %r11;\n"
                           "st.shared.u32 [data], %r10;\nbra DONE;\nREAD:\n"
                           "ld.acquire.cta.shared.u32 %r1, [flag];\n"
                           "setp.eq.u32 %p3, %r1, 0;\n@%p3 bra READ;\n"
                           "ld.shared.u32 %r2, [data];\nDONE:\n",
                           seed)));
}

TEST(Order, AnAtomicUpdatePassesAReleaseOn) {
  // The first warp's lane releases with its addition, the second warp's
  // addition in between is relaxed; the flag's reader acquires both.
  for (uint64_t seed = 0; seed < 10; ++seed)
    EXPECT_EQ(run("@%p1 bra SECOND;\n"
                  "st.shared.u32 [data], %r10;\n"
                  "red.release.cta.shared.add.u32 [flag], 1;\nbra DONE;\n"
                  "SECOND:\n"
                  "red.relaxed.cta.shared.add.u32 [flag], 1;\n"
                  "WAIT:\nld.acquire.cta.shared.u32 %r1, [flag];\n"
                  "setp.ne.u32 %p3, %r1, 64;\n@%p3 bra WAIT;\n"
                  "ld.shared.u32 %r2, [data];\nDONE:\n",
                  seed)
                  .findings(),
              "");
}

} // namespace
