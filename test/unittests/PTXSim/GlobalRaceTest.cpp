//===- GlobalRaceTest.cpp - races in global memory ------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Planted races between warps of a block and between blocks, each beside a
// repaired twin that stays clean whatever the order.
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

LaunchConfig blocks(unsigned count, unsigned threadCount, uint64_t seed) {
  LaunchConfig config = threads(threadCount, seed);
  config.grid = {count, 1, 1};
  return config;
}

/// Under how many of 20 seeds a global race is found; without one nothing else
/// may be found either.
unsigned racesIn(const std::string &body, unsigned blockCount,
                 unsigned threadCount) {
  unsigned found = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    KernelRun run = runBody(body, {}, blocks(blockCount, threadCount, seed));
    if (run.has(FindingKind::GlobalRace))
      ++found;
    else
      EXPECT_EQ(run.findings(), "") << body;
  }
  return found;
}

/// The body with `text` taken out.
std::string without(std::string body, const std::string &text) {
  size_t at = body.find(text);
  EXPECT_NE(at, std::string::npos) << text;
  return body.erase(at, text.size());
}

TEST(GlobalRace, WritesOfTwoBlocks) {
  // Every block writes to the same words; the twin writes to its own.
  const std::string own = "mov.u32 %r5, %ctaid.x;\n mul.wide.u32 %rd5, %r5, "
                          "512;\n add.s64 %rd2, %rd2, %rd5;\n";
  const std::string body = own + "st.global.b32 [%rd2], %r0;";
  EXPECT_EQ(racesIn(body, 3, 32), 0u);
  EXPECT_EQ(racesIn(without(body, own), 3, 32), 20u);

  KernelRun run = runBody(without(body, own), {}, blocks(2, 32, 1));
  const Finding &finding = only(run, FindingKind::GlobalRace);
  EXPECT_EQ(finding.lanes, 0xffffffffu);
  EXPECT_EQ(finding.allocation, "out");
  unsigned other = 1 - finding.block[0];
  EXPECT_EQ(finding.message,
            "writes 4 bytes at offset 0 of 'out' that warp 0 of block (" +
                std::to_string(other) +
                ",0,0) wrote, and nothing orders the two");
}

TEST(GlobalRace, AtomicsDoNotRace) {
  EXPECT_EQ(racesIn(".global .u32 counter;\n mov.u64 %rd4, counter;\n "
                    "red.global.add.u32 [%rd4], 1;\n ld.global.u32 %r3, "
                    "[%rd4];\n atom.global.cas.b32 %r4, [%rd4], %r3, 7;",
                    4, 64),
            0u);
  // Adding to what another block sets with a plain store.
  const std::string sum = "red.global.add.u32 [%rd2], 1;";
  EXPECT_EQ(racesIn("st.global.u32 [%rd2], 0;\n " + sum, 1, 32), 0u);
  EXPECT_EQ(racesIn("st.global.u32 [%rd2], 0;\n " + sum, 2, 32), 20u);
}

TEST(GlobalRace, ReadAndWriteOfTwoBlocks) {
  // Block 0 writes what block 1 reads.
  const std::string readAndWrite = R"(
    mov.u32 %r5, %ctaid.x;
    setp.eq.u32 %p1, %r5, 0;
    @%p1 st.global.b32 [%rd1], %r0;
    @!%p1 ld.global.b32 %r6, [%rd1+OFFSET];)";
  auto with = [&](const std::string &offset) {
    std::string body = readAndWrite;
    body.replace(body.find("OFFSET"), 6, offset);
    return body;
  };
  // Words of 16 bytes: the neighbour's is another.
  EXPECT_EQ(racesIn(with("4"), 2, 32), 0u);
  EXPECT_EQ(racesIn(with("0"), 2, 32), 20u);
  // A read by several blocks before the write is found as well.
  EXPECT_EQ(racesIn(with("0"), 5, 32), 20u);
}

