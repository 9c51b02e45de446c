//===- CopyTest.cpp - rows of matrices, executed --------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows past the end and columns left out, for plain and asynchronous copies.
// The simulator finds every access outside the matrices.
//
//===----------------------------------------------------------------------===//

#include "TileKernel.h"

using namespace goat::test;

namespace {

std::vector<uint16_t> numbers(size_t count) {
  std::vector<uint16_t> values;
  for (size_t i = 0; i < count; ++i)
    values.push_back(toBf16(float(i % 251) - 125));
  return values;
}

/// Rows 3, 4, … of a 20×`stride` matrix through a 32×`width` tile of which
/// `columns` columns are read and written, `alignment` bytes at a time, each
/// `columnStride` elements after the one before.
void copyRows(unsigned width, unsigned columns, unsigned stride,
              unsigned alignment = 16, unsigned columnStride = 1) {
  std::map<std::string, std::string> values = {
      {"ATTRIBUTES", "{alignment = " + std::to_string(alignment) +
                         " : i64, columns = " + std::to_string(columns) +
                         " : i64}"},
      {"APART", columnStride == 1 ? "" : "column_stride(%apart)"},
      {"STEP", std::to_string(columnStride)},
      {"WIDTH", std::to_string(width)},
      {"TILE", "tensor<32x" + std::to_string(width) +
                   "xbf16, #goat_tile.mma<warps = 2>>"},
      {"ROW", "#goat_tile.slice<axis = 1, #goat_tile.mma<warps = 2>>"}};
  TileKernel kernel(64,
                    "%in: !goat_tile.ptr<bf16>, %out: !goat_tile.ptr<bf16>, "
                    "%rows: i32, %stride: i64",
                    fill(R"(
    %i = goat_tile.iota : tensor<32xi32, $ROW>
    %three = arith.constant dense<3> : tensor<32xi32, $ROW>
    %r = arith.addi %i, %three : tensor<32xi32, $ROW>
    %n = goat_tile.splat %rows : i32 -> tensor<32xi32, $ROW>
    %ok = arith.cmpi slt, %r, %n : tensor<32xi32, $ROW>
    %apart = arith.constant $STEP : i64
    %t = goat_tile.load_rows %in[%r] masked(%ok) stride(%stride) $APART $ATTRIBUTES : !goat_tile.ptr<bf16>, tensor<32xi32, $ROW>, tensor<32xi1, $ROW> -> $TILE
    %f = arith.extf %t : $TILE to tensor<32x$WIDTHxf32, #goat_tile.mma<warps = 2>>
    %g = arith.negf %f : tensor<32x$WIDTHxf32, #goat_tile.mma<warps = 2>>
    %h = arith.truncf %g : tensor<32x$WIDTHxf32, #goat_tile.mma<warps = 2>> to $TILE
    goat_tile.store_rows %h, %out[%r] masked(%ok) stride(%stride) $APART $ATTRIBUTES : $TILE, !goat_tile.ptr<bf16>, tensor<32xi32, $ROW>, tensor<32xi1, $ROW>
  )",
                         values));
  std::vector<uint16_t> in = numbers(20 * stride);
  kernel.input(in).output(2 * in.size()).scalar(20).scalar64(stride);
  std::vector<uint16_t> out = kernel.run<uint16_t>();
  for (unsigned r = 0; r < 20; ++r)
    for (unsigned c = 0; c < stride; ++c) {
      float expected =
          r < 3 || c % columnStride != 0 || c >= columns * columnStride
              ? 0.0f
              : -fromBf16(in[r * stride + c]);
      ASSERT_EQ(fromBf16(out[r * stride + c]), expected) << r << ", " << c;
    }
}

TEST(Rows, WholeTile) { copyRows(24, 24, 24); }
TEST(Rows, SomeColumns) { copyRows(32, 24, 24); }
TEST(Rows, OddColumns) { copyRows(16, 11, 24); }
TEST(Rows, LongStride) { copyRows(8, 8, 72); }
TEST(Rows, OfFourBytes) { copyRows(16, 10, 10, 4); }
TEST(Rows, OfTwoBytes) { copyRows(16, 11, 11, 2); }
TEST(Rows, ColumnsApart) { copyRows(16, 5, 17, 2, 3); }

