//===- LaunchTest.cpp - the interface: calls, memory, counts --------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wrong calls are refused with a sentence; memory keeps what is far apart
// apart; counts are what one counts by hand.
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

#include <algorithm>
#include <set>

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

const char *small = R"(
.visible .entry k(.param .u64 p, .param .u32 n) .reqntid 32 { ret; }
.visible .entry other() .maxntid 64 { ret; }
)";

class LaunchErrors : public ::testing::Test {
protected:
  void SetUp() override {
    Result<Module> parsed = Module::parse(header + small, "m.ptx");
    ASSERT_TRUE(bool(parsed)) << parsed.error();
    module = std::make_unique<Module>(*parsed);
  }
  std::string error(const char *entry, const Arguments &arguments,
                    const LaunchConfig &config) {
    Result<LaunchResult> result =
        launch(*module, entry, memory, arguments, config);
    return result ? "" : result.error();
  }
  std::unique_ptr<Module> module;
  Memory memory;
};

TEST_F(LaunchErrors, SayWhatWasExpected) {
  EXPECT_EQ(error("missing", Arguments(), threads(32)),
            "expected a kernel of 'm.ptx' (k, other) but got 'missing'");
  EXPECT_EQ(error("k", Arguments().pointer(0), threads(32)),
            "expected 2 arguments for 'k' but got 1");
  EXPECT_EQ(error("k", Arguments().u32(0).u32(1), threads(32)),
            "expected 8 bytes for parameter 0 ('p') but got 4");
  EXPECT_EQ(error("k", Arguments().pointer(0).u32(1), threads(64)),
            "expected block 32x1x1, as .reqntid says, but got 64x1x1");
  EXPECT_EQ(error("other", Arguments(), threads(128)),
            "expected a block within .maxntid 64x1x1 but got 128x1x1");
  LaunchConfig empty = threads(32);
  empty.grid[1] = 0;
  EXPECT_NE(error("k", Arguments().pointer(0).u32(1), empty), "");
  EXPECT_EQ(error("k", Arguments().pointer(0).u32(1), threads(32)), "");
}

TEST_F(LaunchErrors, LimitsOfTheDevice) {
  auto other = [&](std::array<uint32_t, 3> grid, std::array<uint32_t, 3> block,
                   uint32_t sharedBytes = 0) {
    LaunchConfig config;
    config.grid = grid;
    config.block = block;
    config.dynamicSharedBytes = sharedBytes;
    return error("other", Arguments(), config);
  };
  EXPECT_EQ(other({0x80000000, 1, 1}, {32, 1, 1}),
            "expected at most 2147483647 blocks on axis 0 of the grid of "
            "'other' but got 2147483648");
  EXPECT_EQ(
      other({1, 65536, 1}, {32, 1, 1}),
      "expected at most 65535 blocks on axis 1 of the grid of 'other' but "
      "got 65536");
  EXPECT_EQ(
      other({1, 1, 65536}, {32, 1, 1}),
      "expected at most 65535 blocks on axis 2 of the grid of 'other' but "
      "got 65536");
  EXPECT_EQ(other({1, 1, 1}, {1025, 1, 1}),
            "expected at most 1024 threads on axis 0 of the block of 'other' "
            "but got 1025");
  EXPECT_EQ(other({1, 1, 1}, {1, 1, 65}),
            "expected at most 64 threads on axis 2 of the block of 'other' but "
            "got 65");
  EXPECT_EQ(other({1, 1, 1}, {32, 33, 1}),
            "expected at most 1024 threads in a block of 'other' but got "
            "32x33x1");
  EXPECT_EQ(
      other({1, 1, 1}, {32, 1, 1}, 232449),
      "expected at most 232448 bytes of shared memory for 'other' but got "
      "232449, of them 232449 dynamic");
  EXPECT_EQ(other({1, 65535, 1}, {1, 1, 64}, 232448), "");
}

TEST(Launch, StaticSharedMemoryIsLimited) {
  auto error = [](const std::string &bytes) {
    Result<Module> module = Module::parse(
        header + ".visible .entry k() { .reg .b16 %h<2>; .shared .b8 s[" +
            bytes + "]; mov.u16 %h1, 0; st.shared.u8 [s], %h1; ret; }",
        "m.ptx");
    EXPECT_TRUE(bool(module)) << module.error();
    Memory memory;
    auto result = launch(*module, "k", memory, Arguments(), threads(1));
    return result ? "" : result.error();
  };
  EXPECT_EQ(error("49152"), "");
  EXPECT_EQ(error("49153"),
            "expected at most 49152 bytes of shared variables in 'k' but got "
            "49153; larger arrays are .extern and sized by the launch");
}

