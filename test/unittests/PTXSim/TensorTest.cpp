//===- TensorTest.cpp - matrix loads and matrix multiply ------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fragments against positions written down from the tables of the PTX ISA, and
// products against plain loops.
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

#include <random>

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

/// A kernel that loads `inRegisters` words, runs `code` and stores four.
KernelRun runFragments(const std::string &code,
                       const std::vector<std::array<uint32_t, 12>> &in) {
  Result<Module> module = Module::parse(header + R"(
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .b32 %r<40>; .reg .b64 %rd<9>; .reg .f32 %f<9>;
  mov.u32 %r0, %tid.x;
  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];
  mul.wide.u32 %rd3, %r0, 48; add.u64 %rd1, %rd1, %rd3;
  mul.wide.u32 %rd3, %r0, 16; add.u64 %rd2, %rd2, %rd3;
  ld.global.v4.b32 {%r10, %r11, %r12, %r13}, [%rd1];
  ld.global.v4.b32 {%r14, %r15, %r16, %r17}, [%rd1+16];
  ld.global.v4.b32 {%r18, %r19, %r20, %r21}, [%rd1+32];
  mov.u32 %r32, 0; mov.u32 %r33, 0;
)" + code + R"(
  st.global.v4.b32 [%rd2], {%r30, %r31, %r32, %r33};
  ret;
})",
                                        "m.ptx");
  EXPECT_TRUE(bool(module)) << module.error();
  KernelRun run;
  run.out.resize(32);
  if (!module)
    return run;
  Memory memory;
  uint64_t input = memory.allocate(48 * 32, "in");
  uint64_t output = memory.allocate(16 * 32, "out");
  memory.write(input, in.data(), 48 * 32);
  auto result = launch(*module, "k", memory,
                       Arguments().pointer(input).pointer(output), threads(32));
  EXPECT_TRUE(bool(result)) << result.error();
  run.result = *result;
  EXPECT_EQ(run.findings(), "");
  memory.read(output, run.out.data(), 16 * 32);
  return run;
}

/// Where the ISA puts element i of lane l: rows and columns of A, B and C of
/// mma.m16n8k16 with 16-bit elements, written as its tables do.
struct Position {
  unsigned row, column;
};
Position positionA16(unsigned lane, unsigned i) {
  unsigned group = lane >> 2, thread = lane % 4;
  unsigned row = (i < 2 || (4 <= i && i < 6)) ? group : group + 8;
  unsigned column = thread * 2 + (i & 1) + (i < 4 ? 0 : 8);
  return {row, column};
}
Position positionB16(unsigned lane, unsigned i) {
  unsigned group = lane >> 2, thread = lane % 4;
  return {thread * 2 + (i & 1) + (i < 2 ? 0u : 8u), group};
}
Position positionC(unsigned lane, unsigned i) {
  unsigned group = lane >> 2, thread = lane % 4;
  return {i < 2 ? group : group + 8, thread * 2 + (i & 1)};
}

class MmaTest : public ::testing::Test {
protected:
  void fill(unsigned k) {
    std::mt19937 random(9);
    // Multiples of 1/8 up to 4: exact in every format.
    auto draw = [&] { return (static_cast<int>(random() % 65) - 32) / 8.0f; };
    a.assign(16 * k, 0);
    b.assign(k * 8, 0);
    c.assign(16 * 8, 0);
    for (auto *matrix : {&a, &b, &c})
      for (float &x : *matrix)
        x = draw();
  }
  float expected(unsigned m, unsigned n, unsigned k) const {
    float sum = c[m * 8 + n];
    for (unsigned l = 0; l < k; ++l)
      sum += a[m * k + l] * b[l * 8 + n];
    return sum;
  }
  std::vector<float> a, b, c;
};

