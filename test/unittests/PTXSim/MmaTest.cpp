//===- MmaTest.cpp - the rarer forms of mma.sync --------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrices are laid into registers element by element as the PTX ISA describes
// the fragments, multiplied by the instruction and by three loops, and
// compared; the ways to sum that --mma-numerics draws stay near the exact sum.
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

#include <random>
#include <set>

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

/// One multiplication; elements are given and read as bits.
struct Case {
  const char *suffix; // behind mma.sync.aligned.SHAPE.row.col
  unsigned m, k;
  unsigned bits; // of an element of A and B
};

constexpr unsigned threadBytes = 256;

struct Matrices {
  std::vector<uint32_t> a, b; // m x k, k x 8
  std::vector<uint32_t> c;    // m x 8
};

/// D of one launch; `halves` packs accumulators in pairs.
std::vector<uint32_t> multiply(const Case &test, const Matrices &in,
                               bool halves, uint64_t numerics = 0) {
  unsigned perRegister = 32 / test.bits;
  unsigned aCount = test.m * test.k / 32 / perRegister;
  unsigned bCount = test.k * 8 / 32 / perRegister;
  unsigned cCount = test.m * 8 / 32 / (halves ? 2 : 1);
  std::vector<uint32_t> image(32 * threadBytes / 4, 0);
  auto registerOf = [&](unsigned lane, unsigned index) -> uint32_t & {
    return image[lane * threadBytes / 4 + index];
  };
  auto accumulator = [&](unsigned row, unsigned column, unsigned &lane,
                         unsigned &index) {
    lane = row % 8 * 4 + column / 2;
    index = row / 8 * 2 + column % 2;
  };
  for (unsigned row = 0; row < test.m; ++row)
    for (unsigned column = 0; column < test.k; ++column) {
      unsigned inQuad = column % (4 * perRegister);
      unsigned lane = row % 8 * 4 + inQuad / perRegister;
      unsigned index = column / (4 * perRegister) * (test.m / 8) + row / 8;
      registerOf(lane, index) |= in.a[row * test.k + column]
                                 << inQuad % perRegister * test.bits % 32;
    }
  for (unsigned row = 0; row < test.k; ++row)
    for (unsigned column = 0; column < 8; ++column) {
      unsigned inQuad = row % (4 * perRegister);
      unsigned lane = column * 4 + inQuad / perRegister;
      unsigned index = row / (4 * perRegister);
      registerOf(lane, 16 + index) |= in.b[row * 8 + column]
                                      << inQuad % perRegister * test.bits % 32;
    }
  for (unsigned row = 0; row < test.m; ++row)
    for (unsigned column = 0; column < 8; ++column) {
      unsigned lane = 0, index = 0;
      accumulator(row, column, lane, index);
      uint32_t bits = in.c[row * 8 + column];
      registerOf(lane, 32 + (halves ? index / 2 : index)) |=
          halves ? bits << index % 2 * 16 : bits;
    }
  std::string body = "shl.b32 %r0, %r0, 8;\n cvt.u64.u32 %rd3, %r0;\n "
                     "ld.param.u64 %rd1, [in];\n ld.param.u64 %rd2, [out];\n "
                     "add.s64 %rd1, %rd1, %rd3;\n add.s64 %rd2, %rd2, %rd3;\n";
  auto list = [&](unsigned first, unsigned count) {
    std::string text = "{";
    for (unsigned i = 0; i < count; ++i)
      text += (i ? ", %r" : "%r") + std::to_string(first + i);
    return text + "}";
  };
  auto load = [&](unsigned first, unsigned count, unsigned offset) {
    for (unsigned i = 0; i < count; ++i)
      body += "ld.global.b32 %r" + std::to_string(first + i) + ", [%rd1+" +
              std::to_string(4 * (offset + i)) + "];\n";
  };
  load(1, aCount, 0);
  load(17, bCount, 16);
  load(33, cCount, 32);
  body += "mma.sync.aligned.m" + std::to_string(test.m) + "n8k" +
          std::to_string(test.k) + ".row.col" + test.suffix + " " +
          list(41, cCount) + ", " + list(1, aCount) + ", " + list(17, bCount) +
          ", " + list(33, cCount) + ";\n";
  for (unsigned i = 0; i < cCount; ++i)
    body += "st.global.b32 [%rd2+" + std::to_string(4 * i) + "], %r" +
            std::to_string(41 + i) + ";\n";
  Result<Module> module = Module::parse(wrap(body), "mma.ptx");
  EXPECT_TRUE(bool(module)) << module.error();
  std::vector<uint32_t> result(test.m * 8);
  if (!module)
    return result;
  Memory memory;
  uint64_t input = memory.allocate(32 * threadBytes, "in");
  uint64_t output = memory.allocate(32 * threadBytes, "out");
  memory.write(input, image.data(), 32 * threadBytes);
  LaunchConfig config;
  config.mmaNumerics = numerics;
  Result<LaunchResult> run = launch(
      *module, "k", memory, Arguments().pointer(input).pointer(output), config);
  EXPECT_TRUE(bool(run)) << run.error();
  EXPECT_TRUE(run->findings.empty()) << run->findings[0].str();
  EXPECT_EQ(run->counts.tensorFlops, 2u * test.m * 8 * test.k);
  std::vector<uint32_t> words(32 * threadBytes / 4);
  memory.read(output, words.data(), 32 * threadBytes);
  for (unsigned row = 0; row < test.m; ++row)
    for (unsigned column = 0; column < 8; ++column) {
      unsigned lane = 0, index = 0;
      accumulator(row, column, lane, index);
      uint32_t word =
          words[lane * threadBytes / 4 + (halves ? index / 2 : index)];
      result[row * 8 + column] =
          halves ? word >> index % 2 * 16 & 0xffff : word;
    }
  return result;
}

