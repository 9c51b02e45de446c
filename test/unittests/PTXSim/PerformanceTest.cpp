//===- PerformanceTest.cpp - counts of traffic, and the model -------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sectors are what one counts by hand; occupancy and queueing have closed forms
// in simple cases; and the page about the model shows the errors the model has.
//
//===----------------------------------------------------------------------===//

#include "goat/PTXSim/Performance.h"
#include "TestUtils.h"
#include "goat/PTXSim/Report.h"

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

const char *everyoneReads = R"(
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  mov.u32 %r0, %tid.x;
  mov.u32 %r1, %ctaid.x;
  mad.lo.u32 %r2, %r1, 64, %r0;
  mul.wide.u32 %rd3, %r0, 4;
  mul.wide.u32 %rd4, %r2, 4;
  add.s64 %rd1, %rd1, %rd3;
  add.s64 %rd2, %rd2, %rd4;
  ld.global.u32 %r3, [%rd1];
  ld.global.u32 %r4, [%rd1];
  st.global.u32 [%rd2], %r3;
  ret;
}
)";

TEST(Counts, SectorsOfBlocksAndOfTheLaunch) {
  LaunchConfig config = threads(64);
  config.grid = {4, 1, 1};
  for (uint32_t hostThreads : {1, 2}) {
    config.threads = hostThreads;
    KernelRun run = runText(header + everyoneReads, {}, config);
    EXPECT_EQ(run.findings(), "");
    const Counts &counts = run.result.counts;
    // 64 threads of 4 bytes are 8 sectors; twice read and once written by each
    // of 4 blocks, which all read the same.
    EXPECT_EQ(counts.globalSectors, 4u * 3 * 8);
    EXPECT_EQ(counts.blockSectors, 4u * 2 * 8);
    EXPECT_EQ(counts.uniqueSectorsRead, 8u);
    EXPECT_EQ(counts.uniqueSectorsWritten, 4u * 8);
  }
}

TEST(Counts, TensorFlopsByKind) {
  KernelRun run = runBody(
      "mov.u32 %r1, 0;\n mov.f32 %f1, 0f00000000;\n"
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1,%f2,%f3,%f4},"
      "{%r1,%r1,%r1,%r1}, {%r1,%r1}, {%f1,%f1,%f1,%f1};\n"
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1,%f2,%f3,%f4},"
      "{%r1,%r1,%r1,%r1}, {%r1,%r1}, {%f1,%f1,%f1,%f1};",
      {}, threads(32));
  auto of = [&](TensorKind kind) {
    return run.result.counts.tensorFlopsByKind[static_cast<size_t>(kind)];
  };
  EXPECT_EQ(of(TensorKind::Mma16), 2u * 16 * 8 * 16);
  EXPECT_EQ(of(TensorKind::Mma32), 2u * 16 * 8 * 8);
  EXPECT_EQ(run.result.counts.tensorFlops, 2u * 16 * 8 * 24);
}

TEST(Performance, OccupancyHasOneLeastLimit) {
  const Chip &h100 = *findChip("sm_90");
  LaunchShape shape;
  shape.threads = 128;
  EXPECT_EQ(occupancyOf(h100, shape).blocks, 16u);
  EXPECT_STREQ(occupancyOf(h100, shape).limit, "threads");
  shape.registers = 255; // 8192 registers of a warp, 4 warps
  EXPECT_EQ(occupancyOf(h100, shape).blocks, 2u);
  EXPECT_STREQ(occupancyOf(h100, shape).limit, "registers");
  shape.sharedBytes = 150 * 1024;
  EXPECT_EQ(occupancyOf(h100, shape).blocks, 1u);
  EXPECT_STREQ(occupancyOf(h100, shape).limit, "shared memory");
  EXPECT_EQ(occupancyOf(*findChip("sm_120"), shape).blocks, 0u);
  shape = {};
  EXPECT_EQ(occupancyOf(h100, shape).blocks, 32u);
  EXPECT_STREQ(occupancyOf(h100, shape).limit, "blocks");
  EXPECT_EQ(findChip("sm_1"), nullptr);
}