/// Neighbouring bytes and halves are no race, though they share words.
TEST(GlobalRace, NarrowNeighbours) {
  const std::string body = R"(
    ld.param.u64 %rd2, [out];
    mov.u32 %r5, %ctaid.x;
    shl.b32 %r6, %r0, 2;
    add.u32 %r6, %r6, %r5;
    cvt.u64.u32 %rd5, %r6;
    add.s64 %rd2, %rd2, %rd5;
    st.global.b8 [%rd2], %r0;)";
  EXPECT_EQ(racesIn(body, 4, 64), 0u);
  std::string wrong = body;
  wrong.replace(wrong.find("shl.b32 %r6, %r0, 2"), 19, "shl.b32 %r6, %r0, 1");
  EXPECT_EQ(racesIn(wrong, 4, 64), 20u);
}

TEST(GlobalRace, WarpsOfABlock) {
  // Thread i writes word i and reads that of thread i + 32 of the block.
  const std::string barrier = "bar.sync 0;\n";
  const std::string body = R"(
    st.global.b32 [%rd2], %r0;
    )" + barrier + R"(
    xor.b32 %r5, %r0, 32;
    mul.wide.u32 %rd5, %r5, 16;
    ld.param.u64 %rd6, [out];
    add.s64 %rd6, %rd6, %rd5;
    ld.global.b32 %r6, [%rd6];)";
  EXPECT_EQ(racesIn(body, 1, 64), 0u);
  // Without the barrier the read may also come first, and is then found when
  // the other warp writes.
  std::string mutant = "ld.global.b32 %r7, [%rd1];\n" + without(body, barrier);
  unsigned found = 0;
  for (uint64_t seed = 0; seed < 20; ++seed)
    found +=
        runBody(mutant, {}, threads(64, seed)).has(FindingKind::GlobalRace);
  EXPECT_EQ(found, 20u);
}

TEST(GlobalRace, AWriteAfterTheReadOfAnotherWarp) {
  const std::string barrier = "bar.sync 0;\n";
  const std::string body = R"(
    xor.b32 %r5, %r0, 32;
    mul.wide.u32 %rd5, %r5, 16;
    ld.param.u64 %rd6, [in];
    add.s64 %rd6, %rd6, %rd5;
    ld.global.b32 %r6, [%rd6];
    )" + barrier + R"(
    st.global.b32 [%rd1], %r6;)";
  EXPECT_EQ(racesIn(body, 1, 64), 0u);
  EXPECT_EQ(racesIn(without(body, barrier), 1, 64), 20u);
}

/// Each block writes a partial result; the block that finds itself the last by
/// an atomic counter adds them up.
const std::string lastBlock = R"(
    .global .u32 counter;
    mov.u32 %r5, %ctaid.x;
    mov.u32 %r6, %nctaid.x;
    ld.param.u64 %rd5, [out];
    mul.wide.u32 %rd6, %r5, 4;
    add.s64 %rd6, %rd5, %rd6;
    mov.u64 %rd7, counter;
    setp.eq.u32 %p1, %r0, 0;
    @%p1 st.global.u32 [%rd6], %r5;
    FENCE
    @%p1 ATOM %r7, [%rd7], 1;
    sub.u32 %r8, %r6, 1;
    setp.eq.and.u32 %p2, %r7, %r8, %p1;
    mov.u32 %r9, 0;
    mov.u32 %r10, 0;
    @!%p2 bra done;
  again:
    mul.wide.u32 %rd6, %r9, 4;
    add.s64 %rd6, %rd5, %rd6;
    ld.global.u32 %r11, [%rd6];
    add.u32 %r10, %r10, %r11;
    add.u32 %r9, %r9, 1;
    setp.lt.u32 %p3, %r9, %r6;
    @%p3 bra again;
    st.global.u32 [%rd5+256], %r10;
  done:)";

