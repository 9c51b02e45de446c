//===- ReferenceTest.cpp - what the reference does at the edges -----------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Semantics that the tables of cases and problems do not reach.
//
//===----------------------------------------------------------------------===//

#include "../Tolerances.h"
#include "Evaluate.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace goat;
using goat::reference::Tensor;
using goat::test::layer;
using goat::test::plainArguments;
using goat::test::refuse;
using testing::HasSubstr;

static constexpr double infinity = std::numeric_limits<double>::infinity();
static const double notANumber = std::nan("");

static void expectNear(const Tensor &tensor, std::vector<double> expected) {
  ASSERT_EQ(tensor.data.size(), expected.size());
  for (size_t at = 0; at < expected.size(); ++at) {
    if (std::isinf(expected[at]))
      EXPECT_EQ(tensor.data[at], expected[at]) << "at " << at;
    else
      EXPECT_NEAR(tensor.data[at], expected[at], tolerances::exactAnswer)
          << "at " << at;
  }
}

/// Results of a layer; two empty tensors after an error.
static std::vector<Tensor> run(const std::string &text,
                               const std::vector<Tensor> &arguments) {
  test::Evaluator evaluator;
  std::vector<Tensor> results = evaluator.evaluate(text, arguments);
  EXPECT_EQ(evaluator.messages, "");
  results.resize(2);
  return results;
}

//===----------------------------------------------------------------------===//
// Scale, offsets, lengths
//===----------------------------------------------------------------------===//

static std::vector<Tensor> scaleArguments(double scale) {
  std::vector<Tensor> arguments = plainArguments();
  arguments[0].data = {1, 0, 0, 2}; // q·k = 1 0 1 and 0 2 2
  arguments.push_back({{}, {scale}});
  return arguments;
}

TEST(Attention, ScaleOperandNegativeAndZero) {
  std::string text = layer("", "scale(%s)", ", %s: f32");
  double e = std::exp(-1.0), lse0 = std::log(2 * e + 1),
         lse1 = std::log(1 + 2 * e * e);
  std::vector<Tensor> results = run(text, scaleArguments(-1.0));
  expectNear(results[1], {lse0, lse1});
  expectNear(results[0],
             {4 * e / (2 * e + 1), (1 + 3 * e) / (2 * e + 1),
              (1 + 3 * e * e) / (1 + 2 * e * e), 4 * e * e / (1 + 2 * e * e)});
  results = run(text, scaleArguments(0.0));
  expectNear(results[1], {std::log(3.0), std::log(3.0)});
}

TEST(Attention, ScaleThatIsNotFinite) {
  std::string text = layer("", "scale(%s)", ", %s: f32");
  EXPECT_THAT(refuse(text, scaleArguments(notANumber)),
              HasSubstr("(C7) expected a finite scale"));
}

static const char *const causal = R"(mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %m = goat.causal_mask %b, %i, %j
    goat.yield %m : i1
  })";

/// Log-sum-exp counts the visible keys when all logits are 0.
static void expectVisible(const Tensor &lse, std::vector<double> counts) {
  for (double &count : counts)
    count = std::log(count);
  expectNear(lse, counts);
}

TEST(Attention, DefaultOffsetsAlignTheEnds) {
  expectVisible(run(layer(causal), plainArguments())[1], {2, 3});
}

TEST(Attention, OffsetAttributes) {
  expectVisible(run(layer(std::string(causal) +
                          " attributes {static_q_offset = -1 : i32, "
                          "static_k_offset = -2 : i32}"),
                    plainArguments())[1],
                {2, 3});
  expectVisible(run(layer(std::string(causal) +
                          " attributes {static_q_offset = 0 : i32}"),
                    plainArguments())[1],
                {1, 2});
}

TEST(Attention, LengthsMoveTheDefaultOffset) {
  std::vector<Tensor> arguments = plainArguments();
  arguments.push_back({{1}, {1}});
  arguments.push_back({{1}, {2}});
  std::vector<Tensor> results = run(
      layer(causal,
            "q_lengths(%n : tensor<1xi32>) k_lengths(%count : tensor<1xi32>)",
            ", %n: tensor<1xi32>, %count: tensor<1xi32>"),
      arguments);
  expectNear(results[1], {std::log(2.0), -infinity});
  expectNear(results[0], {0.5, 0.5, 0.0, 0.0});
}

/// A row past its length has no sink either, a masked one has.
TEST(Attention, SinkOfRowsWithoutKeys) {
  std::vector<Tensor> arguments = plainArguments();
  arguments.push_back({{1}, {1}});
  arguments.push_back({{1}, {0.75}});
  std::vector<Tensor> results =
      run(layer(R"(mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %m = arith.constant false
    goat.yield %m : i1
  })",
                "sink(%s : tensor<1xf32>) q_lengths(%n : tensor<1xi32>)",
                ", %n: tensor<1xi32>, %s: tensor<1xf32>"),
          arguments);
  expectNear(results[1], {0.75, -infinity});
  expectNear(results[0], {0, 0, 0, 0});
}