TEST_F(MmaTest, SixteenBitDepth16) {
  for (bool isBf16 : {false, true}) {
    fill(16);
    auto bits = [&](float x) { return isBf16 ? bf16Bits(x) : f16Bits(x); };
    std::vector<std::array<uint32_t, 12>> in(32);
    for (unsigned lane = 0; lane < 32; ++lane) {
      for (unsigned i = 0; i < 8; ++i) {
        Position p = positionA16(lane, i);
        in[lane][i / 2] |= uint32_t(bits(a[p.row * 16 + p.column]))
                           << 16 * (i % 2);
      }
      for (unsigned i = 0; i < 4; ++i) {
        Position p = positionB16(lane, i);
        in[lane][4 + i / 2] |= uint32_t(bits(b[p.row * 8 + p.column]))
                               << 16 * (i % 2);
        Position q = positionC(lane, i);
        in[lane][8 + i] = bitsOf(c[q.row * 8 + q.column]);
      }
    }
    std::string type = isBf16 ? "bf16.bf16" : "f16.f16";
    KernelRun run = runFragments(
        "mma.sync.aligned.m16n8k16.row.col.f32." + type +
            ".f32 {%r30, %r31, %r32, %r33}, {%r10, %r11, %r12, %r13}, "
            "{%r14, %r15}, {%r18, %r19, %r20, %r21};",
        in);
    EXPECT_EQ(run.result.counts.of(OpClass::TensorMma), 1u);
    EXPECT_EQ(run.result.counts.tensorFlops, 4096u);
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned i = 0; i < 4; ++i) {
        Position p = positionC(lane, i);
        EXPECT_EQ(run.f32(lane, i), expected(p.row, p.column, 16));
      }
  }
}

TEST_F(MmaTest, SixteenBitDepth8AndHalfAccumulators) {
  fill(8);
  for (auto *matrix : {&a, &b, &c})
    for (float &x : *matrix)
      x = std::trunc(2 * x) / 2; // sums have at most ten bits
  std::vector<std::array<uint32_t, 12>> in(32);
  for (unsigned lane = 0; lane < 32; ++lane) {
    unsigned group = lane >> 2, thread = lane % 4;
    for (unsigned i = 0; i < 4; ++i) {
      unsigned row = i < 2 ? group : group + 8;
      in[lane][i / 2] |= uint32_t(f16Bits(a[row * 8 + thread * 2 + (i & 1)]))
                         << 16 * (i % 2);
      Position q = positionC(lane, i);
      in[lane][8 + i / 2] |= uint32_t(f16Bits(c[q.row * 8 + q.column]))
                             << 16 * (i % 2);
    }
    for (unsigned i = 0; i < 2; ++i)
      in[lane][4] |= uint32_t(f16Bits(b[(thread * 2 + i) * 8 + group]))
                     << 16 * i;
  }
  KernelRun run = runFragments(
      "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r30, %r31}, "
      "{%r10, %r11}, {%r14}, {%r18, %r19};",
      in);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < 4; ++i) {
      Position p = positionC(lane, i);
      EXPECT_EQ(run.u32(lane, i / 2) >> 16 * (i % 2) & 0xffff,
                f16Bits(expected(p.row, p.column, 8)));
    }
}

TEST_F(MmaTest, Tf32IgnoresTheLowBits) {
  for (unsigned k : {4u, 8u}) {
    fill(k);
    std::vector<std::array<uint32_t, 12>> in(32);
    for (unsigned lane = 0; lane < 32; ++lane) {
      unsigned group = lane >> 2, thread = lane % 4;
      for (unsigned i = 0; i < k / 2; ++i) {
        unsigned row = i % 2 ? group + 8 : group;
        unsigned column = i < 2 ? thread : thread + 4;
        in[lane][i] = bitsOf(a[row * k + column]) | 0x1fff;
      }
      for (unsigned i = 0; i < k / 4; ++i)
        in[lane][4 + i] = bitsOf(b[(thread + 4 * i) * 8 + group]) | 0x1fff;
      for (unsigned i = 0; i < 4; ++i) {
        Position q = positionC(lane, i);
        in[lane][8 + i] = bitsOf(c[q.row * 8 + q.column]);
      }
    }
    KernelRun run = runFragments(
        k == 8 ? "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%r30, "
                 "%r31, %r32, %r33}, {%r10, %r11, %r12, %r13}, {%r14, %r15}, "
                 "{%r18, %r19, %r20, %r21};"
               : "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%r30, "
                 "%r31, %r32, %r33}, {%r10, %r11}, {%r14}, "
                 "{%r18, %r19, %r20, %r21};",
        in);
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned i = 0; i < 4; ++i) {
        Position p = positionC(lane, i);
        EXPECT_EQ(run.f32(lane, i), expected(p.row, p.column, k)) << k;
      }
  }
}

