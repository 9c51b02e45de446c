//===- CodeTest.cpp - reading listings and finding loops ------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kinds, pipes and sizes of single instructions; loops of small listings.
//
//===----------------------------------------------------------------------===//

#include "goat/Report/Code.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace goat::report;
using testing::ElementsAre;

static Instruction sass(llvm::StringRef opcode, llvm::StringRef operands = "") {
  Instruction instruction;
  instruction.opcode = opcode.str();
  classifySass(instruction, operands);
  return instruction;
}

static Instruction ptx(llvm::StringRef opcode, llvm::StringRef operands = "") {
  Instruction instruction;
  instruction.opcode = opcode.str();
  classifyPTX(instruction, operands);
  return instruction;
}

TEST(Classify, SassKinds) {
  EXPECT_EQ(sass("FFMA.FTZ").kind, Kind::FMA);
  EXPECT_EQ(sass("FMNMX").pipe, Pipe::ALU);
  EXPECT_EQ(sass("MUFU.EX2").pipe, Pipe::Special);
  EXPECT_EQ(sass("F2FP.BF16.PACK_AB").pipe, Pipe::ALU);
  EXPECT_EQ(sass("F2I.FTZ.NTZ").pipe, Pipe::Special);
  EXPECT_EQ(sass("UIADD3").kind, Kind::Uniform);
  EXPECT_EQ(sass("UTMALDG.4D").kind, Kind::CopyAsync);
  EXPECT_EQ(sass("LDGDEPBAR").kind, Kind::Control);
  EXPECT_EQ(sass("LDGSTS.E.BYPASS.LTC128B.128").kind, Kind::CopyAsync);
  EXPECT_EQ(sass("LDL.LU").kind, Kind::Local);
  EXPECT_EQ(sass("LDC.64").kind, Kind::Other);
  EXPECT_EQ(sass("NEWOP").kind, Kind::Other);
}

TEST(Classify, MovesInDisguise) {
  EXPECT_EQ(sass("IMAD.MOV.U32").kind, Kind::Move);
  EXPECT_EQ(sass("IMAD.WIDE").kind, Kind::Integer);
  EXPECT_TRUE(sass("IMAD.WIDE").isHalfRate);
  EXPECT_EQ(sass("HFMA2.MMA", " R247, -RZ, RZ, 1.625, 0").kind, Kind::Move);
  EXPECT_EQ(sass("HFMA2.MMA", " R1, R2, R3, R4").kind, Kind::FMA);
}

TEST(Classify, TensorFlops) {
  EXPECT_EQ(sass("HMMA.16816.F32.BF16").tensorFlops, 2 * 16 * 8 * 16);
  EXPECT_EQ(sass("HMMA.1688.F32.TF32").tensorFlops, 2 * 16 * 8 * 8);
  // Four warps share one.
  EXPECT_EQ(sass("HGMMA.64x128x16.F32.BF16").tensorFlops, 2 * 64 * 128 * 4);
  EXPECT_EQ(
      ptx("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32").tensorFlops,
      2 * 16 * 8 * 16);
  EXPECT_EQ(
      ptx("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16").tensorFlops,
      2 * 64 * 128 * 4);
  EXPECT_EQ(ptx("wgmma.fence.sync.aligned").kind, Kind::Control);
}

TEST(Classify, OperandsOfWarpgroups) {
  // B is 128 columns of 32 bytes, A 64 rows; 128 lanes share them.
  EXPECT_EQ(sass("HGMMA.64x128x16.F32", " R24, R4, gdesc[UR8], R24").bytes, 32);
  EXPECT_EQ(sass("HGMMA.64x128x16.F32", " R24, gdesc[UR8], R24").bytes, 48);
  constexpr const char *opcode = "wgmma.mma_async.sync.aligned.m64n128k16.f32";
  EXPECT_EQ(ptx(opcode, "{%f1, %f2}, {%r1, %r2}, %rd1, p, 1, 1").bytes, 32);
  EXPECT_EQ(ptx(opcode, "{%f1, %f2}, %rd1, %rd2, p, 1, 1").bytes, 48);
}

TEST(Classify, Bytes) {
  EXPECT_EQ(sass("LDS.128").bytes, 16);
  EXPECT_EQ(sass("LDS").bytes, 4);
  EXPECT_EQ(sass("LDS.U.64").bytes, 8);
  EXPECT_EQ(sass("LDSM.16.MT88.4").bytes, 16);
  EXPECT_EQ(sass("SHFL.BFLY").bytes, 4);
  EXPECT_EQ(ptx("ld.shared.v4.b32").bytes, 16);
  EXPECT_EQ(ptx("st.shared.b16").bytes, 2);
  EXPECT_EQ(ptx("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16").bytes, 8);
  EXPECT_EQ(ptx("cp.async.cg.shared.global", "[%r1], [%rd1], 16, %r2").bytes,
            16);
}

TEST(Classify, PTXKinds) {
  EXPECT_EQ(ptx("add.s32").kind, Kind::Integer);
  EXPECT_EQ(ptx("add.rn.f32").kind, Kind::FAdd);
  EXPECT_EQ(ptx("mul.f32").kind, Kind::FMul);
  EXPECT_EQ(ptx("mul.wide.s32").kind, Kind::Integer);
  EXPECT_EQ(ptx("setp.lt.f32").kind, Kind::FSelect);
  EXPECT_EQ(ptx("setp.lt.s32").kind, Kind::Integer);
  EXPECT_EQ(ptx("cvt.rn.bf16x2.f32").pipe, Pipe::ALU);
  EXPECT_EQ(ptx("cvt.rzi.s32.f32").pipe, Pipe::Special);
  EXPECT_EQ(ptx("cvt.u64.u32").kind, Kind::Integer);
  EXPECT_EQ(ptx("cp.async.commit_group").kind, Kind::Control);
}