TEST(Attention, LengthOutOfRange) {
  std::vector<Tensor> arguments = plainArguments();
  arguments.push_back({{1}, {4}});
  EXPECT_THAT(
      refuse(layer("", "k_lengths(%m : tensor<1xi32>)", ", %m: tensor<1xi32>"),
             arguments),
      HasSubstr("(C9) expected k_lengths[0] to lie in [0, 3] but got "
                "4"));
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

/// "Masks" of −3.4e38 average the values, and never give NaN.
TEST(Attention, ScoresAreClampedFromBelow) {
  std::vector<Tensor> results = run(layer(R"(score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %t = arith.constant -3.4e38 : f32
    goat.yield %t : f32
  })"),
                                    plainArguments());
  expectNear(results[0], {4.0 / 3, 4.0 / 3, 4.0 / 3, 4.0 / 3});
  EXPECT_NEAR(results[1].data[0], -1e25, 1.0);
}

/// Parameters of shape (B, H', n) with H' below Hq: batch entry b and query
/// head h read row h·H'/Hq of entry b. One query and two keys whose logits are
/// u[b, h', j] + Σ_r α_r cos(ω_r δ) + β_r sin(ω_r δ), δ = 1 and 0.
TEST(Attention, ParametersPerBatchEntryAndGroup) {
  Tensor zeroQuery{{2, 4, 1, 1}, std::vector<double>(8, 0.0)};
  Tensor zeroKeys{{2, 2, 2, 1}, std::vector<double>(8, 0.0)};
  Tensor table{{2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7}};
  Tensor alpha{{2, 2, 1}, {0.5, -0.5, 1.5, -1.5}};
  Tensor beta{{2, 2, 1}, {0.25, 0.75, -0.25, -0.75}};
  Tensor omega{{1}, {0.5}};
  std::vector<Tensor> results =
      run(R"(
!p = tensor<2x2x1xf32>
func.func @f(%q: tensor<2x4x1x1xf32>, %k: tensor<2x2x2x1xf32>, %u: tensor<2x2x2xf32>,
             %alpha: !p, %beta: !p, %omega: tensor<1xf32>)
    -> (tensor<2x4x1x1xf32>, tensor<2x4x1xf32>) {
  %out, %lse = goat.attention %q, %k, %k score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %d = goat.distance %b, %i, %j
    %f = goat.fourier_prior %alpha, %beta, %omega at (%b, %h) distance %d : !p, !p, tensor<1xf32>
    %p = goat.key_prior %u at (%b, %h, %j) : tensor<2x2x2xf32>
    %t = arith.addf %f, %p : f32
    goat.yield %t : f32
  } : (tensor<2x4x1x1xf32>, tensor<2x2x2x1xf32>, tensor<2x2x2x1xf32>)
    -> (tensor<2x4x1x1xf32>, tensor<2x4x1xf32>)
  return %out, %lse : tensor<2x4x1x1xf32>, tensor<2x4x1xf32>
})",
          {zeroQuery, zeroKeys, table, alpha, beta, omega});
  std::vector<double> expected;
  for (size_t b = 0; b < 2; ++b)
    for (size_t h = 0; h < 4; ++h) {
      size_t row = 2 * b + h / 2;
      double far = table.data[2 * row] + alpha.data[row] * std::cos(0.5) +
                   beta.data[row] * std::sin(0.5);
      double near = table.data[2 * row + 1] + alpha.data[row];
      expected.push_back(std::log(std::exp(far) + std::exp(near)));
    }
  expectNear(results[1], expected);
}

/// A key that a mask hides has no part in the row, whatever it holds.
TEST(Attention, MaskedKeysAreNotRead) {
  std::vector<Tensor> arguments = plainArguments();
  arguments[1].data = {1, 0, 0, 1, notANumber, notANumber};
  arguments[2].data = {1, 0, 0, 1, infinity, notANumber};
  std::vector<Tensor> results = run(
      layer(std::string(causal) + " attributes {static_q_offset = 0 : i32}"),
      arguments);
  expectNear(results[0], {1, 0, 0.5, 0.5});
}

/// Index arithmetic and conversions of a score region, spelled with the
/// integer types a user might pick.
TEST(Attention, IntegerArithmeticInARegion) {
  // t = 0 for key 0, ln 2 for key 1, ln 4 for key 2: weights 1 : 2 : 4.
  std::vector<Tensor> results = run(layer(R"(score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %c1 = arith.constant 1 : i8
    %n = arith.index_cast %j : index to i8
    %p = arith.shli %c1, %n : i8
    %w = arith.extui %p : i8 to i32
    %f = arith.uitofp %w : i32 to f32
    %t = math.log %f : f32
    goat.yield %t : f32
  })"),
                                    plainArguments());
  expectNear(results[1], {std::log(7.0), std::log(7.0)});
  expectNear(results[0], {13.0 / 7, 2.0, 13.0 / 7, 2.0});
}

