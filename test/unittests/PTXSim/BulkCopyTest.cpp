//===- BulkCopyTest.cpp - bulk copies -------------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cp.async.bulk in every direction; each missing wait or fence with a twin that
// has it. Tensor copies have a file of their own.
//
//===----------------------------------------------------------------------===//

#include "HopperUtils.h"

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

const char *objects = ".shared .align 8 .b64 bar[2];\n"
                      ".shared .align 128 .b32 data[256];\n";

std::vector<std::array<uint32_t, 4>> counted(unsigned threads) {
  std::vector<std::array<uint32_t, 4>> in(threads);
  for (unsigned t = 0; t < threads; ++t)
    for (unsigned w = 0; w < 4; ++w)
      in[t][w] = 10 * t + w;
  return in;
}

/// Thread 0 copies 16 bytes for each of 64 threads, which read them.
std::string load(const std::string &wait, const std::string &bytes = "1024",
                 const std::string &space = "shared::cluster") {
  return R"(
setp.ne.u32 %p1, %r0, 0;
@%p1 bra READY;
mbarrier.init.shared::cta.b64 [bar], 1;
READY:
bar.sync 0;
@%p1 bra WAIT;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], )" +
         bytes +
         ";\n"
         "cp.async.bulk." +
         space +
         ".global.mbarrier::complete_tx::bytes [data], [%rd1], 1024, [bar];\n"
         "WAIT:\n" +
         wait + R"(
shl.b32 %r5, %r0, 4; mov.u32 %r6, data; add.u32 %r6, %r6, %r5;
ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r6];
st.global.v4.u32 [%rd2], {%r1, %r2, %r3, %r4};
)";
}

const char *waitForBar =
    "LOOP:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;\n"
    "@!%p2 bra LOOP;\n";

KernelRun run(const std::string &body, unsigned count, uint64_t seed) {
  return runText(wrap90(body, objects), counted(count), threads(count, seed));
}

TEST(BulkCopy, ToSharedMemory) {
  for (const char *space : {"shared::cluster", "shared::cta"})
    for (uint64_t seed = 0; seed < numSeeds; ++seed) {
      KernelRun good = run(load(waitForBar, "1024", space), 64, seed);
      EXPECT_EQ(good.findings(), "");
      EXPECT_EQ(good.out, counted(64));
      // One warp waits and tells the other.
      std::string relay = "setp.ge.u32 %p3, %r0, 32;\n@%p3 bra TOLD;\n" +
                          std::string(waitForBar) + "TOLD:\nbar.sync 1;\n";
      EXPECT_EQ(run(load(relay, "1024", space), 64, seed).findings(), "");
    }
}

TEST(BulkCopy, BytesAreThereForThoseWhoWait) {
  for (uint64_t seed = 0; seed < numSeeds; ++seed) {
    KernelRun none = run(load(""), 64, seed);
    EXPECT_TRUE(none.has(FindingKind::MissingAsyncWait) ||
                none.has(FindingKind::UninitialisedMemory))
        << none.findings();
    // The other warp has waited, this one has not.
    std::string half = "setp.ge.u32 %p3, %r0, 32;\n@%p3 bra TOLD;\n" +
                       std::string(waitForBar) + "TOLD:\n";
    KernelRun bad = run(load(half), 64, seed);
    EXPECT_TRUE(bad.has(FindingKind::MissingAsyncWait) ||
                bad.has(FindingKind::UninitialisedMemory))
        << bad.findings();
  }
}

TEST(BulkCopy, TooFewBytesExpectedIsFound) {
  // 16 bytes too few: the count is below zero when the phase could end.
  for (uint64_t seed = 0; seed < numSeeds; ++seed) {
    KernelRun bad = run(load(waitForBar, "1008"), 64, seed);
    EXPECT_NE(only(bad, FindingKind::Deadlock)
                  .message.find("takes 0 of 1 arrivals and -16 bytes more"),
              std::string::npos)
        << firstMessage(bad);
    EXPECT_NE(
        only(run(load(waitForBar, "1040"), 64, seed), FindingKind::Deadlock)
            .message.find("takes 0 of 1 arrivals and 16 bytes more"),
        std::string::npos);
  }
}