Matrices draw(const Case &test, uint64_t seed) {
  std::mt19937 random(static_cast<unsigned>(seed));
  Matrices in;
  uint32_t mask = test.bits == 32 ? ~0u : (1u << test.bits) - 1;
  for (unsigned i = 0; i < test.m * test.k; ++i)
    in.a.push_back(static_cast<uint32_t>(random()) & mask);
  for (unsigned i = 0; i < test.k * 8; ++i)
    in.b.push_back(static_cast<uint32_t>(random()) & mask);
  for (unsigned i = 0; i < test.m * 8; ++i)
    in.c.push_back(static_cast<uint32_t>(random()) % 2001 - 1000);
  return in;
}

int64_t signedOf(uint32_t bits, unsigned width, bool isSigned) {
  int64_t value = bits;
  return isSigned && bits >> (width - 1) ? value - (int64_t(1) << width)
                                         : value;
}

TEST(Mma, IntegersOfEightAndFourBits) {
  struct Integer {
    Case test;
    bool isASigned, isBSigned, saturates;
  };
  const Integer cases[] = {
      {{".s32.s8.u8.s32", 8, 16, 8}, true, false, false},
      {{".satfinite.s32.u8.s8.s32", 8, 16, 8}, false, true, true},
      {{".s32.s4.s4.s32", 8, 32, 4}, true, true, false},
      {{".s32.u4.s4.s32", 16, 32, 4}, false, true, false},
      {{".satfinite.s32.u4.u4.s32", 16, 64, 4}, false, false, true},
      {{".s32.s4.u4.s32", 16, 64, 4}, true, false, false}};
  for (const Integer &integer : cases) {
    const Case &test = integer.test;
    Matrices in = draw(test, 1);
    in.c[3] = 0x7fffffff;
    std::vector<uint32_t> got = multiply(test, in, false);
    for (unsigned row = 0; row < test.m; ++row)
      for (unsigned column = 0; column < 8; ++column) {
        int64_t sum = static_cast<int32_t>(in.c[row * 8 + column]);
        for (unsigned k = 0; k < test.k; ++k)
          sum +=
              signedOf(in.a[row * test.k + k], test.bits, integer.isASigned) *
              signedOf(in.b[k * 8 + column], test.bits, integer.isBSigned);
        if (integer.saturates)
          sum = std::min<int64_t>(std::max<int64_t>(sum, INT32_MIN), INT32_MAX);
        ASSERT_EQ(got[row * 8 + column], static_cast<uint32_t>(sum))
            << test.suffix << row << " " << column;
      }
  }
}