TEST(Attention, SignsOfSmallIntegers) {
  // 200 in i8 is −56; unsigned division of it by 2 gives 100, signed −28.
  test::Evaluator evaluator;
  std::vector<Tensor> results = evaluator.evaluate(R"(
func.func @f(%x: i8) -> (i8, i8, i32, i32, i1, i1, i8, i8) {
  %two = arith.constant 2 : i8
  %u = arith.divui %x, %two : i8
  %s = arith.divsi %x, %two : i8
  %eu = arith.extui %x : i8 to i32
  %es = arith.extsi %x : i8 to i32
  %lu = arith.cmpi ult, %x, %two : i8
  %ls = arith.cmpi slt, %x, %two : i8
  %fl = arith.floordivsi %x, %u : i8
  %ce = arith.ceildivsi %x, %u : i8
  return %u, %s, %eu, %es, %lu, %ls, %fl, %ce : i8, i8, i32, i32, i1, i1, i8, i8
})",
                                                   {{{}, {-56}}});
  const double expected[] = {100, -28, 200, -56, 0, 1, -1, 0};
  ASSERT_EQ(results.size(), 8u) << evaluator.messages;
  for (size_t n = 0; n < 8; ++n)
    EXPECT_EQ(results[n].data[0], expected[n]) << n;
}

/// Only arith.truncf rounds, to nearest even.
TEST(Function, TensorsElementwiseAndTruncation) {
  test::Evaluator evaluator;
  std::vector<Tensor> results =
      evaluator.evaluate(R"(
func.func @f(%x: tensor<?xf32>, %y: f32) -> (tensor<?xf32>, tensor<?xbf16>, index) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %s = tensor.splat %y[%n] : tensor<?xf32>
  %z = arith.addf %x, %s : tensor<?xf32>
  %t = arith.truncf %z : tensor<?xf32> to tensor<?xbf16>
  return %z, %t, %n : tensor<?xf32>, tensor<?xbf16>, index
})",
                         {{{2}, {1.0, 2.0}}, {{}, {0x1p-8}}});
  ASSERT_EQ(results.size(), 3u) << evaluator.messages;
  EXPECT_EQ(results[0].data, (std::vector<double>{1 + 0x1p-8, 2 + 0x1p-8}));
  EXPECT_EQ(results[1].data, (std::vector<double>{1.0, 2.0}));
  EXPECT_EQ(results[2].data, (std::vector<double>{2}));
}

TEST(Function, RoundTo) {
  MLIRContext context;
  EXPECT_EQ(reference::roundTo(BFloat16Type::get(&context), 1 + 0x1.8p-8),
            1 + 0x1p-7);
  EXPECT_EQ(reference::roundTo(BFloat16Type::get(&context), 1 + 0x1p-8), 1.0);
  EXPECT_EQ(reference::roundTo(Float16Type::get(&context), 70000.0), infinity);
  EXPECT_EQ(reference::roundTo(Float32Type::get(&context), 1 + 0x1p-25), 1.0);
  EXPECT_TRUE(
      std::isnan(reference::roundTo(Float16Type::get(&context), notANumber)));
}

//===----------------------------------------------------------------------===//
// Exclusions
//===----------------------------------------------------------------------===//

static std::string xsa(const std::string &attributes = "",
                       const std::string &strength = "") {
  return "exclude {\n  ^bb0(%y: !row, %own: !row, %b: index, %h: index, %i: "
         "index):\n    %half = arith.constant 0.5 : f32\n    %z = goat.xsa %y, "
         "%own " +
         strength + " " + attributes + " : !row\n    goat.yield %z : !row\n  }";
}

/// Rows own values (0, 1) and (3, 3); y = (4/3, 4/3).
TEST(Exclusion, OwnRowAndStrength) {
  expectNear(run(layer(xsa()), plainArguments())[0], {4.0 / 3, 0, 0, 0});
  expectNear(run(layer(xsa("", "strength(%half)")), plainArguments())[0],
             {4.0 / 3, 2.0 / 3, 2.0 / 3, 2.0 / 3});
}

