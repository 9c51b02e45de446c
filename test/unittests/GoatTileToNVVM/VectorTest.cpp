//===- VectorTest.cpp - vectors, reductions and strips, executed ----------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileKernel.h"

using namespace goat::test;

namespace {

struct Vector {
  unsigned length, threads;
  const char *encoding;
};

void PrintTo(const Vector &v, std::ostream *stream) {
  *stream << v.length << " " << v.encoding;
}

class VectorTest : public testing::TestWithParam<Vector> {
protected:
  std::map<std::string, std::string> values = {
      {"N", std::to_string(GetParam().length)}, {"E", GetParam().encoding}};
};

TEST_P(VectorTest, IotaIsTheIndex) {
  TileKernel kernel(GetParam().threads, "%out: !goat_tile.ptr<i32>",
                    fill(R"(
    %i = goat_tile.iota : tensor<$Nxi32, $E>
    goat_tile.store %i, %out[%i] : tensor<$Nxi32, $E>, !goat_tile.ptr<i32>, tensor<$Nxi32, $E>
  )",
                         values));
  kernel.output(4 * GetParam().length, 0xff);
  std::vector<int> result = kernel.run<int>();
  for (unsigned i = 0; i < result.size(); ++i)
    ASSERT_EQ(result[i], int(i));
}

TEST_P(VectorTest, MaskedElementsAreZeroAndNotWritten) {
  TileKernel kernel(GetParam().threads,
                    "%in: !goat_tile.ptr<f32>, %out: !goat_tile.ptr<f32>",
                    fill(R"(
    %i = goat_tile.iota : tensor<$Nxi32, $E>
    %three = arith.constant dense<3> : tensor<$Nxi32, $E>
    %zero = arith.constant dense<0> : tensor<$Nxi32, $E>
    %rest = arith.remui %i, %three : tensor<$Nxi32, $E>
    %read = arith.cmpi ne, %rest, %zero : tensor<$Nxi32, $E>
    %written = arith.cmpi ne, %rest, %three : tensor<$Nxi32, $E>
    %half = arith.constant dense<5> : tensor<$Nxi32, $E>
    %late = arith.cmpi sge, %i, %half : tensor<$Nxi32, $E>
    %x = goat_tile.load %in[%i] masked(%read : tensor<$Nxi1, $E>) : !goat_tile.ptr<f32>, tensor<$Nxi32, $E> -> tensor<$Nxf32, $E>
    goat_tile.store %x, %out[%i] masked(%late : tensor<$Nxi1, $E>) : tensor<$Nxf32, $E>, !goat_tile.ptr<f32>, tensor<$Nxi32, $E>
  )",
                         values));
  std::vector<float> in;
  for (unsigned i = 0; i < GetParam().length; ++i)
    in.push_back(float(i) + 0.5f);
  kernel.input(in).output(4 * in.size());
  std::vector<float> result = kernel.run<float>();
  for (unsigned i = 0; i < result.size(); ++i)
    ASSERT_EQ(result[i], i < 5 || i % 3 == 0 ? 0.0f : in[i]) << i;
}

TEST_P(VectorTest, SharedMemoryKeepsWhatIsWritten) {
  TileKernel kernel(GetParam().threads,
                    "%in: !goat_tile.ptr<bf16>, %out: !goat_tile.ptr<bf16>",
                    fill(R"(
    %c1 = arith.constant 1 : i32
    %ring = goat_tile.alloc : !goat_tile.buffer<2x$Nxbf16>
    %b = goat_tile.stage %ring[%c1] : !goat_tile.buffer<2x$Nxbf16> -> !goat_tile.buffer<$Nxbf16>
    %i = goat_tile.iota : tensor<$Nxi32, $E>
    %x = goat_tile.load %in[%i] : !goat_tile.ptr<bf16>, tensor<$Nxi32, $E> -> tensor<$Nxbf16, $E>
    goat_tile.write %x, %b : tensor<$Nxbf16, $E>, !goat_tile.buffer<$Nxbf16>
    goat_tile.barrier
    %y = goat_tile.read %b : !goat_tile.buffer<$Nxbf16> -> tensor<$Nxbf16, $E>
    goat_tile.store %y, %out[%i] : tensor<$Nxbf16, $E>, !goat_tile.ptr<bf16>, tensor<$Nxi32, $E>
  )",
                         values));
  std::vector<uint16_t> in;
  for (unsigned i = 0; i < GetParam().length; ++i)
    in.push_back(uint16_t(i * 7 + 1));
  kernel.input(in).output(2 * in.size());
  EXPECT_EQ(kernel.run<uint16_t>(), in);
}

INSTANTIATE_TEST_SUITE_P(
    Encodings, VectorTest,
    testing::Values(
        Vector{191, 128, "#goat_tile.linear<threads = 128>"},
        Vector{7, 32, "#goat_tile.linear<threads = 32>"},
        Vector{128, 64, "#goat_tile.linear<threads = 64>"},
        Vector{128, 128,
               "#goat_tile.slice<axis = 1, #goat_tile.mma<warps = 4>>"},
        Vector{72, 128,
               "#goat_tile.slice<axis = 0, #goat_tile.mma<warps = 4>>"},
        Vector{48, 32,
               "#goat_tile.slice<axis = 1, #goat_tile.mma_operand<warps = 1>>"},
        Vector{32, 64,
               "#goat_tile.slice<axis = 0, #goat_tile.mma_operand<warps = "
               "2>>"}));