TEST(BulkCopy, OverwritingWhatIsReadIsARace) {
  // The reads of warp 1 are not known to be over when the copy is issued again.
  std::string again = load(waitForBar) +
                      "%sync\n@%p1 bra DONE;\n"
                      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], "
                      "1024;\ncp.async.bulk.shared::cluster.global."
                      "mbarrier::complete_tx::bytes [data], [%rd1], 1024, "
                      "[bar];\nLOOP2:\n"
                      "mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], "
                      "1;\n@!%p2 bra LOOP2;\nDONE:\n";
  auto with = [&](const std::string &sync) {
    std::string text = again;
    return text.replace(text.find("%sync"), 5, sync);
  };
  for (uint64_t seed = 0; seed < numSeeds; ++seed) {
    EXPECT_EQ(run(with("bar.sync 0;"), 64, seed).findings(), "");
    KernelRun bad = run(with(""), 64, seed);
    EXPECT_TRUE(bad.has(FindingKind::SharedRace) ||
                bad.has(FindingKind::MissingAsyncWait));
  }
}

TEST(BulkCopy, OverwritingWhatThreadsWroteTakesAProxyFence) {
  // Every thread clears its part of the buffer that the copy fills.
  auto cleared = [](const std::string &before, const std::string &after) {
    std::string text = "shl.b32 %r7, %r0, 4; mov.u32 %r8, data;\n"
                       "add.u32 %r8, %r8, %r7;\n" +
                       before + load(waitForBar);
    std::string sync = "bar.sync 0;\n";
    return text.insert(text.find(sync) + sync.size(), after);
  };
  std::string clear = "mov.u32 %r9, 0;\n"
                      "st.shared.v4.u32 [%r8], {%r9, %r9, %r9, %r9};\n";
  std::string add = clear + "atom.shared.add.u32 %r9, [%r8], 0;\n";
  std::string shared = "fence.proxy.async.shared::cta;\n";
  for (uint64_t seed = 0; seed < numSeeds; ++seed) {
    for (const std::string &writes : {clear, add}) {
      KernelRun bad = run(cleared(writes, ""), 64, seed);
      EXPECT_EQ(kinds(bad), "missing-fence");
      EXPECT_NE(firstMessage(bad).find("overwrites shared memory"),
                std::string::npos)
          << firstMessage(bad);
      // By those who write, or after the barrier by the one who copies.
      for (const std::string &text :
           {cleared(writes + shared, ""), cleared(writes, shared),
            cleared(writes + "fence.proxy.async;\n", "")}) {
        KernelRun good = run(text, 64, seed);
        EXPECT_EQ(good.findings(), "");
        EXPECT_EQ(good.out, counted(64));
      }
      // A fence for global memory is none for shared memory.
      EXPECT_EQ(kinds(run(cleared(writes + "fence.proxy.async.global;\n", ""),
                          64, seed)),
                "missing-fence");
    }
    // Reads need none: their values have arrived when the barrier is passed.
    EXPECT_EQ(run(cleared("ld.shared.u32 %r9, [%r8];\n", ""), 64, seed)
                  .has(FindingKind::MissingFence),
              false);
  }
}

TEST(BulkCopy, SizesAndAddressesAreMultiplesOf16) {
  std::string init = "mbarrier.init.shared::cta.b64 [bar], 1;\n";
  auto kindOf = [&](const std::string &operands) {
    return kinds(run(init +
                         "cp.async.bulk.shared::cluster.global."
                         "mbarrier::complete_tx::bytes " +
                         operands + ";",
                     1, 0));
  };
  EXPECT_EQ(kindOf("[data+8], [%rd1], 16, [bar]"), "misaligned");
  EXPECT_EQ(kindOf("[data], [%rd1+8], 16, [bar]"), "misaligned");
  EXPECT_EQ(kindOf("[data], [%rd1], 8, [bar]"), "misaligned");
  EXPECT_EQ(kindOf("[data], [%rd1], 32, [bar]"), "out-of-bounds");
  EXPECT_EQ(kindOf("[data+1024], [%rd1], 16, [bar]"), "out-of-bounds");
  EXPECT_EQ(kindOf("[data], [%rd1], 16, [bar+8]"), "mbarrier-misuse");
  // Nobody waits for a copy that is right.
  EXPECT_EQ(kindOf("[data], [%rd1], 16, [bar]"), "missing-async-wait");
}