TEST_F(MmaTest, EightBitIntegers) {
  std::mt19937 random(2);
  int8_t a8[16][32];
  uint8_t b8[32][8];
  for (auto &row : a8)
    for (int8_t &x : row)
      x = static_cast<int8_t>(random());
  for (auto &row : b8)
    for (uint8_t &x : row)
      x = static_cast<uint8_t>(random());
  std::vector<std::array<uint32_t, 12>> in(32);
  for (unsigned lane = 0; lane < 32; ++lane) {
    unsigned group = lane >> 2, thread = lane % 4;
    for (unsigned i = 0; i < 16; ++i) {
      unsigned row = (i < 4 || (8 <= i && i < 12)) ? group : group + 8;
      unsigned column = thread * 4 + (i & 3) + (i < 8 ? 0 : 16);
      in[lane][i / 4] |= uint32_t(uint8_t(a8[row][column])) << 8 * (i % 4);
    }
    for (unsigned i = 0; i < 8; ++i) {
      unsigned row = thread * 4 + (i & 3) + (i < 4 ? 0 : 16);
      in[lane][4 + i / 4] |= uint32_t(b8[row][group]) << 8 * (i % 4);
    }
    for (unsigned i = 0; i < 4; ++i)
      in[lane][8 + i] = lane * 4 + i;
  }
  KernelRun run = runFragments(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%r30, %r31, %r32, "
      "%r33}, {%r10, %r11, %r12, %r13}, {%r14, %r15}, {%r18, %r19, %r20, "
      "%r21};",
      in);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < 4; ++i) {
      Position p = positionC(lane, i);
      int sum = static_cast<int>(lane * 4 + i);
      for (unsigned l = 0; l < 32; ++l)
        sum += a8[p.row][l] * b8[l][p.column];
      EXPECT_EQ(static_cast<int>(run.u32(lane, i)), sum);
    }
}

TEST_F(MmaTest, SumsAreRoundedOnce) {
  // 2^24 + 1 + 1: an fp32 sum in order would lose both ones.
  std::vector<std::array<uint32_t, 12>> in(32);
  for (auto &words : in) {
    words[0] = 0x3f803f80; // columns 2t, 2t+1 of A are 1 in bf16
    words[4] = 0;
    words[8] = words[9] = words[10] = words[11] = bitsOf(16777216.0f);
  }
  in[0][4] = 0x3f803f80; // rows 0 and 1 of column 0 of B are 1
  KernelRun run = runFragments(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%r30, %r31, %r32, "
      "%r33}, {%r10, %r11, %r12, %r13}, {%r14, %r15}, {%r18, %r19, %r20, "
      "%r21};",
      in);
  EXPECT_EQ(run.f32(0, 0), 16777218.0f);
  EXPECT_EQ(run.f32(0, 1), 16777216.0f);
}