TEST(Launch, EveryBlockRunsOnceInAnOrderThatTheSeedDraws) {
  // Blocks append their number to a list.
  Result<Module> module = Module::parse(header + R"(
.visible .entry k(.param .u64 p) {
  .reg .b32 %r<9>; .reg .b64 %rd<6>;
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %nctaid.x;
  mad.lo.u32 %r4, %r2, %r3, %r1;
  ld.param.u64 %rd1, [p];
  atom.global.add.u32 %r5, [%rd1], 1;
  mul.wide.u32 %rd2, %r5, 4; add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3+4], %r4;
  ret;
})",
                                        "m.ptx");
  ASSERT_TRUE(bool(module)) << module.error();
  auto order = [&](uint64_t seed) {
    Memory memory;
    uint64_t p = memory.allocate(25 * 4, "p", 256, Init::Zero);
    LaunchConfig config = threads(1, seed);
    config.grid = {6, 4, 1};
    auto result = launch(*module, "k", memory, Arguments().pointer(p), config);
    EXPECT_TRUE(bool(result)) << result.error();
    EXPECT_TRUE(result->findings.empty());
    std::vector<uint32_t> list(24);
    memory.read(p + 4, list.data(), 96);
    return list;
  };
  std::set<std::vector<uint32_t>> orders;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    std::vector<uint32_t> list = order(seed);
    EXPECT_EQ(list, order(seed));
    orders.insert(list);
    std::sort(list.begin(), list.end());
    for (uint32_t i = 0; i < 24; ++i)
      EXPECT_EQ(list[i], i);
  }
  EXPECT_GT(orders.size(), 4u);
}

TEST(Launch, AHugeGridIsNotLaidOutInMemory) {
  Result<Module> module =
      Module::parse(header + ".visible .entry k() { trap; }", "m.ptx");
  ASSERT_TRUE(bool(module)) << module.error();
  Memory memory;
  LaunchConfig config = threads(1);
  config.grid = {0x7fffffff, 65535, 65535};
  config.maxFindings = 1;
  auto result = launch(*module, "k", memory, Arguments(), config);
  ASSERT_TRUE(bool(result)) << result.error();
  ASSERT_EQ(result->findings.size(), 1u);
  EXPECT_LT(result->findings[0].block[2], 65535u);
}

TEST(Memory, ReadsWritesAndKnowsWhatIsInitialised) {
  Memory memory;
  uint64_t a = memory.allocate(100, "a");
  uint64_t b = memory.allocate(100, "b", 256, Init::Zero);
  EXPECT_EQ(a % 256, 0u);
  EXPECT_NE(a % 512, 0u); // not more aligned than asked for
  EXPECT_GT(b - a, 1u << 20);
  uint32_t word = 0x01020304, back = 0;
  EXPECT_TRUE(memory.write(a + 4, &word, 4));
  EXPECT_TRUE(memory.read(a + 4, &back, 4));
  EXPECT_EQ(back, word);
  EXPECT_EQ(memory.countUninitialised(a, 100), 96u);
  EXPECT_EQ(memory.countUninitialised(b, 100), 0u);
  EXPECT_FALSE(memory.write(a + 98, &word, 4));
  EXPECT_FALSE(memory.read(a - 1, &back, 1));
  EXPECT_EQ(memory.allocate(16, "c", 3), 0u);
}

TEST(Memory, FarRowsCostNothing) {
  // Rows 2^31 elements of 4 bytes apart: 32 GiB of addresses.
  LaunchConfig config = threads(4);
  Result<Module> module = Module::parse(header + R"(
.visible .entry k(.param .u64 p) {
  .reg .b32 %r<3>; .reg .b64 %rd<5>;
  mov.u32 %r1, %tid.x; cvt.u64.u32 %rd1, %r1; shl.b64 %rd2, %rd1, 33;
  ld.param.u64 %rd3, [p]; add.u64 %rd4, %rd3, %rd2;
  st.global.u32 [%rd4], %r1;
  ret;
})",
                                        "m.ptx");
  ASSERT_TRUE(bool(module)) << module.error();
  Memory memory;
  uint64_t p = memory.allocate((uint64_t(3) << 33) + 4, "far");
  ASSERT_NE(p, 0u);
  auto result = launch(*module, "k", memory, Arguments().pointer(p), config);
  ASSERT_TRUE(bool(result)) << result.error();
  EXPECT_TRUE(result->findings.empty());
  uint32_t last = 0;
  memory.read(p + (uint64_t(3) << 33), &last, 4);
  EXPECT_EQ(last, 3u);
}

