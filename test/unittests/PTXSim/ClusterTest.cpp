//===- ClusterTest.cpp - clusters and distributed shared memory -----------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Special registers, the barrier of the cluster, accesses to peers; each misuse
// with a twin that is right.
//
//===----------------------------------------------------------------------===//

#include "HopperUtils.h"

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

LaunchConfig clusters(unsigned blocks, unsigned size, unsigned count,
                      uint64_t seed = 0) {
  LaunchConfig config = threads(count, seed);
  config.grid = {blocks, 1, 1};
  config.cluster = {size, 1, 1};
  return config;
}

const char *objects = ".shared .align 8 .b64 bar[2];\n"
                      ".shared .align 16 .b32 data[32];\n";

/// %rd2 becomes the output of this thread in the whole grid.
const char *globalThread =
    "mov.u32 %r50, %ctaid.x; mov.u32 %r51, %ntid.x;\n"
    "mul.lo.u32 %r50, %r50, %r51; mul.wide.u32 %rd30, %r50, 16;\n"
    "add.u64 %rd2, %rd2, %rd30;\n";

TEST(Cluster, SpecialRegisters) {
  std::string text = wrap90(R"(
mov.u32 %r40, %ctaid.x; mov.u32 %r41, %ctaid.y; mov.u32 %r42, %nctaid.x;
mad.lo.u32 %r40, %r41, %r42, %r40;
mul.wide.u32 %rd5, %r40, 16; add.u64 %rd2, %rd2, %rd5;
mov.u32 %r1, %cluster_ctaid.x; mov.u32 %r2, %cluster_ctaid.y;
mov.u32 %r3, %cluster_ctarank; mov.u32 %r4, %cluster_nctarank;
mad.lo.u32 %r1, %r2, 10, %r1; mad.lo.u32 %r1, %r3, 100, %r1;
mad.lo.u32 %r1, %r4, 1000, %r1;
mov.u32 %r5, %clusterid.x; mov.u32 %r6, %clusterid.y;
mad.lo.u32 %r5, %r6, 10, %r5;
mov.u32 %r7, %nclusterid.x; mov.u32 %r8, %nclusterid.y;
mad.lo.u32 %r7, %r8, 10, %r7;
mov.u32 %r9, %cluster_nctaid.x; mov.u32 %r10, %cluster_nctaid.y;
mad.lo.u32 %r9, %r10, 10, %r9;
st.global.v4.u32 [%rd2], {%r1, %r5, %r7, %r9};
)");
  Result<Module> module = Module::parse(text, "c.ptx");
  ASSERT_TRUE(bool(module)) << module.error();
  Memory memory;
  uint64_t in = memory.allocate(16, "in"),
           out = memory.allocate(16 * 24, "out");
  LaunchConfig config = oneThread();
  config.grid = {4, 6, 1};
  config.cluster = {2, 3, 1};
  auto result = launch(*module, "k", memory,
                       Arguments().pointer(in).pointer(out), config);
  ASSERT_TRUE(bool(result)) << result.error();
  EXPECT_TRUE(result->findings.empty()) << result->findings[0].str();
  uint32_t words[24][4];
  memory.read(out, words, sizeof(words));
  // Block (3, 4): second of its cluster in x, second in y.
  const uint32_t *w = words[4 * 4 + 3];
  EXPECT_EQ(w[0], 6000u + 300u + 10u + 1u);
  EXPECT_EQ(w[1], 11u);
  EXPECT_EQ(w[2], 22u);
  EXPECT_EQ(w[3], 32u);
}

TEST(Cluster, TheLaunchMustFit) {
  auto errorOf = [](const std::string &directives, LaunchConfig config) {
    Result<Module> module = Module::parse(wrap90("", "", directives), "c.ptx");
    EXPECT_TRUE(bool(module)) << module.error();
    Memory memory;
    uint64_t in = memory.allocate(64, "in");
    auto result = launch(*module, "k", memory,
                         Arguments().pointer(in).pointer(in), config);
    return result ? std::string() : result.error();
  };
  EXPECT_EQ(errorOf("", clusters(4, 2, 1)), "");
  EXPECT_EQ(errorOf("", clusters(3, 2, 1)),
            "expected a grid that is a multiple of the cluster 2x1x1 but got "
            "3x1x1");
  EXPECT_EQ(errorOf("", clusters(32, 32, 1)),
            "expected a cluster of 1 to 16 blocks but got 32x1x1");
  EXPECT_EQ(errorOf(".reqnctapercluster 4, 1, 1", clusters(4, 1, 1)), "");
  EXPECT_EQ(errorOf(".reqnctapercluster 4, 1, 1", clusters(4, 2, 1)),
            "expected cluster 4x1x1, as .reqnctapercluster says, but got "
            "2x1x1");
  EXPECT_EQ(errorOf(".maxclusterrank 2", clusters(4, 4, 1)),
            "expected a cluster within .maxclusterrank 2 but got 4x1x1");
}