/// `special` and `fp32` warp instructions that keep their pipes busy for the
/// same clocks on an H100, whose every multiprocessor has a block of `warps`.
Prediction balanced(uint32_t warps) {
  const Chip &chip = *findChip("sm_90");
  Counts counts;
  counts.byClass[static_cast<size_t>(OpClass::Mufu)] = 132 * 1000;
  counts.byClass[static_cast<size_t>(OpClass::Fp32Fma)] = 132 * 8000;
  LaunchShape shape;
  shape.blocks = 132;
  shape.threads = 32 * warps;
  return predict(counts, shape, chip);
}

TEST(Performance, TwoBalancedPipesFollowTheClosedForm) {
  // n customers at two equal stations: throughput n / (n + 1).
  double clock = 1 / findChip("sm_90")->clockHz;
  for (uint32_t warpsOfScheduler : {1, 2, 3, 8}) {
    Prediction prediction = balanced(4 * warpsOfScheduler);
    double n = warpsOfScheduler;
    EXPECT_NEAR(prediction.estimate, 2000 * (n + 1) / n * clock, 1e-12);
    EXPECT_NEAR(prediction.lowerBound, 2000 * clock, 1e-12);
    EXPECT_NEAR(prediction.upperBound, 4000 * clock, 1e-12);
  }
}

TEST(Performance, BoundsEncloseTheEstimateAndALoneBlockUsesOneMultiprocessor) {
  Prediction full = balanced(8);
  const Chip &chip = *findChip("sm_90");
  Counts counts;
  counts.byClass[static_cast<size_t>(OpClass::Mufu)] = 1000;
  LaunchShape shape;
  shape.threads = 256;
  Prediction alone = predict(counts, shape, chip);
  EXPECT_NEAR(alone.estimate * chip.clockHz, 2000, 1e-6);
  EXPECT_STREQ(alone.pipes[alone.limiting].name, "special functions");
  EXPECT_LE(full.lowerBound, full.estimate);
  EXPECT_LE(full.estimate, full.upperBound);
  // 133 equal blocks take two rounds on 132 multiprocessors.
  counts.byClass[static_cast<size_t>(OpClass::Mufu)] = 133 * 1000;
  shape.blocks = 133;
  EXPECT_NEAR(predict(counts, shape, chip).estimate * chip.clockHz, 4000, 1e-6);
}

//===----------------------------------------------------------------------===//
// FlashAttention-2
//===----------------------------------------------------------------------===//

/// The forward kernel without dropout: tile sizes from its launch template,
/// work from its main loop.
struct FlashAttention2 {
  unsigned dim, rows, keys;
  bool isCausal;
  /// Published TFLOP/s on an H100, the middle where a range is given.
  double published;

  static constexpr double tokens = 16384;
  static constexpr unsigned warps = 4;

