//===- ComparisonTest.cpp - what passes for right -------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors that a mean over the output hides, or a large input excuses, are seen.
//
//===----------------------------------------------------------------------===//

#include "goat/Runtime/Comparison.h"
#include "goat/Dialect/Goat/IR/GoatDialect.h"
#include "goat/Runtime/Tolerances.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace goat;
using namespace goat::runtime;

static const double infinity = std::numeric_limits<double>::infinity();
static const Precision lse{DType::F32, /*isLse=*/true};

/// Whether `expected`, changed by `change`, is still right.
static bool isRight(const Tensor &expected, const Precision &precision,
                    llvm::function_ref<void(Tensor &)> change,
                    llvm::ArrayRef<double> magnitudes = {}) {
  Tensor actual = expected;
  change(actual);
  return compare(actual, expected, boundsOf(expected, precision, magnitudes))
      .isWithin;
}

/// 100 rows of four elements, all 1.
static Tensor ones() { return {{1, 1, 100, 4}, std::vector<double>(400, 1.0)}; }

TEST(Comparison, Figures) {
  Tensor expected{{1, 3}, {3, 4, -infinity}};
  Bounds bounds = boundsOf(expected, {DType::BF16});
  Comparison same = compare(expected, expected, bounds);
  EXPECT_EQ(same.relativeL2, 0);
  EXPECT_TRUE(same.isWithin);

  Comparison off = compare({{1, 3}, {3.1, 4, -infinity}}, expected, bounds);
  EXPECT_NEAR(off.relativeL2, 0.1 / 5, 1e-12);
  EXPECT_NEAR(off.maxAbs, 0.1, 1e-12);
  EXPECT_NEAR(off.worstRowError, 0.1, 1e-12);
  EXPECT_NEAR(off.worstRowBound, 20 * tolerances::bf16, 1e-12);
  EXPECT_EQ(off.worstRow, (llvm::SmallVector<int64_t>{0}));
  EXPECT_EQ(off.tolerance, tolerances::bf16);
  EXPECT_FALSE(off.isWithin);
}

TEST(Comparison, TheWholeIsBounded) {
  for (double part : {0.999, 1.001})
    EXPECT_EQ(isRight(ones(), {DType::BF16},
                      [&](Tensor &x) {
                        for (double &element : x.data)
                          element += part * tolerances::bf16;
                      }),
              part < 1);
}

TEST(Comparison, EveryRowIsBounded) {
  // Far below the tolerance of the whole: 4e-3 of a norm of 20.
  for (double part : {0.999, 1.001})
    EXPECT_EQ(isRight(ones(), {DType::BF16},
                      [&](Tensor &x) {
                        x.data[4 * 37 + 2] +=
                            part * 2 * tolerances::rowFactor * tolerances::bf16;
                      }),
              part < 1);
  Tensor expected = ones(), actual = expected;
  actual.data[4 * 37 + 2] = 1.05;
  Comparison found =
      compare(actual, expected, boundsOf(expected, {DType::BF16}));
  EXPECT_LT(found.relativeL2, found.tolerance);
  EXPECT_FALSE(found.isWithin);
  EXPECT_EQ(found.worstRow, (llvm::SmallVector<int64_t>{0, 0, 37}));
}

TEST(Comparison, RowOfZerosIsZeros) {
  Tensor expected = ones();
  for (int lane = 0; lane < 4; ++lane)
    expected.data[4 * 11 + lane] = 0;
  EXPECT_TRUE(isRight(expected, {DType::BF16}, [](Tensor &) {}));
  EXPECT_FALSE(isRight(expected, {DType::BF16},
                       [](Tensor &x) { x.data[4 * 11] = 1e-30; }));
}

