//===- ReportTest.cpp - counts, loads and occupancy -----------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small kernel whose numbers can be checked by hand.
//
//===----------------------------------------------------------------------===//

#include "goat/Report/Report.h"

#include "gtest/gtest.h"

using namespace goat;
using namespace goat::report;

// Per iteration: 1 tensor instruction, 1 ex2, 2 fp32, 1 IMAD-like, 2 alu, 16
// bytes of shared memory, 1 branch.
static constexpr const char *kernel = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry kernel() .reqntid 128 {
$loop:
  ld.shared.v4.b32 {%r1, %r2, %r3, %r4}, [%r9];
  mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1, %f2, %f3, %f4},
    {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
  ex2.approx.ftz.f32 %f1, %f1;
  fma.rn.f32 %f1, %f2, %f3, %f4;
  add.rn.f32 %f1, %f2, %f3;
  mul.lo.s32 %r1, %r2, %r3;
  max.f32 %f1, %f2, %f3;
  setp.lt.s32 %p1, %r1, 8;
  @%p1 bra $loop;
  ret;
}
)";

static ptx::ChipDescription h100() {
  return llvm::cantFail(ptx::findChip("sm_90"));
}

static Report reportOn(const Inspection &inspection, double scores) {
  return llvm::cantFail(gatherForeign(kernel, h100(), inspection, scores));
}

TEST(Report, LoadsOfOneLoop) {
  Report report = reportOn({}, 2);
  ASSERT_EQ(report.code.size(), 1u);
  EXPECT_EQ(report.code[0].instructions, 10);
  ASSERT_EQ(report.code[0].loops.size(), 1u);
  const LoopReport &loop = report.code[0].loops[0];
  EXPECT_EQ(loop.role, "unmasked");
  EXPECT_EQ(loop.instructions, 9);
  EXPECT_EQ(loop.perScore(), 4);
  EXPECT_EQ(loop.tensorFlops, 4096);

  // Clocks of one thread of 32, for two scores.
  std::vector<std::pair<std::string, double>> wanted = {
      {"tensor", 4096 / 32.0 / 2576 / 2},   {"special functions", 1 / 16.0 / 2},
      {"fp32", (2 / 128.0 + 1 / 64.0) / 2}, {"alu", 2 / 64.0 / 2},
      {"shared memory", 16 / 128.0 / 2},    {"issue", 9 / 128.0 / 2}};
  ASSERT_EQ(loop.pipes.size(), wanted.size());
  double sum = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(loop.pipes[i].pipe, wanted[i].first);
    EXPECT_NEAR(loop.pipes[i].cycles, wanted[i].second, 1e-12);
    sum += i < 5 ? wanted[i].second : 0;
  }
  EXPECT_EQ(loop.pipes[loop.limiting].pipe, "shared memory");
  // 64 FLOPs for each score, on 132 multiprocessors at 1830 MHz.
  const double rate = 64 * 132 * 1830e6 * 1e-12;
  EXPECT_NEAR(loop.tflopsOverlapped, rate / (16 / 128.0 / 2), 1e-9);
  EXPECT_NEAR(loop.tflopsSerial, rate / sum, 1e-9);
}

TEST(Report, UnknownScores) {
  Report report = reportOn({}, 0);
  const LoopReport &loop = report.code[0].loops[0];
  EXPECT_EQ(loop.instructions, 9);
  EXPECT_TRUE(loop.pipes.empty());
}

static int64_t limitOf(const Report &report, llvm::StringRef name) {
  for (const auto &[limit, blocks] : report.launches[0].occupancy.limits)
    if (limit == name)
      return blocks;
  return -1;
}

TEST(Report, Occupancy) {
  Report unknown = reportOn({}, 0);
  ASSERT_EQ(unknown.launches.size(), 1u);
  EXPECT_EQ(limitOf(unknown, "threads"), 16);
  EXPECT_EQ(limitOf(unknown, "blocks"), 32);
  EXPECT_EQ(limitOf(unknown, "registers"), -1);
  EXPECT_EQ(unknown.launches[0].occupancy.blocks, 16);

  // 168 registers are 5376 a warp, of which a partition of 16384 holds three;
  // 176 are 5632: two.
  for (auto [registers, blocks] : {std::pair(168, 3), std::pair(176, 2),
                                   std::pair(255, 2), std::pair(128, 4)}) {
    Inspection inspection;
    inspection.resources.push_back({"kernel", registers, 0, 0, 0, 0});
    Report report = reportOn(inspection, 0);
    EXPECT_EQ(limitOf(report, "registers"), blocks) << registers;
    EXPECT_EQ(report.launches[0].occupancy.limiter, "registers");
  }
}

TEST(Report, LocalBytes) {
  Inspection inspection;
  inspection.sass = R"(.text.kernel:
        /*0000*/                   STL.64 [R1], R2 ;
.L_1:
        /*0020*/                   HMMA.16816.F32.BF16 R0, R0, R0, R0 ;
        /*0030*/                   LDL R0, [R1] ;
        /*0050*/              @P0 BRA `(.L_1) ;
        /*0060*/                   LDL.128 R0, [R1] ;
        /*0070*/                   EXIT ;
)";
  Report report = reportOn(inspection, 1);
  const CodeReport &code = report.code[0];
  EXPECT_EQ(code.language, Language::SASS);
  EXPECT_EQ(code.loops[0].local.loads, 4);
  EXPECT_EQ(code.loops[0].local.stores, 0);
  EXPECT_EQ(code.localOutside.loads, 16);
  EXPECT_EQ(code.localOutside.stores, 8);
}

TEST(Report, LinesAreTakenOutWhole) {
  EXPECT_EQ(withoutLines("$L__func_begin0:\n\t.loc\t1 2 3\n\tret;\n"
                         "$L__tmp1:\n\t.file\t1 \"tile.mlir\"\n"),
            "\tret;\n");
}