/// Every thread writes 16 bytes that thread 0 stores.
std::string store(const std::string &fence, const std::string &copy,
                  const std::string &after) {
  return R"(
shl.b32 %r5, %r0, 4; mov.u32 %r6, data; add.u32 %r6, %r6, %r5;
mad.lo.u32 %r7, %r0, 10, 3;
st.shared.v4.u32 [%r6], {%r7, %r0, %r0, %r0};
)" + fence +
         R"(
bar.sync 0;
setp.ne.u32 %p1, %r0, 0;
@%p1 bra REST;
)" + copy +
         "\nREST:\n" + after;
}

const char *fence = "fence.proxy.async.shared::cta;";
const char *copyOut =
    "cp.async.bulk.global.shared::cta.bulk_group [%rd2], [data], 1024;\n"
    "cp.async.bulk.commit_group;\n";
const char *waitRead = "cp.async.bulk.wait_group.read 0;\n";

TEST(BulkCopy, ToGlobalMemory) {
  for (uint64_t seed = 0; seed < numSeeds; ++seed)
    for (const char *wait : {waitRead, "cp.async.bulk.wait_group 0;\n"}) {
      KernelRun good =
          run(store(fence, std::string(copyOut) + wait, ""), 64, seed);
      EXPECT_EQ(good.findings(), "");
      for (unsigned t = 0; t < 64; ++t) {
        EXPECT_EQ(good.u32(t, 0), 10 * t + 3);
        EXPECT_EQ(good.u32(t, 3), t);
      }
    }
}

TEST(BulkCopy, ToGlobalMemoryTakesAFence) {
  for (uint64_t seed = 0; seed < numSeeds; ++seed) {
    EXPECT_EQ(
        kinds(run(store("", std::string(copyOut) + waitRead, ""), 64, seed)),
        "missing-fence");
    // After the barrier the fence covers all that came before.
    EXPECT_EQ(
        run(store("", fence + std::string(copyOut) + waitRead, ""), 64, seed)
            .findings(),
        "");
    // A fence by some of the threads does not do for the others.
    EXPECT_EQ(kinds(run(store("setp.lt.u32 %p3, %r0, 32;\n@%p3 "
                              "fence.proxy.async.shared::cta;",
                              std::string(copyOut) + waitRead, ""),
                        64, seed)),
              "missing-fence");
  }
}

TEST(BulkCopy, ASourceStaysUntilItIsRead) {
  std::string overwrite = "bar.sync 0;\nst.shared.u32 [%r6], %r0;\n";
  for (uint64_t seed = 0; seed < numSeeds; ++seed) {
    std::string late = waitRead;
    EXPECT_EQ(run(store(fence, copyOut + late, overwrite), 64, seed).findings(),
              "");
    auto isFound = [&](const std::string &copy, const std::string &after) {
      return run(store(fence, copy, after), 64, seed)
          .has(FindingKind::MissingAsyncWait);
    };
    EXPECT_TRUE(isFound(copyOut, overwrite + late));
    // Adversarial: the copy took what was written later.
    EXPECT_EQ(
        run(store(fence, copyOut, overwrite + "bar.sync 0;\n" + late), 64, seed)
            .u32(5),
        5u);
    // Another thread's wait is not the issuing thread's.
    EXPECT_TRUE(isFound(copyOut, "@%p1 " + late + overwrite));
    // Uncommitted copies are not waited for.
    EXPECT_TRUE(
        isFound("cp.async.bulk.global.shared::cta.bulk_group [%rd2], [data], "
                "1024;\n" +
                    late,
                ""));
    // The newest group may stay.
    EXPECT_TRUE(
        isFound(std::string(copyOut) + "cp.async.bulk.wait_group.read 1;\n",
                overwrite + late));
    EXPECT_EQ(kinds(run(store(fence, copyOut, ""), 64, seed)),
              "missing-async-wait");
  }
}

