//===- SparseTest.cpp - mma.sp
//---------------------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with a matrix that has two of four elements in each row, or one of
// two in tf32, against plain loops over the whole matrix.
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

#include <random>

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

/// One form: what follows the shape, the bits of an element, its depth, and
/// which lanes of a group have the metadata.
struct Case {
  const char *types;
  unsigned bits, k, selector;
  bool isSingle = false;
  const char *name = "mma.sp";
};

uint32_t encode(const Case &test, int value) {
  if (test.bits == 32)
    return bitsOf(static_cast<float>(value));
  if (test.bits == 8)
    return static_cast<uint8_t>(value);
  return std::string(test.types).find("bf16") != std::string::npos
             ? bf16Bits(static_cast<float>(value))
             : f16Bits(static_cast<float>(value));
}

/// D (16 x 8) of one launch; `spoil` changes the metadata.
KernelRun multiply(const Case &test, const std::vector<int> &a,
                   const std::vector<int> &b, uint32_t spoil) {
  unsigned perRegister = 32 / test.bits, k = test.k;
  unsigned chunk = test.isSingle ? 2 : 4, kept = chunk / 2;
  unsigned bCount = k * 8 / 32 / perRegister, aCount = bCount;
  unsigned words = k / chunk / 4;
  // Registers of every lane: A, B, then the metadata.
  std::vector<std::array<uint32_t, 12>> image(32);
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned c = 0; c < k / chunk; ++c) {
      unsigned places[2], count = 0;
      for (unsigned e = 0; e < chunk; ++e)
        if (a[row * k + c * chunk + e])
          places[count++] = e;
      EXPECT_EQ(count, kept);
      uint32_t nibble =
          test.isSingle ? (places[0] ? 14u : 4u) : places[0] | places[1] << 2;
      unsigned owner = row % 8 * 4 + test.selector * words + c / 4;
      image[owner][8] |= nibble << (16 * (row / 8) + 4 * (c % 4));
      for (unsigned i = 0; i < kept; ++i) {
        unsigned column = c * kept + i;
        unsigned inQuad = column % (4 * perRegister);
        unsigned lane = row % 8 * 4 + inQuad / perRegister;
        unsigned index = column / (4 * perRegister) * 2 + row / 8;
        image[lane][index] |= encode(test, a[row * k + c * chunk + places[i]])
                              << inQuad % perRegister * test.bits % 32;
      }
    }
  for (unsigned row = 0; row < k; ++row)
    for (unsigned column = 0; column < 8; ++column) {
      unsigned inQuad = row % (4 * perRegister);
      unsigned lane = column * 4 + inQuad / perRegister;
      image[lane][4 + row / (4 * perRegister)] |=
          encode(test, b[row * 8 + column])
          << inQuad % perRegister * test.bits % 32;
    }
  // The registers of a lane are constants that it selects.
  std::string body;
  for (unsigned r = 0; r < 9; ++r) {
    std::string reg = "%r" + std::to_string(10 + r);
    body += "mov.b32 " + reg + ", 0;\n";
    for (unsigned lane = 0; lane < 32; ++lane) {
      uint32_t bits = image[lane][r];
      if (r == 8 && lane == 4)
        bits ^= spoil;
      body += "setp.eq.u32 %p1, %r0, " + std::to_string(lane) + ";\n@%p1 " +
              "mov.b32 " + reg + ", " + std::to_string(bits) + ";\n";
    }
  }
  auto list = [](unsigned first, unsigned count) {
    std::string text = "{";
    for (unsigned i = 0; i < count; ++i)
      text += (i ? ", %r" : "%r") + std::to_string(first + i);
    return text + "}";
  };
  bool isInteger = std::string(test.types).find("s32") != std::string::npos;
  std::string start = isInteger ? "3" : "0x40400000";
  body += "mov.b32 %r30, " + start + ";\n mov.b32 %r31, " + start +
          ";\n mov.b32 %r32, " + start + ";\n mov.b32 %r33, " + start + ";\n " +
          test.name + ".sync.aligned.m16n8k" + std::to_string(k) + ".row.col" +
          test.types + " {%r1, %r2, %r3, %r4}, " + list(10, aCount) + ", " +
          list(14, bCount) + ", {%r30, %r31, %r32, %r33}, %r18, " +
          std::to_string(test.selector) +
          ";\n st.global.v4.b32 [%rd2], {%r1, %r2, %r3, %r4};";
  return runBody(body, {}, threads(32));
}