TEST(Launch, ModuleVariablesLiveBetweenLaunches) {
  Result<Module> module = Module::parse(header + R"(
.global .align 4 .u32 counter = 5;
.global .align 8 .u64 where[2] = {counter, generic(counter)+4};
.global .align 4 .f32 floats[2] = {1.5, 0f40000000};
.visible .entry k() {
  .reg .b32 %r<3>; .reg .b64 %rd<3>;
  ld.global.u64 %rd1, [where];
  ld.global.u32 %r1, [%rd1];
  add.u32 %r1, %r1, 1;
  st.global.u32 [counter], %r1;
  ret;
})",
                                        "m.ptx");
  ASSERT_TRUE(bool(module)) << module.error();
  Memory memory;
  EXPECT_EQ(memory.addressOf(*module, "counter"), 0u);
  for (int i = 0; i < 3; ++i) {
    auto result = launch(*module, "k", memory, Arguments(), threads(1));
    ASSERT_TRUE(bool(result)) << result.error();
    EXPECT_TRUE(result->findings.empty());
  }
  uint32_t value = 0;
  uint64_t address = memory.addressOf(*module, "counter");
  ASSERT_NE(address, 0u);
  memory.read(address, &value, 4);
  EXPECT_EQ(value, 8u);
  uint64_t where[2];
  memory.read(memory.addressOf(*module, "where"), where, 16);
  EXPECT_EQ(where[1], address + 4);
  float floats[2];
  memory.read(memory.addressOf(*module, "floats"), floats, 8);
  EXPECT_EQ(floats[0], 1.5f);
  EXPECT_EQ(floats[1], 2.0f);
}

TEST(Counts, InstructionsByClassAndLine) {
  KernelRun run = runBody(R"(
    ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];
    fma.rn.f32 %f5, %f1, %f2, %f3;
    ex2.approx.f32 %f6, %f5;
    setp.lt.u32 %p1, %r0, 8;
    @%p1 add.f32 %f6, %f6, %f5;
    st.global.f32 [%rd2], %f6;)",
                          {}, threads(64));
  const Counts &counts = run.result.counts;
  EXPECT_EQ(counts.of(OpClass::LoadGlobal), 2u);
  EXPECT_EQ(counts.of(OpClass::StoreGlobal), 2u);
  EXPECT_EQ(counts.of(OpClass::Fp32Fma), 2u);
  EXPECT_EQ(counts.of(OpClass::Mufu), 2u);
  EXPECT_EQ(counts.of(OpClass::Fp32Add), 1u); // no lane of warp 1
  EXPECT_EQ(counts.warpInstructions, 2u * 13 - 1);
  // 1 KiB of loads and 64 words in 64 lots of 16 bytes: 32 sectors each.
  EXPECT_EQ(counts.globalSectors, 64u);
  EXPECT_EQ(counts.globalBytes, 1024u + 256u);
  unsigned line = 23; // the predicated add
  EXPECT_EQ(counts.lines[line].warpInstructions, 1u);
  EXPECT_EQ(counts.lines[line].threadInstructions, 8u);
}