TEST(BulkCopy, StoresArriveWithTheWholeWait) {
  // Read back in between: the bytes are not there yet.
  for (uint64_t seed = 0; seed < numSeeds; ++seed) {
    const char *readBack =
        "@%p1 bra DONE;\nld.global.u32 %r9, [%rd2];\nDONE:\n";
    EXPECT_EQ(kinds(run(store(fence, std::string(copyOut) + waitRead, readBack),
                        64, seed)),
              "uninitialised-memory");
    EXPECT_EQ(
        run(store(fence, std::string(copyOut) + "cp.async.bulk.wait_group 0;\n",
                  readBack),
            64, seed)
            .findings(),
        "");
  }
}

TEST(BulkCopy, Reductions) {
  // out begins as what a first copy made of it: 10 t + 3, t, t, t.
  auto reduce = [](const std::string &op) {
    return store(fence,
                 std::string(copyOut) +
                     "cp.async.bulk.wait_group 0;\n"
                     "cp.reduce.async.bulk.global."
                     "shared::cta.bulk_group." +
                     op +
                     " [%rd2], [data], 1024;\n"
                     "cp.async.bulk.commit_group;\n" +
                     waitRead,
                 "");
  };
  KernelRun add = run(reduce("add.u32"), 64, 1);
  EXPECT_EQ(add.findings(), "");
  EXPECT_EQ(add.u32(9, 0), 2 * 93u);
  EXPECT_EQ(add.u32(9, 1), 18u);
  KernelRun exclusive = run(reduce("xor.b32"), 64, 1);
  EXPECT_EQ(exclusive.u32(9, 0), 0u);
  KernelRun most = run(reduce("max.s32"), 64, 1);
  EXPECT_EQ(most.u32(9, 0), 93u);
  // As halves: 0x0009 + 0x0009 are subnormals, 2 * 9 * 2^-24.
  KernelRun half = run(reduce("add.noftz.f16"), 64, 1);
  EXPECT_EQ(half.u32(9, 1), 18u);
}

LaunchConfig pair(uint64_t seed) {
  LaunchConfig config = threads(32, seed);
  config.grid = {2, 1, 1};
  config.cluster = {2, 1, 1};
  return config;
}

/// Both blocks wait for what block 0 sends; each thread stores one word.
std::string inCluster(const std::string &send, const std::string &expected) {
  return R"(
mov.u32 %r1, %cluster_ctarank; setp.eq.u32 %p1, %r0, 0;
mov.u32 %r50, %ctaid.x; shl.b32 %r50, %r50, 9; cvt.u64.u32 %rd30, %r50;
add.u64 %rd2, %rd2, %rd30;
shl.b32 %r5, %r0, 2; mov.u32 %r6, data; add.u32 %r6, %r6, %r5;
mad.lo.u32 %r7, %r1, 100, %r0; st.shared.u32 [%r6+512], %r7;
@%p1 mbarrier.init.shared::cta.b64 [bar], 1;
@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], )" +
         expected + R"(;
fence.proxy.async;
barrier.cluster.arrive; barrier.cluster.wait;
setp.ne.u32 %p3, %r1, 0; setp.ne.or.u32 %p3, %r0, 0, %p3;
mov.u32 %r8, data; mov.u32 %r9, bar;
mapa.shared::cluster.u32 %r10, %r8, 1; mapa.shared::cluster.u32 %r11, %r9, 1;
@%p3 bra WAIT;
)" + send +
         "\nWAIT:\n" + waitForBar + R"(
ld.shared.u32 %r12, [%r6]; st.global.u32 [%rd2], %r12;
barrier.cluster.arrive; barrier.cluster.wait;
)";
}

TEST(BulkCopy, MulticastReachesEveryBlock) {
  for (uint64_t seed = 0; seed < numSeeds; ++seed) {
    KernelRun good = runText(
        wrap90(inCluster("mov.u16 %h1, 3;\n"
                         "cp.async.bulk.shared::cluster.global."
                         "mbarrier::complete_tx::bytes.multicast::cluster "
                         "[%r8], [%rd1], 128, [%r9], %h1;",
                         "128"),
               objects),
        counted(64), pair(seed));
    EXPECT_EQ(good.findings(), "");
    for (unsigned block = 0; block < 2; ++block)
      EXPECT_EQ(good.u32(32 * block + 7), 13u);
  }
}