TEST(Comparison, ATinyRowMayUnderflowInF16) {
  Tensor expected{{2, 2}, {1e-9, 1e-9, 1.0, 1.0}};
  Tensor stored{{2, 2}, {0.0, 0.0, 1.0, 1.0}};
  EXPECT_TRUE(
      compare(stored, expected, boundsOf(expected, {DType::F16})).isWithin);
  EXPECT_FALSE(
      compare(stored, expected, boundsOf(expected, {DType::BF16})).isWithin);
  // A row well above the smallest number is not excused.
  Tensor larger{{2, 2}, {1e-6, 1e-6, 1.0, 1.0}};
  EXPECT_FALSE(
      compare(stored, larger, boundsOf(larger, {DType::F16})).isWithin);
}

TEST(Comparison, CancellationIsMeasuredByTheRowsValues) {
  const int width = tolerances::narrowRow;
  Tensor expected{{2, width}, std::vector<double>(2 * width, 0.0)};
  expected.data[0] = 1e-18;
  expected.data[width] = -2e-18;
  auto change = [](Tensor &x) { x.data[0] = 3e-7; };
  EXPECT_TRUE(isRight(expected, {DType::BF16}, change, {1, 0}));
  EXPECT_FALSE(isRight(expected, {DType::BF16}, change, {0, 1}));
  EXPECT_FALSE(isRight(expected, {DType::BF16}, change, {0.1, 1}));
}

TEST(Comparison, NarrowRowsAreMeasuredByTheValuesTheyMayRead) {
  const int least = tolerances::narrowRow;
  for (auto [width, part] : {std::pair(3, 0.999), std::pair(least - 1, 1.001),
                             std::pair(least, 0.5)}) {
    const double bound = tolerances::bf16 * std::sqrt(width) * 3;
    Tensor expected{{1, width}, std::vector<double>(width, 0.0)};
    Tensor actual = expected;
    actual.data[1] = part * bound;
    EXPECT_EQ(
        compare(actual, expected, boundsOf(expected, {DType::BF16}, {3.0}))
            .isWithin,
        width < least && part < 1);
  }
}

TEST(Comparison, EveryLseIsBounded) {
  // Of a norm near 1e6 an error of 1 would be lost.
  Tensor expected{{1, 1, 4}, {1e6, 0.5, -20, -infinity}};
  const double unit = tolerances::lse + tolerances::score;
  for (double part : {0.999, 1.001}) {
    auto rightWith = [&](int at, double error) {
      return isRight(expected, lse,
                     [&](Tensor &x) { x.data[at] += part * error; });
    };
    EXPECT_EQ(rightWith(0, 1e6 * unit), part < 1);
    EXPECT_EQ(rightWith(1, unit), part < 1);
    EXPECT_EQ(rightWith(2, -20 * unit), part < 1);
  }
}

TEST(Comparison, AnF32OutputIsBoundedByHowItIsMultiplied) {
  Precision exact{DType::F32}, tf32{DType::F32}, priors{DType::F32};
  tf32.isTF32 = priors.hasPriors = true;
  for (auto [precision, unit] :
       {std::pair(exact, tolerances::f32), std::pair(tf32, tolerances::tf32),
        std::pair(priors, tolerances::f32 + tolerances::score)})
    for (double part : {0.999, 1.001})
      EXPECT_EQ(isRight(ones(), precision,
                        [part = part, unit = unit](Tensor &x) {
                          for (double &element : x.data)
                            element += part * unit;
                        }),
                part < 1);
  // What tf32 rounds, an exclusion may leave.
  Tensor expected{{2, 1}, {1e-18, -2e-18}};
  auto change = [](Tensor &x) { x.data[0] = 4e-4; };
  EXPECT_TRUE(isRight(expected, tf32, change, {1, 0}));
  EXPECT_FALSE(isRight(expected, exact, change, {1, 0}));
  // And an lse.
  Tensor rows{{1, 2}, {0.5, -0.25}};
  auto move = [](Tensor &x) { x.data[1] += 9e-4; };
  Precision tf32Lse = lse;
  tf32Lse.isTF32 = true;
  EXPECT_TRUE(isRight(rows, tf32Lse, move));
  EXPECT_FALSE(isRight(rows, lse, move));
}