std::string lastBlockWith(const std::string &fence, const std::string &atomic) {
  std::string body = lastBlock;
  body.replace(body.find("FENCE"), 5, fence);
  body.replace(body.find("ATOM"), 4, atomic);
  // Lanes that do not update the counter know no ticket.
  body.insert(body.find("mov.u32 %r6"), "mov.u32 %r7, 0;\n");
  return body;
}

TEST(GlobalRace, TheLastBlockSeesWhatWasReleased) {
  struct Case {
    const char *fence, *atomic;
    bool isClean;
  };
  for (Case c :
       {Case{"membar.gl;", "atom.global.add.u32", true},
        {"fence.acq_rel.gpu;", "atom.relaxed.gpu.global.add.u32", true},
        {"", "atom.acq_rel.gpu.global.add.u32", true},
        {"", "atom.global.add.u32", false},
        {"membar.cta;", "atom.global.add.u32", false},
        {"", "atom.acq_rel.cta.global.add.u32", false},
        {"", "atom.acquire.gpu.global.add.u32", false}})
    EXPECT_EQ(racesIn(lastBlockWith(c.fence, c.atomic), 7, 32),
              c.isClean ? 0u : 20u)
        << c.fence << c.atomic;
}

TEST(GlobalRace, TheBarrierBeforeTheReleaseCounts) {
  // Warp 1 writes, warp 0 fences and counts: that needs a barrier in between.
  const std::string barrier = "bar.sync 0;\n";
  std::string body = lastBlockWith("membar.gl;", "atom.global.add.u32");
  body.replace(body.find("@%p1 st.global"), 4, "@%p4");
  body.insert(body.find("@%p4"), "setp.eq.u32 %p4, %r0, 32;\n ");
  body.insert(body.find("membar.gl;"), barrier);
  EXPECT_EQ(racesIn(body, 5, 64), 0u);
  EXPECT_EQ(racesIn(without(body, barrier), 5, 64), 20u);
}

TEST(GlobalRace, AFlagPassesTheDataOn) {
  // Whoever takes the lock adds to a plain word.
  const std::string body = R"(
    .global .u32 lock;
    .global .u32 total;
    mov.u64 %rd5, lock;
    mov.u64 %rd6, total;
    setp.ne.u32 %p1, %r0, 0;
    @%p1 bra done;
  again:
    ACQUIRE %r5, [%rd5], 0, 1;
    setp.ne.u32 %p2, %r5, 0;
    @%p2 bra again;
    ld.global.u32 %r6, [%rd6];
    add.u32 %r6, %r6, 1;
    st.global.u32 [%rd6], %r6;
    RELEASE [%rd5], 0;
  done:)";
  auto with = [&](const std::string &acquire, const std::string &release) {
    std::string text = body;
    text.replace(text.find("ACQUIRE"), 7, acquire);
    text.replace(text.find("RELEASE"), 7, release);
    return text;
  };
  const std::string acquire = "atom.acquire.gpu.global.cas.b32";
  EXPECT_EQ(racesIn(with(acquire, "st.release.gpu.global.u32"), 6, 64), 0u);
  EXPECT_EQ(racesIn(with(acquire, "st.relaxed.gpu.global.u32"), 6, 64), 20u);
  EXPECT_EQ(
      racesIn(with(acquire, "membar.gl;\n st.volatile.global.u32"), 6, 64), 0u);
}

/// How many of `seeds` runs of small blocks on two host threads find a global
/// race; nothing else may be found. The blocks are so small that those of both
/// threads meet at the same words all the time.
unsigned racesOnTwoThreads(const std::string &body, unsigned seeds) {
  Result<Module> module = Module::parse(wrap(body), "test.ptx");
  EXPECT_TRUE(bool(module)) << module.error();
  unsigned found = 0;
  for (uint64_t seed = 0; module && seed < seeds; ++seed) {
    // Room for a word of each block and the sum behind them.
    constexpr unsigned blockCount = 64;
    Memory memory;
    uint64_t out = memory.allocate(4 * blockCount + 4, "out");
    LaunchConfig config = blocks(blockCount, 1, seed);
    config.threads = 2;
    Result<LaunchResult> result = launch(
        *module, "k", memory, Arguments().pointer(out).pointer(out), config);
    EXPECT_TRUE(bool(result)) << result.error();
    if (!result)
      break;
    bool isRace = false;
    for (const Finding &finding : result->findings) {
      EXPECT_EQ(findingKindName(finding.kind),
                std::string(findingKindName(FindingKind::GlobalRace)))
          << finding.str();
      isRace |= finding.kind == FindingKind::GlobalRace;
    }
    found += isRace;
  }
  return found;
}