/// Small integers, none of them 0, in `kept` of every `chunk` columns.
std::vector<int> drawSparse(const Case &test, std::mt19937 &random) {
  unsigned chunk = test.isSingle ? 2 : 4;
  std::vector<int> a(16 * test.k, 0);
  for (unsigned c = 0; c < a.size() / chunk; ++c)
    for (unsigned set = 0; set < chunk / 2;) {
      int &x = a[c * chunk + random() % chunk];
      set += x == 0;
      x = 1 + static_cast<int>(random() % 7);
    }
  return a;
}

void check(const Case &test) {
  std::mt19937 random(test.k + test.bits + test.selector);
  std::vector<int> a = drawSparse(test, random), b;
  for (unsigned i = 0; i < test.k * 8; ++i)
    b.push_back(static_cast<int>(random() % 9) - 4);
  KernelRun run = multiply(test, a, b, 0);
  EXPECT_EQ(run.findings(), "") << test.types << test.k;
  bool isInteger = std::string(test.types).find("s32") != std::string::npos;
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned column = 0; column < 8; ++column) {
      int sum = 3;
      for (unsigned l = 0; l < test.k; ++l)
        sum += a[row * test.k + l] * b[l * 8 + column];
      unsigned lane = row % 8 * 4 + column / 2;
      ASSERT_EQ(run.u32(lane, row / 8 * 2 + column % 2),
                isInteger ? static_cast<uint32_t>(sum)
                          : bitsOf(static_cast<float>(sum)))
          << test.types << test.k << " " << row << " " << column;
    }
}

TEST(Sparse, TwoOfFour) {
  for (unsigned selector = 0; selector < 4; ++selector) {
    check({".f32.f16.f16.f32", 16, 16, selector});
    check({".f32.bf16.bf16.f32", 16, 16, selector, false,
           "mma.sp::ordered_metadata"});
  }
  for (unsigned selector = 0; selector < 2; ++selector) {
    check({".f32.f16.f16.f32", 16, 32, selector});
    check({".f32.bf16.bf16.f32", 16, 32, selector});
    check({".s32.s8.s8.s32", 8, 32, selector});
  }
  check({".s32.s8.s8.s32", 8, 64, 0});
}

TEST(Sparse, OneOfTwo) {
  for (unsigned selector = 0; selector < 4; ++selector)
    check({".f32.tf32.tf32.f32", 32, 8, selector, true});
  for (unsigned selector = 0; selector < 2; ++selector)
    check({".f32.tf32.tf32.f32", 32, 16, selector, true});
}

TEST(Sparse, BadMetadataIsFound) {
  Case half{".f32.f16.f16.f32", 16, 16, 0};
  std::vector<int> a(16 * 16, 0), b(16 * 8, 1);
  for (unsigned i = 0; i < a.size(); i += 4)
    a[i] = a[i + 1] = 1; // metadata 0100 everywhere
  EXPECT_EQ(multiply(half, a, b, 0).findings(), "");
  // Twice the same index; the two in the wrong order.
  EXPECT_NE(only(multiply(half, a, b, 4), FindingKind::UndefinedResult)
                .message.find("two different indices"),
            std::string::npos);
  EXPECT_EQ(multiply(half, a, b, 5).findings(), "");
  Case ordered = half;
  ordered.name = "mma.sp::ordered_metadata";
  EXPECT_NE(only(multiply(ordered, a, b, 5), FindingKind::UndefinedResult)
                .message.find("two ascending indices"),
            std::string::npos);
  // Selectors out of range are refused.
  half.selector = 4;
  Result<Module> module = Module::parse(
      wrap("mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, "
           "%f3, %f4}, {%r1, %r2}, {%r3, %r4}, {%f1, %f2, %f3, %f4}, %r5, 4;"),
      "t");
  ASSERT_FALSE(bool(module));
  EXPECT_NE(module.error().find("a selector of metadata from 0 to 3"),
            std::string::npos);
}

} // namespace