/// Rows from `first` of a matrix of `rows` rows into a buffer of
/// `bufferRows`×`width`, and out of it by a product with the unit matrix.
void copyAsync(unsigned bufferRows, unsigned width, unsigned columns, int first,
               int rows, unsigned threads, bool swizzled,
               unsigned alignment = 16, unsigned columnStride = 1) {
  std::map<std::string, std::string> values = {
      {"PITCH", std::to_string(columns * columnStride)},
      {"APART", columnStride == 1 ? "" : "column_stride(%apart)"},
      {"STEP", std::to_string(columnStride)},
      {"ALIGNMENT", std::to_string(alignment)},
      {"R", std::to_string(bufferRows)},
      {"WIDTH", std::to_string(width)},
      {"COLUMNS", std::to_string(columns)},
      {"BUF", "!goat_tile.buffer<" + std::to_string(bufferRows) + "x" +
                  std::to_string(width) + "xbf16" +
                  (swizzled ? ", swizzled>" : ">")},
      {"MMA", "#goat_tile.mma<warps = " + std::to_string(threads / 32) + ">"},
      {"ONE",
       "#goat_tile.mma_operand<warps = " + std::to_string(threads / 32) + ">"}};
  // The unit matrix as A needs R rows and R columns in each warp's registers.
  TileKernel kernel(threads,
                    "%in: !goat_tile.ptr<bf16>, %out: !goat_tile.ptr<f32>, "
                    "%first: i32, %rows: i32",
                    fill(R"(
    %stride = arith.constant $PITCH : i64
    %apart = arith.constant $STEP : i64
    %width = arith.constant $WIDTH : i64
    %b = goat_tile.alloc : $BUF
    %t = goat_tile.copy_async %in[%first to %rows] stride(%stride) $APART into %b {alignment = $ALIGNMENT : i64, columns = $COLUMNS : i64} : !goat_tile.ptr<bf16>, $BUF
    %g = goat_tile.commit %t
    goat_tile.wait %g pending = 0
    goat_tile.barrier
    %r = goat_tile.iota : tensor<$Rxi32, #goat_tile.slice<axis = 1, $ONE>>
    %c = goat_tile.iota : tensor<$Rxi32, #goat_tile.slice<axis = 0, $ONE>>
    %re = goat_tile.expand %r axis = 1 : tensor<$Rxi32, #goat_tile.slice<axis = 1, $ONE>> -> tensor<$Rx$Rxi32, $ONE>
    %ce = goat_tile.expand %c axis = 0 : tensor<$Rxi32, #goat_tile.slice<axis = 0, $ONE>> -> tensor<$Rx$Rxi32, $ONE>
    %eq = arith.cmpi eq, %re, %ce : tensor<$Rx$Rxi32, $ONE>
    %one = arith.uitofp %eq : tensor<$Rx$Rxi1, $ONE> to tensor<$Rx$Rxf32, $ONE>
    %unit = arith.truncf %one : tensor<$Rx$Rxf32, $ONE> to tensor<$Rx$Rxbf16, $ONE>
    %z = arith.constant dense<0.0> : tensor<$Rx$WIDTHxf32, $MMA>
    %p = goat_tile.mma %unit, %b, %z : tensor<$Rx$Rxbf16, $ONE>, $BUF -> tensor<$Rx$WIDTHxf32, $MMA>
    %i = goat_tile.iota : tensor<$Rxi32, #goat_tile.slice<axis = 1, $MMA>>
    %m = arith.constant dense<true> : tensor<$Rxi1, #goat_tile.slice<axis = 1, $MMA>>
    goat_tile.store_rows %p, %out[%i] masked(%m) stride(%width) : tensor<$Rx$WIDTHxf32, $MMA>, !goat_tile.ptr<f32>, tensor<$Rxi32, #goat_tile.slice<axis = 1, $MMA>>, tensor<$Rxi1, #goat_tile.slice<axis = 1, $MMA>>
  )",
                         values));
  const size_t pitch = columns * columnStride;
  std::vector<uint16_t> in = numbers(std::max(rows, 1) * pitch);
  kernel.input(in)
      .output(4 * bufferRows * width, 0xff)
      .scalar(first)
      .scalar(rows);
  std::vector<float> out = kernel.run<float>();
  for (unsigned r = 0; r < bufferRows; ++r)
    for (unsigned c = 0; c < width; ++c) {
      int row = first + int(r);
      float expected = row < rows && c < columns
                           ? fromBf16(in[row * pitch + c * columnStride])
                           : 0.0f;
      ASSERT_EQ(out[r * width + c], expected) << r << ", " << c;
    }
}

TEST(CopyAsync, Whole) { copyAsync(64, 64, 64, 0, 64, 128, true); }
TEST(CopyAsync, RowsEnd) { copyAsync(64, 64, 64, 10, 33, 128, true); }
TEST(CopyAsync, NoRows) { copyAsync(32, 64, 64, 5, 5, 64, true); }
TEST(CopyAsync, SomeColumns) { copyAsync(32, 64, 40, 0, 32, 64, true); }
TEST(CopyAsync, ThreeChunkRows) { copyAsync(16, 24, 24, 2, 15, 32, false); }
TEST(CopyAsync, Panels) { copyAsync(32, 96, 96, 1, 40, 64, true); }
TEST(CopyAsync, MoreThreadsThanChunks) {
  copyAsync(64, 16, 16, 0, 64, 128, true);
}
TEST(CopyAsync, PiecesOfEight) { copyAsync(32, 64, 36, 1, 20, 64, true, 8); }
TEST(CopyAsync, PiecesOfFour) { copyAsync(32, 96, 90, 3, 35, 64, true, 4); }
TEST(CopyAsync, PiecesOfTwo) { copyAsync(32, 80, 67, 3, 30, 64, true, 2); }
TEST(CopyAsync, OneColumn) { copyAsync(16, 16, 1, 0, 9, 32, true, 2); }
TEST(CopyAsync, ColumnsApart) { copyAsync(32, 32, 23, 1, 30, 64, true, 2, 3); }
TEST(CopyAsync, FewRowsAtOnce) { copyAsync(32, 256, 256, 0, 32, 64, true); }

} // namespace