TEST(Mma, SingleBits) {
  for (const char *operation : {"xor", "and"})
    for (auto [m, k] :
         {std::pair<unsigned, unsigned>{8, 128}, {16, 128}, {16, 256}}) {
      std::string suffix = std::string(".s32.b1.b1.s32.") + operation + ".popc";
      Case test{suffix.c_str(), m, k, 1};
      Matrices in = draw(test, 2);
      std::vector<uint32_t> got = multiply(test, in, false);
      for (unsigned row = 0; row < m; ++row)
        for (unsigned column = 0; column < 8; ++column) {
          uint32_t sum = in.c[row * 8 + column];
          for (unsigned i = 0; i < k; ++i) {
            uint32_t a = in.a[row * k + i], b = in.b[i * 8 + column];
            sum += operation[0] == 'x' ? a ^ b : a & b;
          }
          ASSERT_EQ(got[row * 8 + column], sum) << suffix;
        }
    }
}

/// Small numbers of an 8-bit format with `mantissa` bits, so that sums are
/// exact in fp16.
uint32_t smallByte(uint32_t draw, unsigned mantissa, double &value) {
  unsigned exponentBits = 7 - mantissa, bias = (1u << (exponentBits - 1)) - 1;
  uint32_t bits = (bias + draw % 2) << mantissa |
                  (draw >> 1 & ((1u << mantissa) - 1)) | (draw >> 8 & 1) << 7;
  value = std::ldexp(1 + (bits & ((1u << mantissa) - 1)) /
                             static_cast<double>(1u << mantissa),
                     static_cast<int>(draw % 2));
  if (bits >> 7)
    value = -value;
  return bits;
}

TEST(Mma, FloatsOfEightBits) {
  for (const char *suffix : {".f32.e4m3.e5m2.f32", ".f32.e5m2.e5m2.f32",
                             ".f16.e4m3.e4m3.f16", ".f16.e5m2.e4m3.f16"})
    for (unsigned depth : {16, 32}) {
      Case test{suffix, 16, depth, 8};
      unsigned aMantissa = suffix[6] == '4' ? 3 : 2;
      unsigned bMantissa = suffix[11] == '4' ? 3 : 2;
      bool halves = suffix[2] == '1';
      std::mt19937 random(depth);
      Matrices in;
      std::vector<double> a(16 * depth), b(depth * 8);
      for (double &value : a)
        in.a.push_back(
            smallByte(static_cast<uint32_t>(random()), aMantissa, value));
      for (double &value : b)
        in.b.push_back(
            smallByte(static_cast<uint32_t>(random()), bMantissa, value));
      for (unsigned i = 0; i < 128; ++i)
        in.c.push_back(halves ? f16Bits(0.25f * i) : bitsOf(0.25f * i));
      std::vector<uint32_t> got = multiply(test, in, halves);
      for (unsigned row = 0; row < 16; ++row)
        for (unsigned column = 0; column < 8; ++column) {
          double sum = 0.25 * (row * 8 + column);
          for (unsigned k = 0; k < depth; ++k)
            sum += a[row * depth + k] * b[k * 8 + column];
          float expected = static_cast<float>(sum);
          if (halves)
            ASSERT_NEAR(got[row * 8 + column], f16Bits(expected), 1)
                << suffix << depth << " " << sum;
          else
            ASSERT_EQ(got[row * 8 + column], bitsOf(expected))
                << suffix << depth;
        }
    }
}