/// Each block writes its rank and thread, and reads what its neighbour wrote.
std::string exchange(const std::string &before, const std::string &after,
                     bool isGeneric = false) {
  std::string text = std::string(globalThread) + R"(
mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, %cluster_nctarank;
mad.lo.u32 %r3, %r1, 100, %r0; shl.b32 %r4, %r0, 2; mov.u32 %r5, data;
add.u32 %r5, %r5, %r4; st.shared.u32 [%r5], %r3;
)" + before + R"(
add.u32 %r6, %r1, 1; rem.u32 %r6, %r6, %r2;
)";
  if (isGeneric)
    text += "cvt.u64.u32 %rd5, %r5; cvta.shared.u64 %rd5, %rd5;\n"
            "mapa.u64 %rd6, %rd5, %r6; ld.u32 %r8, [%rd6];\n"
            "getctarank.u64 %r9, %rd6;\n"
            "isspacep.shared::cluster %p5, %rd6; selp.u32 %r10, 1, 0, %p5;\n"
            "isspacep.shared::cta %p6, %rd6; selp.u32 %r11, 1, 0, %p6;\n";
  else
    text += "mapa.shared::cluster.u32 %r7, %r5, %r6;\n"
            "ld.shared::cluster.u32 %r8, [%r7];\n"
            "getctarank.shared::cluster.u32 %r9, %r7;\n"
            "mov.u32 %r10, 1; mov.u32 %r11, 0;\n";
  return text + after + "st.global.v4.u32 [%rd2], {%r8, %r9, %r10, %r11};\n";
}

const char *arriveAndWait = "barrier.cluster.arrive.release.aligned;\n"
                            "barrier.cluster.wait.acquire.aligned;\n";

TEST(Cluster, ReadsWhatAPeerWrote) {
  for (bool isGeneric : {false, true})
    for (uint64_t seed = 0; seed < numSeeds; ++seed) {
      KernelRun good = runText(
          wrap90(exchange(arriveAndWait, arriveAndWait, isGeneric), objects),
          {}, clusters(6, 3, 32, seed));
      EXPECT_EQ(good.findings(), "");
      for (unsigned block = 0; block < 6; ++block) {
        unsigned peer = (block % 3 + 1) % 3;
        EXPECT_EQ(good.u32(32 * block + 7, 0), 100 * peer + 7);
        EXPECT_EQ(good.u32(32 * block + 7, 1), peer);
        EXPECT_EQ(good.u32(32 * block + 7, 2), 1u);
        EXPECT_EQ(good.u32(32 * block + 7, 3), 0u);
      }
    }
}

TEST(Cluster, PeersRaceAndLeave) {
  for (uint64_t seed = 0; seed < numSeeds; ++seed) {
    // The peer is there, but what it wrote is not ordered.
    KernelRun race = runText(
        wrap90(exchange("barrier.cluster.arrive.relaxed.aligned;\n"
                        "barrier.cluster.wait.acquire.aligned;\n",
                        arriveAndWait) +
                   // uses the async proxy, so that starts are told apart
                   "fence.proxy.async;\n",
               objects),
        {}, clusters(2, 2, 32, seed));
    EXPECT_EQ(kinds(race), "shared-race");
    EXPECT_NE(firstMessage(race).find("of the block of rank"),
              std::string::npos);
    // A fence in front releases.
    KernelRun fenced =
        runText(wrap90(exchange("fence.acq_rel.cluster;\n"
                                "barrier.cluster.arrive.relaxed.aligned;\n"
                                "barrier.cluster.wait.acquire.aligned;\n",
                                arriveAndWait),
                       objects),
                {}, clusters(2, 2, 32, seed));
    EXPECT_EQ(fenced.findings(), "");
    KernelRun left = runText(wrap90(exchange(arriveAndWait, ""), objects), {},
                             clusters(2, 2, 32, seed));
    EXPECT_EQ(kinds(left), "cluster-peer");
    EXPECT_TRUE(runText(wrap90(exchange("", arriveAndWait), objects), {},
                        clusters(2, 2, 32, seed))
                    .has(FindingKind::ClusterPeer));
  }
}

TEST(Cluster, RanksAndAddressesMustExist) {
  KernelRun rank = runText(wrap90(std::string(arriveAndWait) +
                                      "mov.u32 %r5, data;\n"
                                      "mapa.shared::cluster.u32 %r7, %r5, 2;\n",
                                  objects),
                           {}, clusters(2, 2, 32));
  only(rank, FindingKind::OutOfBounds);
  // .shared is the own block's.
  KernelRun own = runText(
      wrap90(std::string(arriveAndWait) +
                 "mov.u32 %r5, data; mov.u32 %r6, %cluster_ctarank;\n"
                 "xor.b32 %r6, %r6, 1; mapa.shared::cluster.u32 %r7, %r5, "
                 "%r6;\nst.shared.u32 [%r7], %r0;\n" +
                 arriveAndWait,
             objects),
      {}, clusters(2, 2, 32));
  only(own, FindingKind::OutOfBounds);
}