TEST(BulkCopy, BetweenTheBlocksOfACluster) {
  for (uint64_t seed = 0; seed < numSeeds; ++seed) {
    // Block 0 copies its second half to block 1 and to itself.
    std::string copy = "cp.async.bulk.shared::cluster.shared::cta."
                       "mbarrier::complete_tx::bytes ";
    KernelRun good =
        runText(wrap90(inCluster("add.u32 %r13, %r8, 512;\n" + copy +
                                     "[%r10], [%r13], 128, [%r11];\n" + copy +
                                     "[%r8], [%r13], 128, [%r9];",
                                 "128"),
                       objects),
                {}, pair(seed));
    EXPECT_EQ(good.findings(), "");
    EXPECT_EQ(good.u32(7), 7u);
    EXPECT_EQ(good.u32(32 + 7), 7u);
    // The mbarrier lies with the destination.
    EXPECT_TRUE(runText(wrap90(inCluster("add.u32 %r13, %r8, 512;\n" + copy +
                                             "[%r10], [%r13], 128, [%r9];",
                                         "128"),
                               objects),
                        {}, pair(seed))
                    .has(FindingKind::OutOfBounds));
  }
}

TEST(BulkCopy, StoresOfThreadsComplete) {
  for (uint64_t seed = 0; seed < numSeeds; ++seed) {
    std::string send;
    for (const char *to : {"%r10", "%r8"})
      for (unsigned i = 0; i < 2; ++i)
        send += "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes."
                "v4.b32 [" +
                std::string(to) + "+" + std::to_string(16 * i) +
                "], {%r7, %r1, %r7, %r0}, [" + (to[2] == '1' ? "%r11" : "%r9") +
                "];\n";
    std::string text = inCluster(send, "32");
    text.replace(text.find("ld.shared.u32 %r12, [%r6];"), 26,
                 "and.b32 %r14, %r6, 28; mov.u32 %r15, data;\n"
                 "add.u32 %r15, %r15, %r14; ld.shared.u32 %r12, [%r15];");
    text.replace(text.find("%r0; st.shared"), 4, "5; ");
    KernelRun good = runText(wrap90(text, objects), {}, pair(seed));
    EXPECT_EQ(good.findings(), "");
    EXPECT_EQ(good.u32(0), 5u);
    EXPECT_EQ(good.u32(32 + 4), 5u);
    EXPECT_EQ(good.u32(32 + 1), 0u);
  }
}

TEST(BulkCopy, ReductionsOfThreadsComplete) {
  // Block 0 adds twice to the first word of either block, which holds 50.
  for (uint64_t seed = 0; seed < numSeeds; ++seed) {
    std::string send;
    for (const char *operands : {"[%r10], 7, [%r11]", "[%r8], 7, [%r9]",
                                 "[%r10], 3, [%r11]", "[%r8], 4, [%r9]"})
      send += "red.async.relaxed.cluster.shared::cluster."
              "mbarrier::complete_tx::bytes.add.u32 " +
              std::string(operands) + ";\n";
    std::string text = inCluster(send, "8");
    text.replace(text.find("fence.proxy.async;"), 18,
                 "@%p1 st.shared.u32 [data], 50;\nfence.proxy.async;");
    text.replace(text.find("ld.shared.u32 %r12, [%r6];"), 26,
                 "ld.shared.u32 %r12, [data];");
    KernelRun good = runText(wrap90(text, objects), {}, pair(seed));
    EXPECT_EQ(good.findings(), "");
    EXPECT_EQ(good.u32(0), 61u);
    EXPECT_EQ(good.u32(32 + 1), 60u);
  }
}

TEST(BulkCopy, ACopyNobodyWaitsForIsFound) {
  std::string text = inCluster("cp.async.bulk.shared::cluster.global."
                               "mbarrier::complete_tx::bytes [%r10], [%rd1], "
                               "128, [%r11];",
                               "128");
  text.erase(text.find(waitForBar), std::string(waitForBar).size());
  text.erase(text.find("ld.shared.u32 %r12, [%r6]; "), 27);
  text.replace(text.find("[%rd2], %r12"), 12, "[%rd2], %r1");
  // Only if it is still on its way when the block leaves: under some seed.
  bool isFound = false;
  for (uint64_t seed = 0; seed < 4 * numSeeds; ++seed)
    isFound |= runText(wrap90(text, objects), counted(64), pair(seed))
                   .has(FindingKind::MissingAsyncWait);
  EXPECT_TRUE(isFound);
}

} // namespace