TEST(Exclusion, EpsModes) {
  // n = 1 and 18, y·v = 4/3 and 8.
  expectNear(
      run(layer(xsa("{eps_mode = #goat.eps_mode<add>, eps = 2.0 : f32}")),
          plainArguments())[0],
      {4.0 / 3, 4.0 / 3 - 4.0 / 9, 4.0 / 3 - 1.2, 4.0 / 3 - 1.2});
  expectNear(
      run(layer(xsa("{eps_mode = #goat.eps_mode<clamp>, eps = 2.0 : f32}")),
          plainArguments())[0],
      {4.0 / 3, 2.0 / 3, 0, 0});
  std::vector<Tensor> arguments = plainArguments();
  arguments[2].data = {1, 0, 0, 0, 3, 3};
  expectNear(
      run(layer(xsa("{eps_mode = #goat.eps_mode<where>}")), arguments)[0],
      {4.0 / 3, 1, 1.0 / 6, -1.0 / 6});
}

/// The own row of query 0 lies before the first key: z = y there.
TEST(Exclusion, OwnRowOutOfRange) {
  std::vector<Tensor> arguments = plainArguments();
  arguments.push_back({{}, {-1}});
  expectNear(run(layer(xsa(), "q_offset(%o : i32)", ", %o: i32"), arguments)[0],
             {4.0 / 3, 4.0 / 3, 0, 4.0 / 3});
}

/// An exclusion that does not read the own row does not need one.
TEST(Exclusion, GateNeedsNoOwnRow) {
  std::vector<Tensor> arguments = plainArguments();
  arguments.push_back({{}, {-7}});
  expectNear(run(layer(R"(exclude {
  ^bb0(%y: !row, %own: !row, %b: index, %h: index, %i: index):
    %two = arith.constant dense<2.0> : !row
    %z = arith.mulf %y, %two : !row
    goat.yield %z : !row
  })",
                       "q_offset(%o : i32)", ", %o: i32"),
                 arguments)[0],
             {8.0 / 3, 8.0 / 3, 8.0 / 3, 8.0 / 3});
}

TEST(Exclusion, OwnRegionAndRowReductions) {
  // own = row 2 = (3, 3) for every query: z = y + sum + max = y + 6 + 3.
  expectNear(run(layer(R"(exclude {
  ^bb0(%y: !row, %own: !row, %b: index, %h: index, %i: index):
    %sum = goat.row_sum %own : !row
    %max = goat.row_max %own : !row
    %a = arith.addf %sum, %max : f32
    %s = tensor.splat %a : !row
    %z = arith.addf %y, %s : !row
    goat.yield %z : !row
  } own {
  ^bb0(%b: index, %h: index, %i: index):
    %c2 = arith.constant 2 : index
    goat.yield %c2 : index
  })"),
                 plainArguments())[0],
             {31.0 / 3, 31.0 / 3, 31.0 / 3, 31.0 / 3});
}

/// Shards of the keys, each with its offset, merge into the whole by lse.
TEST(Attention, RingShardsMerge) {
  std::vector<Tensor> arguments = plainArguments();
  arguments[0].data = {1, -0.5, 0.25, 2};
  std::vector<Tensor> whole = run(layer(causal), arguments);
  std::string shard = std::string(R"(
func.func @f(%q: tensor<1x1x2x2xf32>, %k: tensor<1x1x?x2xf32>,
             %v: tensor<1x1x?x2xf32>, %o: i32)
    -> (tensor<1x1x2x2xf32>, tensor<1x1x2xf32>) {
  %qo = arith.constant 1 : i32
  %out, %lse = goat.attention %q, %k, %v q_offset(%qo : i32) k_offset(%o : i32) )") +
                      causal + R"(
    : (tensor<1x1x2x2xf32>, tensor<1x1x?x2xf32>, tensor<1x1x?x2xf32>)
      -> (tensor<1x1x2x2xf32>, tensor<1x1x2xf32>)
  return %out, %lse : tensor<1x1x2x2xf32>, tensor<1x1x2xf32>
})";
  std::vector<Tensor> first = run(shard, {arguments[0],
                                          {{1, 1, 1, 2}, {1, 0}},
                                          {{1, 1, 1, 2}, {1, 0}},
                                          {{}, {0}}});
  std::vector<Tensor> second = run(shard, {arguments[0],
                                           {{1, 1, 2, 2}, {0, 1, 1, 1}},
                                           {{1, 1, 2, 2}, {0, 1, 3, 3}},
                                           {{}, {1}}});
  for (size_t i = 0; i < 2; ++i) {
    double a = first[1].data[i], b = second[1].data[i];
    double lse = std::log(std::exp(a) + std::exp(b));
    EXPECT_NEAR(lse, whole[1].data[i], tolerances::exactAnswer);
    for (size_t d = 0; d < 2; ++d)
      EXPECT_NEAR(std::exp(a - lse) * first[0].data[2 * i + d] +
                      std::exp(b - lse) * second[0].data[2 * i + d],
                  whole[0].data[2 * i + d], tolerances::exactAnswer);
  }
}