TEST(Mma, DoublePrecision) {
  Result<Module> module = Module::parse(header + R"(
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f64 %d<9>;
  mov.u32 %r0, %tid.x;
  cvt.rn.f64.u32 %d1, %r0;            // A: row lane/4, column lane%4
  add.f64 %d2, %d1, 0d3FE0000000000000; // B: row lane%4, column lane/4
  mov.f64 %d3, 0d3FF0000000000000; mov.f64 %d4, 0d4000000000000000;
  mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64
    {%d5, %d6}, {%d1}, {%d2}, {%d3, %d4};
  ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r0, 16;
  add.u64 %rd3, %rd1, %rd2;
  st.global.v2.f64 [%rd3], {%d5, %d6};
  ret;
})",
                                        "m.ptx");
  ASSERT_TRUE(bool(module)) << module.error();
  Memory memory;
  uint64_t out = memory.allocate(512, "out");
  auto result =
      launch(*module, "k", memory, Arguments().pointer(out), threads(32));
  ASSERT_TRUE(bool(result)) << result.error();
  EXPECT_TRUE(result->findings.empty());
  double c[32][2];
  memory.read(out, c, 512);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < 2; ++i) {
      unsigned row = lane / 4, column = 2 * (lane % 4) + i;
      double sum = 1.0 + i;
      for (unsigned k = 0; k < 4; ++k)
        sum += (4.0 * row + k) * (4.0 * column + k + 0.5);
      EXPECT_EQ(c[lane][i], sum);
    }
}

const char *matrixArray = ".shared .align 128 .b8 s[1024];\n";

/// Fills shared memory so that element (row i, column j) of matrix m is
/// 1000m + 10i + j.
const char *fillMatrices = R"(
  mov.u32 %r10, s;
  shl.b32 %r1, %r0, 4; add.u32 %r11, %r10, %r1;   // row of this lane
  shr.u32 %r2, %r0, 3; and.b32 %r3, %r0, 7;
  mul.lo.u32 %r4, %r2, 1000; mad.lo.u32 %r4, %r3, 10, %r4;
  mov.u32 %r5, 0;
FILL:
  add.u32 %r6, %r4, %r5; cvt.u16.u32 %h1, %r6;
  shl.b32 %r7, %r5, 1; add.u32 %r7, %r7, %r11;
  st.shared.b16 [%r7], %h1;
  add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 8;
  @%p1 bra FILL;
  bar.warp.sync -1;
)";

TEST(Matrix, LoadsPlainAndTransposed) {
  for (bool isTransposed : {false, true}) {
    KernelRun run = runText(
        wrap(std::string(fillMatrices) + "ldmatrix.sync.aligned.m8n8.x4" +
                 (isTransposed ? ".trans" : "") +
                 ".shared.b16 {%r20, %r21, %r22, %r23}, [%r11];\n"
                 "st.global.v4.b32 [%rd2], {%r20, %r21, %r22, %r23};",
             matrixArray),
        {}, threads(32));
    EXPECT_EQ(run.findings(), "");
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned m = 0; m < 4; ++m) {
        unsigned row = lane / 4, column = 2 * (lane % 4);
        uint32_t low = isTransposed ? 1000 * m + 10 * column + row
                                    : 1000 * m + 10 * row + column;
        uint32_t high = isTransposed ? low + 10 : low + 1;
        EXPECT_EQ(run.u32(lane, m), low | high << 16);
      }
  }
}

TEST(Matrix, StoreUndoesLoad) {
  KernelRun run = runText(wrap(std::string(fillMatrices) + R"(
    ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r20, %r21, %r22, %r23}, [%r11];
    add.u32 %r12, %r11, 512;
    stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%r12], {%r20, %r21, %r22, %r23};
    bar.warp.sync -1;
    ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r24, %r25}, [%r12];
    sub.u32 %r26, %r24, %r20; sub.u32 %r27, %r25, %r21;
    st.global.v2.b32 [%rd2], {%r26, %r27};)",
                               matrixArray),
                          {}, threads(32));
  EXPECT_EQ(run.findings(), "");
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(run.u32(lane, 0), 0u);
    EXPECT_EQ(run.u32(lane, 1), 0u);
  }
}

} // namespace