TEST(Counts, BankConflicts) {
  struct Case {
    const char *code;
    uint64_t wavefronts, conflicts;
  };
  const Case cases[] = {
      {"shl.b32 %r1, %r0, 2;", 1, 0},      // consecutive words
      {"mov.u32 %r1, 64;", 1, 0},          // one word for all
      {"shl.b32 %r1, %r0, 3;", 2, 1},      // stride two
      {"shl.b32 %r1, %r0, 7;", 32, 31},    // one bank
      {"mul.lo.u32 %r1, %r0, 132;", 1, 0}, // padded rows
  };
  for (const Case &c : cases) {
    KernelRun run = runText(wrap(std::string(c.code) +
                                     "mov.u32 %r2, s; add.u32 %r2, %r2, %r1;"
                                     "st.shared.u32 [%r2], 1;",
                                 ".shared .align 128 .b8 s[8192];\n"),
                            {}, threads(32));
    EXPECT_EQ(run.findings(), "");
    EXPECT_EQ(run.result.counts.sharedWavefronts, c.wavefronts) << c.code;
    EXPECT_EQ(run.result.counts.bankConflicts, c.conflicts) << c.code;
  }
  const Case wide[] = {
      {"shl.b32 %r1, %r0, 4;", 4, 0},   // 512 bytes in a row
      {"shl.b32 %r1, %r0, 5;", 8, 4},   // every other 16 bytes
      {"shl.b32 %r1, %r0, 7;", 32, 28}, // rows of 128 bytes
  };
  for (const Case &c : wide) {
    KernelRun run = runText(wrap(std::string(c.code) +
                                     "mov.u32 %r2, s; add.u32 %r2, %r2, %r1;"
                                     "st.shared.v4.u32 [%r2], {1, 1, 1, 1};",
                                 ".shared .align 128 .b8 s[8192];\n"),
                            {}, threads(32));
    EXPECT_EQ(run.result.counts.sharedWavefronts, c.wavefronts) << c.code;
    EXPECT_EQ(run.result.counts.bankConflicts, c.conflicts) << c.code;
  }
}

TEST(Launch, SeedsChangeTheOrderAndRepeat) {
  // Warps append to a list; the order shows the schedule.
  const std::string text = header + R"(
.visible .entry k(.param .u64 p) {
  .reg .b32 %r<6>; .reg .b64 %rd<6>; .reg .pred %p<2>;
  mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 31; setp.ne.u32 %p1, %r2, 0;
  @%p1 exit;
  ld.param.u64 %rd1, [p];
  atom.global.add.u32 %r3, [%rd1], 1;
  mul.wide.u32 %rd2, %r3, 4; add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3+4], %r1;
  ret;
})";
  Result<Module> module = Module::parse(text, "m.ptx");
  ASSERT_TRUE(bool(module)) << module.error();
  auto order = [&](uint64_t seed) {
    Memory memory;
    uint64_t p = memory.allocate(256, "p", 256, Init::Zero);
    LaunchConfig config = threads(256, seed);
    auto result = launch(*module, "k", memory, Arguments().pointer(p), config);
    EXPECT_TRUE(bool(result)) << result.error();
    std::vector<uint32_t> list(9);
    memory.read(p, list.data(), 36);
    return list;
  };
  EXPECT_EQ(order(1), order(1));
  bool differs = false;
  for (uint64_t seed = 2; seed < 6; ++seed)
    differs |= order(seed) != order(1);
  EXPECT_TRUE(differs);
}

/// Kilobytes of memory the process holds; 0 where the system does not say, and
/// under the address sanitizer, which holds on to what was freed.
long residentKilobytes() {
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
  return 0;
#endif
#endif
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word)
    if (word == "VmRSS:") {
      long value = 0;
      status >> value;
      return value;
    }
  return 0;
}

TEST(Launch, RowsFarApartCostOnlyWhatIsTouched) {
  // 64 rows of 2^30 floats: a quarter of a terabyte, of which two columns are
  // used.
  const uint64_t rowBytes = uint64_t(4) << 30;
  Result<Module> module = Module::parse(header + R"(
.visible .entry k(.param .u64 p) {
  .reg .b32 %r<4>;
  .reg .f32 %f<3>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %tid.x;
  cvt.u64.u32 %rd2, %r1;
  shl.b64 %rd2, %rd2, 32;
  add.s64 %rd1, %rd1, %rd2;
  cvt.rn.f32.u32 %f1, %r1;
  st.global.f32 [%rd1], %f1;
  ld.global.f32 %f2, [%rd1];
  st.global.f32 [%rd1+4294967292], %f2;
  ret;
}
)",
                                        "far.ptx");
  ASSERT_TRUE(bool(module)) << module.error();
  long before = residentKilobytes();
  Memory memory;
  uint64_t address = memory.allocate(64 * rowBytes, "far");
  ASSERT_NE(address, 0u);
  Result<LaunchResult> run =
      launch(*module, "k", memory, Arguments().pointer(address), threads(64));
  ASSERT_TRUE(bool(run)) << run.error();
  EXPECT_TRUE(run->findings.empty()) << run->findings[0].str();
  for (uint64_t row : {0, 1, 63}) {
    float first = -1, last = -1;
    memory.read(address + row * rowBytes, &first, 4);
    memory.read(address + (row + 1) * rowBytes - 4, &last, 4);
    EXPECT_EQ(first, row);
    EXPECT_EQ(last, row);
  }
  // The last element of the last row is the end.
  EXPECT_EQ(memory.countUninitialised(address + 64 * rowBytes - 8, 8), 4u);
  EXPECT_LT(residentKilobytes() - before, 64 * 1024);
}

