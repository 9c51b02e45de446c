//===- MatrixMultiplyTest.cpp - products of tiles, executed ---------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small integers are exact in 16 bits and their sums in f32, so every product
// has one right answer. Products of f32 are of numbers with all their bits:
// exact ones have one answer as well, as the order of their sums is the
// depth's.
//
//===----------------------------------------------------------------------===//

#include "../Tolerances.h"
#include "TileKernel.h"

#include <cmath>
#include <cstring>

using namespace goat::test;

namespace {

enum class Element { BF16, F16, Exact, TF32, RoundedTF32 };

struct Product {
  unsigned rows, columns, depth, warps;
  bool transposed, swizzled, registers;
  Element element;
  /// Columns of b, 0 for those of the accumulator.
  unsigned storedColumns = 0;
};

void PrintTo(const Product &p, std::ostream *stream) {
  *stream << p.rows << "x" << p.columns << "x" << p.depth << " warps "
          << p.warps << (p.transposed ? " transposed" : "")
          << (p.swizzled ? " swizzled" : "")
          << (p.registers ? " A in registers" : "") << " element "
          << static_cast<int>(p.element);
}

/// A float rounded to nearest, ties away from zero, to 10 bits of fraction.
float roundToTF32(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  bits = (bits + 0x1000) & 0xffffe000;
  std::memcpy(&value, &bits, sizeof(bits));
  return value;
}

class MatrixMultiply : public testing::TestWithParam<Product> {};

TEST_P(MatrixMultiply, IsRight) {
  Product p = GetParam();
  const bool isTF32 =
      p.element == Element::TF32 || p.element == Element::RoundedTF32;
  const bool isF32 = isTF32 || p.element == Element::Exact;
  auto draw = [state = 1u, isF32]() mutable -> float {
    state = state * 1664525u + 1013904223u;
    return isF32 ? static_cast<float>(static_cast<int32_t>(state) * 0x1p-31)
                 : static_cast<float>(static_cast<int>(state >> 24) % 9 - 4);
  };
  const unsigned bRows = p.transposed ? p.columns : p.depth;
  const unsigned bColumns = p.transposed      ? p.depth
                            : p.storedColumns ? p.storedColumns
                                              : p.columns;
  std::vector<float> a(p.rows * p.depth), b(bRows * bColumns);
  for (std::vector<float> *matrix : {&a, &b})
    for (float &x : *matrix)
      x = draw();
  auto elementOfB = [&](unsigned k, unsigned n) {
    return p.transposed ? b[n * bColumns + k] : b[k * bColumns + n];
  };

  std::map<std::string, std::string> values = {
      {"M", std::to_string(p.rows)},
      {"N", std::to_string(p.columns)},
      {"K", std::to_string(p.depth)},
      {"T", isF32                        ? "f32"
            : p.element == Element::BF16 ? "bf16"
                                         : "f16"},
      {"W", std::to_string(p.warps)},
      {"BR", std::to_string(bRows)},
      {"BC", std::to_string(bColumns)},
      {"S", p.swizzled ? ", swizzled" : ""},
      {"ENC", "#goat_tile.mma<warps = " + std::to_string(p.warps) + ">"},
      {"OP", std::string(isF32 ? "#goat_tile.mma" : "#goat_tile.mma_operand") +
                 "<warps = " + std::to_string(p.warps) + ">"},
  };
  std::string product = p.element == Element::Exact ? "exact" : "tf32";
  product =
      isF32 ? "f32_product = #goat_tile.f32_product<" + product + ">" : "";
  if (p.element == Element::RoundedTF32)
    product += ", rounded";
  std::string attributes = p.transposed ? "b_transposed" : "";
  attributes += (p.transposed && isF32 ? ", " : "") + product;
  values["X"] = attributes.empty() ? "" : "{" + attributes + "}";
  std::string body = R"(
    %c0 = arith.constant 0 : i32
    %m = arith.constant $M : i32
    %k = arith.constant $K : i64
    %n = arith.constant $N : i64
    %br = arith.constant $BR : i32
    %bc = arith.constant $BC : i64
    %r = goat_tile.iota : tensor<$Mxi32, #goat_tile.slice<axis = 1, $ENC>>
    %t = arith.constant dense<true> : tensor<$Mxi1, #goat_tile.slice<axis = 1, $ENC>>
    %bs = goat_tile.alloc : !goat_tile.buffer<$BRx$BCx$T$S>
    %tb = goat_tile.copy_async %b[%c0 to %br] stride(%bc) into %bs : !goat_tile.ptr<$T>, !goat_tile.buffer<$BRx$BCx$T$S>
  )";
  if (p.registers)
    body += R"(
    %ra = goat_tile.iota : tensor<$Mxi32, #goat_tile.slice<axis = 1, $OP>>
    %ma = arith.constant dense<true> : tensor<$Mxi1, #goat_tile.slice<axis = 1, $OP>>
    %as = goat_tile.load_rows %a[%ra] masked(%ma) stride(%k) : !goat_tile.ptr<$T>, tensor<$Mxi32, #goat_tile.slice<axis = 1, $OP>>, tensor<$Mxi1, #goat_tile.slice<axis = 1, $OP>> -> tensor<$Mx$Kx$T, $OP>
    %g = goat_tile.commit %tb
  )";
  else
    body += R"(
    %as = goat_tile.alloc : !goat_tile.buffer<$Mx$Kx$T$S>
    %ta = goat_tile.copy_async %a[%c0 to %m] stride(%k) into %as : !goat_tile.ptr<$T>, !goat_tile.buffer<$Mx$Kx$T$S>
    %g = goat_tile.commit %ta, %tb
  )";
  values["AT"] =
      p.registers ? "tensor<$Mx$Kx$T, $OP>" : "!goat_tile.buffer<$Mx$Kx$T$S>";
  values["AT"] = fill(values["AT"], values);
  body += "    goat_tile.wait %g pending = 0\n";
  if (p.element == Element::RoundedTF32) {
    body += "    goat_tile.round_tf32 %bs : !goat_tile.buffer<$BRx$BCx$T$S>\n";
    if (!p.registers)
      body += "    goat_tile.round_tf32 %as : $AT\n";
  }
  body += R"(
    goat_tile.barrier
    %z = arith.constant dense<1.0> : tensor<$Mx$Nxf32, $ENC>
    %p = goat_tile.mma %as, %bs, %z $X : $AT, !goat_tile.buffer<$BRx$BCx$T$S> -> tensor<$Mx$Nxf32, $ENC>
    goat_tile.store_rows %p, %out[%r] masked(%t) stride(%n) : tensor<$Mx$Nxf32, $ENC>, !goat_tile.ptr<f32>, tensor<$Mxi32, #goat_tile.slice<axis = 1, $ENC>>, tensor<$Mxi1, #goat_tile.slice<axis = 1, $ENC>>
  )";
  TileKernel kernel(32 * p.warps,
                    fill("%a: !goat_tile.ptr<$T>, %b: !goat_tile.ptr<$T>, "
                         "%out: !goat_tile.ptr<f32>",
                         values),
                    fill(body, values));
  for (const std::vector<float> &matrix : {a, b}) {
    std::vector<uint16_t> halves;
    if (!isF32)
      for (float x : matrix)
        halves.push_back(p.element == Element::BF16 ? toBf16(x) : toF16(x));
    isF32 ? kernel.input(matrix) : kernel.input(halves);
  }
  kernel.output(4 * p.rows * p.columns);
  std::vector<float> result = kernel.run<float>();
  ASSERT_EQ(result.size(), size_t(p.rows) * p.columns);
  for (unsigned i = 0; i < p.rows; ++i)
    for (unsigned j = 0; j < p.columns; ++j) {
      float sum = 1;
      double inTF32 = 1, size = 1;
      for (unsigned k = 0; k < p.depth; ++k) {
        float x = a[i * p.depth + k], y = elementOfB(k, j);
        sum = std::fma(x, y, sum);
        double term = double(roundToTF32(x)) * roundToTF32(y);
        inTF32 += term;
        size += std::abs(term);
      }
      float found = result[i * p.columns + j];
      if (isTF32)
        ASSERT_NEAR(found, inTF32, goat::tolerances::sumOfF32 * size)
            << i << ", " << j;
      else
        ASSERT_EQ(found, sum) << i << ", " << j;
    }
  // Rows of 128 bytes and more, swizzled, meet each bank once.
  // In f32 exactly so does every row, and in tf32 those of a b that stands
  // beside registers.
  bool isSpread =
      p.element == Element::Exact || (p.depth % 64 == 0 && bColumns % 64 == 0);
  if (p.swizzled && isSpread) {
    EXPECT_EQ(kernel.getCounts().bankConflicts, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, MatrixMultiply,
    testing::Values(
        Product{16, 16, 16, 1, true, false, false, Element::BF16},
        Product{16, 8, 16, 1, false, false, true, Element::F16},
        Product{16, 24, 32, 1, true, true, false, Element::BF16},
        Product{64, 64, 64, 4, true, true, false, Element::BF16},
        Product{64, 64, 64, 2, false, true, true, Element::F16},
        Product{128, 64, 128, 4, true, true, false, Element::F16},
        Product{64, 128, 64, 4, false, true, true, Element::BF16},
        Product{32, 96, 96, 2, true, true, false, Element::BF16},
        Product{32, 96, 32, 1, false, true, true, Element::BF16},
        Product{64, 80, 80, 4, true, true, false, Element::F16},
        Product{64, 80, 48, 4, false, true, true, Element::BF16},
        Product{16, 256, 256, 1, true, true, true, Element::BF16},
        Product{64, 72, 16, 4, false, false, false, Element::BF16},
        Product{64, 64, 32, 4, false, true, true, Element::BF16, 96},
        Product{16, 16, 8, 1, true, true, false, Element::TF32},
        Product{64, 48, 64, 4, true, true, false, Element::TF32},
        Product{64, 64, 64, 2, false, true, true, Element::TF32},
        Product{32, 40, 24, 1, false, true, true, Element::TF32, 64},
        Product{64, 72, 40, 4, true, true, false, Element::TF32},
        Product{32, 24, 16, 1, true, true, true, Element::TF32},
        Product{16, 24, 16, 1, false, false, false, Element::TF32},
        Product{16, 256, 128, 1, false, true, true, Element::TF32},
        Product{64, 48, 64, 4, true, true, false, Element::RoundedTF32},
        Product{128, 64, 40, 8, true, true, false, Element::RoundedTF32},
        Product{64, 40, 64, 2, false, true, true, Element::RoundedTF32, 64},
        Product{32, 24, 16, 1, true, false, false, Element::RoundedTF32},
        Product{16, 16, 8, 1, true, true, false, Element::Exact},
        Product{64, 48, 40, 2, true, true, false, Element::Exact},
        Product{64, 64, 32, 4, true, true, false, Element::Exact},
        Product{64, 72, 32, 2, false, true, true, Element::Exact},
        Product{32, 16, 24, 2, false, true, true, Element::Exact, 32},
        Product{16, 24, 16, 1, true, true, true, Element::Exact},
        Product{16, 40, 8, 1, false, true, false, Element::Exact},
        Product{32, 24, 16, 1, true, false, false, Element::Exact}));

} // namespace