TEST(Comparison, SeesWhatIsNotFinite) {
  Tensor expected{{2}, {1, -infinity}};
  for (const Precision &precision : {Precision{DType::BF16}, lse}) {
    for (double wrong : {std::nan(""), infinity, 0.0, -1e30})
      EXPECT_FALSE(
          isRight(expected, precision, [=](Tensor &x) { x.data[1] = wrong; }));
    EXPECT_FALSE(isRight(expected, precision,
                         [](Tensor &x) { x.data[0] = std::nan(""); }));
  }
}

TEST(Comparison, EmptyOutputsAreRight) {
  for (llvm::SmallVector<int64_t> shape :
       {llvm::SmallVector<int64_t>{0, 2, 3, 8}, {1, 2, 0, 8}})
    EXPECT_TRUE(isRight({shape, {}}, {DType::BF16}, [](Tensor &) {}));
}

/// A layer of two query heads on one key head whose other input is an offset.
static std::string layerText(const std::string &exclusion) {
  return R"(
!q = tensor<1x2x2x8xbf16>
!k = tensor<1x1x2x8xbf16>
!lse = tensor<1x2x2xf32>
func.func @f(%q: !q, %k: !k, %v: !k, %at: i32, %lengths: tensor<1xi32>)
    -> (!q, !lse) {
  %out, %lse = goat.attention %q, %k, %v q_offset(%at : i32)
    k_lengths(%lengths : tensor<1xi32>) )" +
         exclusion + R"( : (!q, !k, !k) -> (!q, !lse)
  return %out, %lse : !q, !lse
})";
}

/// The bounds on rows of out, all of whose elements are 0; row (0, 1, 0) sees
/// no key.
static std::vector<double> boundsOfLayer(const std::string &exclusion) {
  mlir::MLIRContext context;
  context.loadDialect<GoatDialect, mlir::arith::ArithDialect,
                      mlir::func::FuncDialect>();
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>(layerText(exclusion), &context);
  std::vector<double> values(16, -3.0);
  values[8] = 1e30; // past the length
  std::vector<double> large(32, 1e9);
  llvm::Expected<Bounds> bounds =
      boundsOf(*module->getOps<mlir::func::FuncOp>().begin(), 0,
               {{{1, 2, 2, 8}, large},
                {{1, 1, 2, 8}, {large.begin(), large.begin() + 16}},
                {{1, 1, 2, 8}, values},
                {{}, {131071}},
                {{1}, {1}}},
               {{{1, 2, 2, 8}, std::vector<double>(32, 0.0)},
                {{1, 2, 2}, {0, 0, -infinity, 0}}});
  EXPECT_EQ(bounds->rows.shape, (llvm::SmallVector<int64_t>{1, 2, 2}));
  return bounds->rows.data;
}

TEST(Comparison, LargeInputsExcuseNothing) {
  EXPECT_EQ(boundsOfLayer(""), (std::vector<double>{0, 0, 0, 0}));
}

TEST(Comparison, AnExclusionIsMeasuredByTheValuesItMayRead) {
  const double floor = tolerances::cancellation * std::sqrt(8.0) * 3.0;
  std::vector<double> bounds = boundsOfLayer(R"(exclude {
    ^bb0(%y: tensor<8xf32>, %own: tensor<8xf32>, %b: index, %h: index, %i: index):
      %z = goat.xsa %y, %own : tensor<8xf32>
      goat.yield %z : tensor<8xf32>
    })");
  ASSERT_EQ(bounds.size(), 4u);
  for (int row : {0, 1, 3})
    EXPECT_DOUBLE_EQ(bounds[row], floor);
  EXPECT_EQ(bounds[2], 0.0);
}