TEST(Cluster, TheBarrierIsUsedInTurn) {
  KernelRun wait =
      runText(wrap90("barrier.cluster.wait;"), {}, clusters(2, 2, 32));
  only(wait, FindingKind::BarrierMismatch);
  KernelRun twice = runText(wrap90("barrier.cluster.arrive;\n"
                                   "barrier.cluster.arrive;\n"
                                   "barrier.cluster.wait;"),
                            {}, clusters(2, 2, 32));
  only(twice, FindingKind::BarrierMismatch);
  // One block never arrives but waits for something else.
  std::string body = "mov.u32 %r1, %cluster_ctarank;\n"
                     "setp.eq.u32 %p1, %r1, 1;\n"
                     "@%p1 bra OTHER;\n"
                     "barrier.cluster.arrive; barrier.cluster.wait;\n"
                     "bra DONE;\nOTHER:\n";
  KernelRun stuck =
      runText(wrap90(body + "mbarrier.init.shared.b64 [bar], 1;\nLOOP:\n"
                            "mbarrier.try_wait.parity.shared.b64 %p2, [bar], "
                            "0;\n@!%p2 bra LOOP;\nDONE:\n",
                     objects),
              {}, clusters(2, 2, 1));
  EXPECT_NE(only(stuck, FindingKind::Deadlock)
                .message.find("the barrier of the cluster, which 1 of 2 warps "
                              "have reached"),
            std::string::npos)
      << firstMessage(stuck);
  // Threads that have left are not waited for.
  KernelRun left = runText(wrap90(body + "DONE:\n"), {}, clusters(2, 2, 32));
  EXPECT_EQ(left.findings(), "");
}

TEST(Cluster, AtomicsOnAPeer) {
  KernelRun good = runText(
      wrap90(std::string(globalThread) +
                 "setp.eq.u32 %p1, %r0, 0; mov.u32 %r5, data;\n"
                 "@%p1 st.shared.u32 [data], 0;\n" +
                 arriveAndWait +
                 "mapa.shared::cluster.u32 %r7, %r5, 0;\n"
                 "atom.relaxed.cluster.shared::cluster.add.u32 %r8, [%r7], 1;\n"
                 "red.shared::cluster.add.u32 [%r7], 1;\n" +
                 arriveAndWait +
                 "ld.shared.u32 %r9, [data]; st.global.u32 [%rd2], %r9;\n",
             objects),
      {}, clusters(4, 4, 32));
  EXPECT_EQ(good.findings(), "");
  EXPECT_EQ(good.u32(3), 256u);
  EXPECT_EQ(good.u32(32 + 3), 0u);
}

/// Block 1 arrives at the mbarrier of block 0, which waits for it.
std::string remoteArrival(const std::string &fence, const std::string &meet) {
  return "setp.eq.u32 %p1, %r0, 0; mov.u32 %r1, %cluster_ctarank;\n"
         "@%p1 mbarrier.init.shared::cta.b64 [bar], 32;\n" +
         fence + meet +
         "setp.eq.u32 %p3, %r1, 0;\n@%p3 bra WAIT;\n"
         "mov.u32 %r5, bar; mapa.shared::cluster.u32 %r7, %r5, 0;\n"
         "mov.u32 %r8, data; shl.b32 %r9, %r0, 2; add.u32 %r8, %r8, %r9;\n"
         "mapa.shared::cluster.u32 %r8, %r8, 0;\n"
         "st.shared::cluster.u32 [%r8], %r0;\n"
         "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r7];\n"
         "bra DONE;\nWAIT:\n"
         "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [bar], "
         "0;\n@!%p2 bra WAIT;\n"
         "xor.b32 %r6, %r0, 1; shl.b32 %r6, %r6, 2; mov.u32 %r7, data;\n"
         "add.u32 %r7, %r7, %r6; ld.shared.u32 %r8, [%r7];\n"
         "st.global.u32 [%rd2], %r8;\nDONE:\n" +
         arriveAndWait;
}

TEST(Cluster, ArrivesAtThePeersMbarrier) {
  const char *relaxed = "barrier.cluster.arrive.relaxed.aligned;\n"
                        "barrier.cluster.wait.acquire.aligned;\n";
  for (uint64_t seed = 0; seed < numSeeds; ++seed) {
    KernelRun good = runText(
        wrap90(remoteArrival("fence.mbarrier_init.release.cluster;\n", relaxed),
               objects),
        {}, clusters(2, 2, 32, seed));
    EXPECT_EQ(good.findings(), "");
    EXPECT_EQ(good.u32(6), 7u);
    EXPECT_EQ(runText(wrap90(remoteArrival("", arriveAndWait), objects), {},
                      clusters(2, 2, 32, seed))
                  .findings(),
              "");
    EXPECT_EQ(kinds(runText(wrap90(remoteArrival("", relaxed), objects), {},
                            clusters(2, 2, 32, seed))),
              "mbarrier-misuse");
  }
}

} // namespace