TEST(Mma, NumericsStayNearTheExactSum) {
  Case test{".f32.bf16.bf16.f32", 16, 16, 16};
  std::mt19937 random(4);
  std::normal_distribution<float> normal;
  Matrices in;
  for (unsigned i = 0; i < 16 * 16; ++i)
    in.a.push_back(bf16Bits(normal(random)));
  for (unsigned i = 0; i < 16 * 8; ++i)
    in.b.push_back(bf16Bits(normal(random)));
  for (unsigned i = 0; i < 16 * 8; ++i)
    in.c.push_back(bitsOf(normal(random)));
  std::vector<uint32_t> exact = multiply(test, in, false);
  std::set<std::vector<uint32_t>> results;
  for (uint64_t seed = 1; seed < 20; ++seed) {
    std::vector<uint32_t> got = multiply(test, in, false, seed);
    EXPECT_EQ(got, multiply(test, in, false, seed));
    results.insert(got);
    for (unsigned row = 0; row < 16; ++row)
      for (unsigned column = 0; column < 8; ++column) {
        double largest = std::fabs(floatOf(in.c[row * 8 + column]));
        for (unsigned k = 0; k < 16; ++k)
          largest +=
              std::fabs(bf16Value(static_cast<uint16_t>(in.a[row * 16 + k])) *
                        bf16Value(static_cast<uint16_t>(in.b[k * 8 + column])));
        // Four steps of five terms, each cut off 24 bits below the largest.
        ASSERT_NEAR(floatOf(got[row * 8 + column]),
                    floatOf(exact[row * 8 + column]),
                    24 * std::exp2(-24.0) * largest);
      }
  }
  EXPECT_GT(results.size(), 4u);
  EXPECT_EQ(results.count(exact), 0u);

  // What is exact stays exact: small integers; infinities stay as well.
  for (uint32_t &bits : in.a)
    bits = bf16Bits(static_cast<float>(bits % 9) - 4);
  for (uint32_t &bits : in.b)
    bits = bf16Bits(static_cast<float>(bits % 5) - 2);
  for (uint32_t &bits : in.c)
    bits = bitsOf(static_cast<float>(bits % 100));
  in.c[5] = 0xff800000u;
  exact = multiply(test, in, false);
  EXPECT_EQ(exact[5], 0xff800000u);
  for (uint64_t seed = 1; seed < 6; ++seed)
    EXPECT_EQ(multiply(test, in, false, seed), exact);
}

TEST(Mma, WideFloats) {
  for (unsigned depth : {4u, 8u, 16u}) {
    // Every lane makes its elements from their places; sums are exact.
    unsigned aCount = 16 * depth / 32, bCount = depth * 8 / 32;
    std::string body = "shr.u32 %r1, %r0, 2;\n and.b32 %r2, %r0, 3;\n";
    auto element = [&](unsigned reg, const std::string &row,
                       const std::string &column, unsigned addRow,
                       unsigned addColumn) {
      body += "mad.lo.u32 %r3, " + row + ", 7, " +
              std::to_string(7 * addRow + 3 * addColumn) + ";\n mad.lo.u32 " +
              "%r3, " + column + ", 3, %r3;\n rem.u32 %r3, %r3, 11;\n " +
              "cvt.rn.f64.u32 %rd" + std::to_string(reg) + ", %r3;\n";
    };
    std::string a = "{", b = "{";
    for (unsigned r = 0; r < aCount; ++r) {
      element(10 + r, "%r1", "%r2", 8 * (r % 2), 4 * (r / 2));
      a += (r ? ", %rd" : "%rd") + std::to_string(10 + r);
    }
    for (unsigned r = 0; r < bCount; ++r) {
      element(20 + r, "%r2", "%r1", 4 * r, 0);
      b += (r ? ", %rd" : "%rd") + std::to_string(20 + r);
    }
    for (unsigned half = 0; half < 2; ++half) {
      std::string code =
          body + "mov.b64 %rd5, 0d3FE0000000000000;\n mma.sync.aligned.m16n8k" +
          std::to_string(depth) + ".row.col.f64.f64.f64.f64 {%rd30, %rd31, " +
          "%rd32, %rd33}, " + a + "}, " + b +
          "}, {%rd5, %rd5, %rd5, %rd5};\n st.global.v2.b64 [%rd2], {%rd" +
          std::to_string(30 + 2 * half) + ", %rd" +
          std::to_string(31 + 2 * half) + "};";
      KernelRun run = runBody(code, {}, threads(32));
      EXPECT_EQ(run.findings(), "");
      for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned i = 0; i < 2; ++i) {
          unsigned row = lane / 4 + 8 * half, column = lane % 4 * 2 + i;
          double sum = 0.5;
          for (unsigned k = 0; k < depth; ++k)
            sum += (row * 7 + k * 3) % 11 * ((k * 7 + column * 3) % 11);
          ASSERT_EQ(run.f64(lane, i), sum) << depth << " " << row << column;
        }
    }
  }
}

} // namespace