TEST(Launch, AMillionBlocksStreamInBoundedMemory) {
  const uint32_t blocks = 1000000;
  Result<Module> module = Module::parse(header + R"(
.visible .entry k(.param .u64 p) {
  .reg .b32 %r<3>;
  .reg .b64 %rd<2>;
  .shared .b32 s[32];
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %tid.x;
  st.shared.u32 [s], %r1;
  red.global.add.u32 [%rd1], 1;
  ret;
}
)",
                                        "many.ptx");
  ASSERT_TRUE(bool(module)) << module.error();
  Memory memory;
  uint64_t sum = memory.allocate(4, "sum", 256, Init::Zero);
  LaunchConfig config = oneThread();
  config.grid = {blocks, 1, 1};
  config.threads = 2;
  uint64_t reported = 0;
  config.progress = [&](uint64_t done, uint64_t total) {
    EXPECT_EQ(total, blocks);
    reported = std::max(reported, done);
  };
  long before = residentKilobytes();
  Result<LaunchResult> run =
      launch(*module, "k", memory, Arguments().pointer(sum), config);
  long after = residentKilobytes();
  ASSERT_TRUE(bool(run)) << run.error();
  EXPECT_TRUE(run->completed);
  EXPECT_TRUE(run->findings.empty()) << run->findings[0].str();
  uint32_t count = 0;
  memory.read(sum, &count, 4);
  EXPECT_EQ(count, blocks);
  EXPECT_EQ(reported, blocks);
  EXPECT_LT(after - before, 32 * 1024);
}

TEST(Launch, WithoutChecksOnlyAddressesAreLookedAt) {
  // Reads a register and shared memory that nobody wrote, then stores.
  const std::string text =
      header + ".shared .b32 s[32];\n" +
      wrap(" mov.u32 %r5, s;\n ld.shared.u32 %r6, [%r5];\n"
           " add.u32 %r7, %r6, %r9;\n st.global.u32 [%rd2+4], %r7;\n"
           " st.shared.u32 [%r5], %r0;\n"
           " st.global.u32 [%rd2], %r0;")
          .substr(header.size());
  LaunchConfig config = threads(64);
  KernelRun checked = runText(text, {}, config);
  EXPECT_TRUE(checked.has(FindingKind::UninitialisedRegister));
  EXPECT_TRUE(checked.has(FindingKind::UninitialisedMemory));
  EXPECT_TRUE(checked.has(FindingKind::SharedRace));
  config.checks = Checks::None;
  KernelRun fast = runText(text, {}, config);
  EXPECT_EQ(fast.findings(), "");
  EXPECT_EQ(fast.out, checked.out);
  EXPECT_EQ(fast.result.counts.warpInstructions,
            checked.result.counts.warpInstructions);
  KernelRun outside = runBody(" st.global.u32 [%rd2+1024], %r0;", {}, config);
  EXPECT_TRUE(outside.has(FindingKind::OutOfBounds));
}

TEST(Launch, ReportsProgress) {
  LaunchConfig config = threads(32);
  config.grid = {5, 1, 1};
  uint64_t last = 0, calls = 0;
  config.progress = [&](uint64_t done, uint64_t total) {
    EXPECT_EQ(total, 5u);
    last = done;
    ++calls;
  };
  Result<Module> module = Module::parse(header + small, "m.ptx");
  ASSERT_TRUE(bool(module)) << module.error();
  Memory memory;
  auto result =
      launch(*module, "k", memory, Arguments().pointer(0).u32(0), config);
  ASSERT_TRUE(bool(result)) << result.error();
  EXPECT_EQ(last, 5u);
  EXPECT_EQ(calls, 5u);
}

} // namespace
