//===- MatrixMultiplyTest.cpp - products of tiles, executed ---------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small integers are exact in 16 bits and their sums in f32, so every product
// has one right answer.
//
//===----------------------------------------------------------------------===//

#include "TileKernel.h"

using namespace goat::test;

namespace {

struct Product {
  unsigned rows, columns, depth, warps;
  bool transposed, swizzled, registers, bf16;
};

void PrintTo(const Product &p, std::ostream *stream) {
  *stream << p.rows << "x" << p.columns << "x" << p.depth << " warps "
          << p.warps << (p.transposed ? " transposed" : "")
          << (p.swizzled ? " swizzled" : "")
          << (p.registers ? " A in registers" : "")
          << (p.bf16 ? " bf16" : " f16");
}

class MatrixMultiply : public testing::TestWithParam<Product> {};

TEST_P(MatrixMultiply, IsExactOnIntegers) {
  Product p = GetParam();
  auto encode = p.bf16 ? toBf16 : toF16;
  auto draw = [state = 1u]() mutable {
    state = state * 1664525u + 1013904223u;
    return static_cast<int>(state >> 24) % 9 - 4;
  };
  std::vector<int> a(p.rows * p.depth), b(p.depth * p.columns);
  std::vector<uint16_t> aBits, bBits(b.size());
  for (int &x : a)
    aBits.push_back(encode(x = draw()));
  for (unsigned k = 0; k < p.depth; ++k)
    for (unsigned n = 0; n < p.columns; ++n) {
      int x = b[k * p.columns + n] = draw();
      bBits[p.transposed ? n * p.depth + k : k * p.columns + n] = encode(x);
    }

  std::map<std::string, std::string> values = {
      {"M", std::to_string(p.rows)},
      {"N", std::to_string(p.columns)},
      {"K", std::to_string(p.depth)},
      {"T", p.bf16 ? "bf16" : "f16"},
      {"W", std::to_string(p.warps)},
      {"BR", std::to_string(p.transposed ? p.columns : p.depth)},
      {"BC", std::to_string(p.transposed ? p.depth : p.columns)},
      {"S", p.swizzled ? ", swizzled" : ""},
      {"X", p.transposed ? "{b_transposed}" : ""},
      {"ENC", "#goat_tile.mma<warps = " + std::to_string(p.warps) + ">"},
      {"OP", "#goat_tile.mma_operand<warps = " + std::to_string(p.warps) + ">"},
  };
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
  body += R"(
    goat_tile.wait %g pending = 0
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
  kernel.input(aBits).input(bBits).output(4 * p.rows * p.columns);
  std::vector<float> result = kernel.run<float>();
  ASSERT_EQ(result.size(), size_t(p.rows) * p.columns);
  for (unsigned i = 0; i < p.rows; ++i)
    for (unsigned j = 0; j < p.columns; ++j) {
      int sum = 1;
      for (unsigned k = 0; k < p.depth; ++k)
        sum += a[i * p.depth + k] * b[k * p.columns + j];
      ASSERT_EQ(result[i * p.columns + j], sum) << i << ", " << j;
    }
  // Rows of 128 bytes and more, swizzled, meet each bank once.
  if (p.swizzled && p.depth % 64 == 0 && p.columns % 64 == 0) {
    EXPECT_EQ(kernel.getCounts().bankConflicts, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, MatrixMultiply,
    testing::Values(Product{16, 16, 16, 1, true, false, false, true},
                    Product{16, 8, 16, 1, false, false, true, false},
                    Product{16, 24, 32, 1, true, true, false, true},
                    Product{64, 64, 64, 4, true, true, false, true},
                    Product{64, 64, 64, 2, false, true, true, false},
                    Product{128, 64, 128, 4, true, true, false, false},
                    Product{64, 128, 64, 4, false, true, true, true},
                    Product{32, 96, 96, 2, true, true, false, true},
                    Product{32, 96, 32, 1, false, true, true, true},
                    Product{64, 80, 80, 4, true, true, false, false},
                    Product{64, 80, 48, 4, false, true, true, true},
                    Product{16, 256, 256, 1, true, true, true, true},
                    Product{64, 72, 16, 4, false, false, false, true}));

} // namespace