/// A 32×40 tile of distinct values through a reduction.
std::vector<float> reduce(const std::string &kind, unsigned axis,
                          unsigned warps, const std::vector<float> &in) {
  std::map<std::string, std::string> values = {
      {"KIND", kind},
      {"AXIS", std::to_string(axis)},
      {"LEN", axis == 1 ? "32" : "40"},
      {"MMA", "#goat_tile.mma<warps = " + std::to_string(warps) + ">"}};
  TileKernel kernel(32 * warps,
                    "%in: !goat_tile.ptr<f32>, %out: !goat_tile.ptr<f32>",
                    fill(R"(
    %s = arith.constant 40 : i64
    %r = goat_tile.iota : tensor<32xi32, #goat_tile.slice<axis = 1, $MMA>>
    %t = arith.constant dense<true> : tensor<32xi1, #goat_tile.slice<axis = 1, $MMA>>
    %x = goat_tile.load_rows %in[%r] masked(%t) stride(%s) : !goat_tile.ptr<f32>, tensor<32xi32, #goat_tile.slice<axis = 1, $MMA>>, tensor<32xi1, #goat_tile.slice<axis = 1, $MMA>> -> tensor<32x40xf32, $MMA>
    %y = goat_tile.reduce $KIND %x axis = $AXIS : tensor<32x40xf32, $MMA> -> tensor<$LENxf32, #goat_tile.slice<axis = $AXIS, $MMA>>
    %i = goat_tile.iota : tensor<$LENxi32, #goat_tile.slice<axis = $AXIS, $MMA>>
    goat_tile.store %y, %out[%i] : tensor<$LENxf32, #goat_tile.slice<axis = $AXIS, $MMA>>, !goat_tile.ptr<f32>, tensor<$LENxi32, #goat_tile.slice<axis = $AXIS, $MMA>>
  )",
                         values));
  kernel.input(in).output(axis == 1 ? 128 : 160);
  return kernel.run<float>();
}

std::vector<float> distinctValues() {
  std::vector<float> in;
  for (unsigned i = 0; i < 32 * 40; ++i)
    in.push_back(float(int(i * 389 % 1280) - 640));
  return in;
}

TEST(Reduce, SumOfRows) {
  std::vector<float> in = distinctValues(), out = reduce("sum", 1, 2, in);
  for (unsigned r = 0; r < 32; ++r) {
    float sum = 0;
    for (unsigned c = 0; c < 40; ++c)
      sum += in[r * 40 + c];
    ASSERT_EQ(out[r], sum) << r;
  }
}

TEST(Reduce, MaximumOfRows) {
  std::vector<float> in = distinctValues(), out = reduce("max", 1, 1, in);
  for (unsigned r = 0; r < 32; ++r)
    ASSERT_EQ(out[r], *std::max_element(&in[r * 40], &in[r * 40] + 40)) << r;
}

TEST(Reduce, SumOfColumns) {
  std::vector<float> in = distinctValues(), out = reduce("sum", 0, 1, in);
  for (unsigned c = 0; c < 40; ++c) {
    float sum = 0;
    for (unsigned r = 0; r < 32; ++r)
      sum += in[r * 40 + c];
    ASSERT_EQ(out[c], sum) << c;
  }
}

TEST(ReadDiagonals, TakesRowMinusColumn) {
  TileKernel kernel(64, "%in: !goat_tile.ptr<f32>, %out: !goat_tile.ptr<f32>",
                    R"(
    %s = arith.constant 24 : i64
    %b = goat_tile.alloc : !goat_tile.buffer<60xf32>
    %i = goat_tile.iota : tensor<60xi32, #goat_tile.linear<threads = 64>>
    %x = goat_tile.load %in[%i] : !goat_tile.ptr<f32>, tensor<60xi32, #goat_tile.linear<threads = 64>> -> tensor<60xf32, #goat_tile.linear<threads = 64>>
    goat_tile.write %x, %b : tensor<60xf32, #goat_tile.linear<threads = 64>>, !goat_tile.buffer<60xf32>
    goat_tile.barrier
    %t = goat_tile.read_diagonals %b : !goat_tile.buffer<60xf32> -> tensor<32x24xf32, #goat_tile.mma<warps = 2>>
    %r = goat_tile.iota : tensor<32xi32, #goat_tile.slice<axis = 1, #goat_tile.mma<warps = 2>>>
    %m = arith.constant dense<true> : tensor<32xi1, #goat_tile.slice<axis = 1, #goat_tile.mma<warps = 2>>>
    goat_tile.store_rows %t, %out[%r] masked(%m) stride(%s) : tensor<32x24xf32, #goat_tile.mma<warps = 2>>, !goat_tile.ptr<f32>, tensor<32xi32, #goat_tile.slice<axis = 1, #goat_tile.mma<warps = 2>>>, tensor<32xi1, #goat_tile.slice<axis = 1, #goat_tile.mma<warps = 2>>>
  )");
  std::vector<float> in;
  for (unsigned i = 0; i < 60; ++i)
    in.push_back(float(i) * 3 + 1);
  kernel.input(in).output(4 * 32 * 24);
  std::vector<float> out = kernel.run<float>();
  for (unsigned r = 0; r < 32; ++r)
    for (unsigned c = 0; c < 24; ++c)
      ASSERT_EQ(out[r * 24 + c], in[r - c + 23]) << r << ", " << c;
}

} // namespace
