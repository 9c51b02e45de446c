//===- LaunchPlanTest.cpp - strides, guards and variants ------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which variant a call takes, and which calls take none.
//
//===----------------------------------------------------------------------===//

#include "goat/Runtime/LaunchPlan.h"

#include "gtest/gtest.h"

using namespace goat;
using namespace goat::runtime;
using ptx::Guard;

namespace {

/// x (B, L, 8) and out of the same shape, both strided but for `isStrided`; the
/// fast variant wants rows of 16 bytes.
ptx::Kernel makeKernel(bool isStrided = true) {
  ptx::Kernel kernel;
  kernel.name = "copy";
  kernel.inputs = {
      {"x", ptx::DType::BF16, {std::nullopt, std::nullopt, 8}, isStrided}};
  kernel.outputs = {
      {"out",
       ptx::DType::BF16,
       {ptx::Expr(ptx::DimRef{0, 0}), ptx::Expr(ptx::DimRef{0, 1}), 8},
       std::nullopt,
       isStrided}};
  ptx::Variant fast, any;
  fast.name = "rows";
  any.name = "any";
  for (bool isOutput : {false, true}) {
    fast.guards.push_back(Guard::aligned(isOutput, 0, 16));
    for (int64_t axis : {0, 1})
      fast.guards.push_back(
          Guard::stride(Guard::Kind::StrideMultiple, isOutput, 0, axis, 8));
    fast.guards.push_back(
        Guard::stride(Guard::Kind::StrideEquals, isOutput, 0, 2, 1));
  }
  any.guards.push_back(Guard::less(ptx::Expr(ptx::DimRef{0, 1}), 100));
  kernel.variants = {fast, any};
  return kernel;
}

/// The name of the variant that a call takes, or the error.
std::string variantOf(const ptx::Kernel &kernel, const Shape &shape,
                      const CallStrides &strides, uint64_t input = 256,
                      uint64_t output = 512) {
  llvm::Expected<CallSizes> sizes = CallSizes::create(kernel, {shape}, strides);
  if (!sizes)
    return llvm::toString(sizes.takeError());
  llvm::Expected<const ptx::Variant *> variant =
      sizes->chooseVariant({input}, {output});
  return variant ? (*variant)->name : llvm::toString(variant.takeError());
}

TEST(LaunchPlan, TheFirstVariantThatTakesTheCallIsChosen) {
  ptx::Kernel kernel = makeKernel();
  EXPECT_EQ(variantOf(kernel, {2, 5, 8}, {}), "rows");
  EXPECT_EQ(variantOf(kernel, {2, 5, 8}, {{{8, 16, 1}}, {{80, 16, 1}}}),
            "rows");
  EXPECT_EQ(variantOf(kernel, {2, 5, 8}, {{{40, 8, 1}}, {{45, 9, 1}}}), "any");
  EXPECT_EQ(variantOf(kernel, {2, 5, 8}, {{{40, 1, 5}}}), "any");
  EXPECT_EQ(variantOf(kernel, {2, 5, 8}, {}, 258), "any");
  EXPECT_EQ(variantOf(kernel, {2, 5, 8}, {}, 256, 520), "any");
  // All queries may read one row.
  EXPECT_EQ(variantOf(kernel, {2, 5, 8}, {{{0, 0, 1}}}), "rows");
}

TEST(LaunchPlan, StridesOfOneIndexSayNothing) {
  ptx::Kernel kernel = makeKernel();
  EXPECT_EQ(variantOf(kernel, {1, 1, 8}, {{{3, 5, 1}}, {{1, 1, 1}}}), "rows");
  EXPECT_EQ(variantOf(kernel, {0, 5, 8}, {{{3, 8, 1}}, {{0, 8, 1}}}), "rows");
  EXPECT_EQ(variantOf(makeKernel(false), {1, 5, 8}, {{{7, 8, 1}}}), "rows");
}

TEST(LaunchPlan, StridesAreThoseOfTheCall) {
  ptx::Kernel kernel = makeKernel();
  llvm::Expected<CallSizes> sizes =
      CallSizes::create(kernel, {{1, 5, 8}}, {{{7, 24, 1}}});
  ASSERT_TRUE(bool(sizes));
  EXPECT_EQ(sizes->stridesOf(false, 0), (Shape{0, 24, 1}));
  EXPECT_EQ(sizes->stridesOf(true, 0), (Shape{0, 8, 1}));
  EXPECT_EQ(spanOf({1, 5, 8}, {0, 24, 1}), 104);
  EXPECT_EQ(spanOf({1, 0, 8}, {0, 24, 1}), 0);
}

TEST(LaunchPlan, RefusalsSayWhatToDo) {
  ptx::Kernel kernel = makeKernel();
  EXPECT_EQ(variantOf(kernel, {2, 5, 8}, {{{8, 1}}}),
            "expected 3 strides of 'x' but got 2");
  EXPECT_EQ(variantOf(kernel, {2, 5, 8}, {{{40, -8, 1}}}),
            "expected strides of at least 0 for 'x' but got 40, -8, 1; make it "
            "contiguous");
  EXPECT_EQ(variantOf(makeKernel(false), {2, 5, 8}, {{{8, 16, 1}}}),
            "expected 'x' to be contiguous but got strides 8, 16, 1; mark it "
            "goat.strided where the kernel is compiled, or make it contiguous");
  EXPECT_EQ(variantOf(kernel, {2, 5, 8}, {{}, {{32, 8, 1}}}),
            "expected the elements of 'out' not to overlap but got strides 32, "
            "8, 1 for 2x5x8");
  EXPECT_EQ(variantOf(kernel, {2, 5, 8}, {{}, {{40, 0, 1}}}),
            "expected the elements of 'out' not to overlap but got strides 40, "
            "0, 1 for 2x5x8");
  EXPECT_EQ(variantOf(kernel, {2, 100, 8}, {{{804, 8, 1}}}),
            "no variant of 'copy' takes these inputs; variant 'rows': the "
            "stride of axis 0 of 'x', 804, is not a multiple of 8; variant "
            "'any': 100 is not less than 100");
  EXPECT_EQ(variantOf(kernel, {2, 100, 8}, {{{1600, 16, 2}}}),
            "no variant of 'copy' takes these inputs; variant 'rows': the "
            "stride of axis 2 of 'x', 2, is not 1; variant 'any': 100 is not "
            "less than 100");
  llvm::Expected<CallSizes> sizes = CallSizes::create(kernel, {});
  ASSERT_FALSE(bool(sizes));
  EXPECT_EQ(llvm::toString(sizes.takeError()),
            "expected 1 inputs of 'copy' but got 0");
}

} // namespace