TEST(GlobalRace, AnUpdateAndItsOrderAreOneStep) {
  // The counter of the last block, with fences and with an order of its own;
  // the planted twins lack them.
  const std::string relaxed = "atom.global.add.u32";
  EXPECT_EQ(racesOnTwoThreads(lastBlockWith("membar.gl;", relaxed), 300), 0u);
  EXPECT_EQ(racesOnTwoThreads(
                lastBlockWith("", "atom.acq_rel.gpu.global.add.u32"), 300),
            0u);
  EXPECT_EQ(racesOnTwoThreads(lastBlockWith("", relaxed), 20), 20u);
  EXPECT_EQ(racesOnTwoThreads(lastBlockWith("membar.cta;", relaxed), 20), 20u);
}

TEST(GlobalRace, AStoreAndItsOrderAreOneStep) {
  // Every block leaves a message, names itself as the latest to have done so,
  // and reads the message of whoever is named before and after that.
  const std::string read = R"(
    ACQUIRE %r6, [%rd6];
    setp.ne.u32 %p1, %r6, 0;
    mul.wide.u32 %rd7, %r6, 4;
    add.s64 %rd7, %rd2, %rd7;
    @%p1 ld.global.u32 %r7, [%rd7+-4];
  )";
  const std::string body = R"(
    .global .u32 latest;
    mov.u64 %rd6, latest;
    mov.u32 %r5, %ctaid.x;
    mul.wide.u32 %rd5, %r5, 4;
    add.s64 %rd5, %rd2, %rd5;
    add.u32 %r5, %r5, 1;
    st.global.u32 [%rd5], %r5;
  )" + read + "RELEASE [%rd6], %r5;\n" +
                           read;
  auto with = [&](const std::string &acquire, const std::string &release) {
    std::string text = body;
    for (size_t at; (at = text.find("ACQUIRE")) != std::string::npos;)
      text.replace(at, 7, acquire);
    return text.replace(text.find("RELEASE"), 7, release);
  };
  EXPECT_EQ(
      racesOnTwoThreads(
          with("ld.acquire.gpu.global.u32", "st.release.gpu.global.u32"), 300),
      0u);
  EXPECT_EQ(racesOnTwoThreads(with("ld.volatile.global.u32",
                                   "membar.gl;\n st.volatile.global.u32"),
                              300),
            0u);
  EXPECT_EQ(
      racesOnTwoThreads(
          with("ld.acquire.gpu.global.u32", "st.relaxed.gpu.global.u32"), 20),
      20u);
}

TEST(GlobalRace, LaunchesAreOrdered) {
  // The next launch may read what the last one wrote.
  Result<Module> module =
      Module::parse(wrap("ld.global.b32 %r5, [%rd1];\n st.global.b32 [%rd2], "
                         "%r5;"),
                    "m.ptx");
  ASSERT_TRUE(bool(module)) << module.error();
  Memory memory;
  uint64_t a = memory.allocate(512, "a", 256, Init::Zero);
  uint64_t b = memory.allocate(512, "b", 256, Init::Zero);
  for (auto [from, to] :
       {std::pair<uint64_t, uint64_t>{a, b}, {b, a}, {a, b}}) {
    Result<LaunchResult> result =
        launch(*module, "k", memory, Arguments().pointer(from).pointer(to),
               threads(32));
    ASSERT_TRUE(bool(result)) << result.error();
    EXPECT_TRUE(result->findings.empty());
  }
}

} // namespace