  double heads() const { return 2048.0 / dim; }
  LaunchShape shape() const {
    LaunchShape shape;
    shape.blocks = static_cast<uint64_t>(tokens / rows * heads());
    shape.threads = 32 * warps;
    shape.sharedBytes = 2 * dim * (rows + 2 * keys);
    shape.registers = 255;
    return shape;
  }
  /// Whole tiles, also on the diagonal.
  double tiles() const {
    double all = tokens / keys, blocks = static_cast<double>(shape().blocks);
    return blocks * (isCausal ? (all + double(rows) / keys) / 2 : all);
  }
  Counts counts() const {
    double warpTiles = tiles() * warps, r = rows / warps;
    double scores = r * keys;
    Counts counts;
    auto set = [&](OpClass opClass, double warpInstructions) {
      uint64_t count = static_cast<uint64_t>(warpInstructions);
      counts.byClass[static_cast<size_t>(opClass)] = count;
      counts.warpInstructions += count;
    };
    double flops = 4 * scores * dim * warpTiles;
    counts.tensorFlops = static_cast<uint64_t>(flops);
    counts.tensorFlopsByKind[static_cast<size_t>(TensorKind::Mma16)] =
        counts.tensorFlops;
    set(OpClass::TensorMma, flops / 4096);
    // K, V and, again in every tile, Q: 512 bytes with each ldmatrix.x4.
    double matrixBytes = 2 * dim * (2 * keys + r) * warpTiles;
    set(OpClass::LoadMatrix, matrixBytes / 512);
    double copied = 4.0 * dim * keys * tiles();
    set(OpClass::AsyncCopy, copied / 512);
    counts.sharedWavefronts =
        static_cast<uint64_t>((matrixBytes + copied) / 128);
    counts.globalSectors = counts.asyncSectors = counts.blockSectors =
        static_cast<uint64_t>(copied / 32);
    // For each score: x·scale - max, exp2, the sum, the maximum, half a
    // packing; for each row: the old maximum's factor, and O times it.
    double perScore = scores / 32 * warpTiles;
    double perRow = r * 4 / 32 * warpTiles; // a row is held by four lanes
    set(OpClass::Fp32Fma, perScore);
    set(OpClass::Mufu, perScore + perRow);
    set(OpClass::Fp32Add, perScore);
    set(OpClass::Fp32Other, perScore + 2 * perRow);
    set(OpClass::ConvertFormat, perScore / 2);
    set(OpClass::Fp32Mul, r * dim / 32 * warpTiles + perRow);
    set(OpClass::Shuffle, 2 * perRow);
    double tensorBytes = 2 * tokens * dim * heads();
    counts.uniqueSectorsRead = static_cast<uint64_t>(3 * tensorBytes / 32);
    counts.uniqueSectorsWritten = static_cast<uint64_t>(tensorBytes / 32);
    return counts;
  }
  /// Half of the products counts for a causal mask, by convention.
  double teraFlops(double seconds) const {
    double flops = 4 * tokens * tokens * dim * heads();
    return (isCausal ? flops / 2 : flops) / seconds * 1e-12;
  }
  /// A row of the table in docs/performance-model.md.
  std::string row() const {
    Prediction p = predict(counts(), shape(), *findChip("sm_90"));
    char text[200];
    std::snprintf(text, sizeof(text),
                  "| %u, %s | %.0f | %.0f | %.0f | %.0f | %+.0f %% | %s |\n",
                  dim, isCausal ? "causal" : "full", published,
                  teraFlops(p.lowerBound), teraFlops(p.estimate),
                  teraFlops(p.upperBound),
                  100 * (teraFlops(p.estimate) / published - 1),
                  p.pipes[p.limiting].name);
    return text;
  }
};

TEST(Performance, ThePageShowsTheErrorsAsTheyAre) {
  std::string table;
  for (const FlashAttention2 &kernel :
       {FlashAttention2{64, 128, 128, false, 324},
        FlashAttention2{64, 128, 128, true, 299},
        FlashAttention2{128, 128, 64, false, 379},
        FlashAttention2{128, 128, 64, true, 337},
        FlashAttention2{256, 64, 64, false, 326}})
    table += kernel.row();
  std::string page = readFile(GOAT_PTXSIM_DOCS "/performance-model.md");
  EXPECT_NE(page.find(table), std::string::npos)
      << "expected docs/performance-model.md to contain\n"
      << table;
}

TEST(Performance, PrintedForms) {
  Prediction prediction = balanced(8);
  std::string text = predictionText(prediction);
  EXPECT_NE(text.find("predicted for H100 SXM"), std::string::npos);
  EXPECT_NE(text.find("nothing below was measured"), std::string::npos);
  EXPECT_NE(predictionJson(prediction).find("\"predicted_seconds\""),
            std::string::npos);
  EXPECT_NE(rooflineSvg(prediction, "k").find("no tensor instructions"),
            std::string::npos);
  prediction.tensorFlops = 1e9;
  prediction.memoryBytes = 1e6;
  std::string svg = rooflineSvg(prediction, "a<b");
  EXPECT_EQ(svg.compare(0, 5, "<svg "), 0);
  EXPECT_NE(svg.find("a&lt;b"), std::string::npos);
  EXPECT_NE(svg.find("<circle"), std::string::npos);
}

} // namespace