// The loop's header stands behind its body, as LLVM rotates it.
static constexpr const char *rotated = R"(
.version 8.0
.target sm_90
.address_size 64
.global .align 1 .b8 text[2] = {72, 0};
.visible .entry kernel(
  .param .u64 kernel_param_0
)
.reqntid 64, 2, 1
{
  .reg .pred %p<3>; // a comment; with a semicolon
  mov.u32 %r1, 0;
  bra.uni $header;
$body:
  { .reg .b32 t; add.s32 t, %r1, 1; mov.b32 %r1, t; }
  ex2.approx.f32 %f1, %f1;
  mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1, %f2, %f3, %f4},
    {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
$header:
  setp.lt.s32 %p1, %r1, 8;
  @%p1 bra $body;
  ret;
}
)";

TEST(ReadPTX, Kernel) {
  llvm::Expected<std::vector<Listing>> listings = readPTX(rotated);
  ASSERT_TRUE(bool(listings)) << llvm::toString(listings.takeError());
  ASSERT_EQ(listings->size(), 1u);
  const Listing &listing = listings->front();
  EXPECT_EQ(listing.entry, "kernel");
  EXPECT_EQ(listing.target, "sm_90");
  EXPECT_EQ(listing.threads, 128);
  EXPECT_EQ(listing.instructions.size(), 9u);
  EXPECT_EQ(listing.instructions[5].kind, Kind::Tensor);
  EXPECT_EQ(listing.instructions[5].line, 17);
  EXPECT_EQ(listing.instructions[6].line, 20);
}

TEST(ReadPTX, Nothing) {
  llvm::Expected<std::vector<Listing>> listings = readPTX(".version 8.0\n");
  ASSERT_FALSE(bool(listings));
  EXPECT_EQ(llvm::toString(listings.takeError()),
            "expected PTX with an .entry but found none");
}

TEST(ReadPTX, SourceLines) {
  llvm::Expected<std::vector<Listing>> listings =
      readPTX(".entry k() {\n mov.u32 %r1, 0;\n .loc 2 17 3\n"
              " add.s32 %r1, %r1, 1;\n ret;\n}\n");
  ASSERT_TRUE(bool(listings)) << llvm::toString(listings.takeError());
  const std::vector<Instruction> &code = listings->front().instructions;
  EXPECT_FALSE(code[0].source.has_value());
  ASSERT_TRUE(code[1].source.has_value());
  EXPECT_EQ(code[1].source->file, 2);
  EXPECT_EQ(code[2].source->line, 17);
}

TEST(Loops, HeaderBehindItsBody) {
  Listing listing = llvm::cantFail(readPTX(rotated)).front();
  std::vector<Loop> loops = findTileLoops(listing);
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_THAT(loops[0].instructions, ElementsAre(2, 3, 4, 5, 6, 7));
  EXPECT_FALSE(loops[0].hasInner);
}

/// A listing of SASS lines.
static Listing disassembled(llvm::StringRef lines) {
  return readSass((".text.kernel:\n" + lines).str()).front();
}

TEST(Loops, CheapestTileLoopFirst) {
  // Three loops: one without tensor instructions, a masked one, a full one.
  Listing listing = disassembled(R"(
.L_0:
        /*0000*/                   IADD3 R0, R0, 1, RZ ;
        /*0010*/              @P0 BRA `(.L_0) ;
.L_1:
        /*0020*/                   HMMA.16816.F32.BF16 R0, R0, R0, R0 ;
        /*0030*/                   MUFU.EX2 R0, R0 ;
        /*0040*/                   FSEL R0, R0, R0, P1 ;
        /*0050*/              @P0 BRA `(.L_1) ;
.L_2:
        /*0060*/                   HMMA.16816.F32.BF16 R0, R0, R0, R0 ;
        /*0070*/                   MUFU.EX2 R0, R0 ;
        /*0080*/             @!P0 BRA `(.L_2) ;
        /*0090*/                   EXIT ;
.L_3:
        /*00a0*/                   BRA `(.L_3) ;
)");
  EXPECT_EQ(findLoops(listing).size(), 3u) << "what cannot be reached is none";
  std::vector<Loop> loops = findTileLoops(listing);
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_THAT(loops[0].instructions, ElementsAre(6, 7, 8));
  EXPECT_THAT(loops[1].instructions, ElementsAre(2, 3, 4, 5));
}

TEST(Loops, RolledProductsInsideATile) {
  // The loop over k-steps has tensor instructions but no exponentials; the one
  // over tiles has both.
  Listing listing = disassembled(R"(
.L_0:
        /*0000*/                   MUFU.EX2 R0, R0 ;
.L_1:
        /*0010*/                   HMMA.16816.F32.BF16 R0, R0, R0, R0 ;
        /*0020*/              @P0 BRA `(.L_1) ;
        /*0030*/              @P1 BRA `(.L_0) ;
        /*0040*/                   EXIT ;
)");
  std::vector<Loop> loops = findTileLoops(listing);
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_THAT(loops[0].instructions, ElementsAre(0, 1, 2, 3));
  EXPECT_TRUE(loops[0].hasInner);
}
