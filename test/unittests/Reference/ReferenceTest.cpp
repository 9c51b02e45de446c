//===- ReferenceTest.cpp - what the reference does at the edges -----------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Semantics that the tables of cases and problems do not reach, and every
// error of the reference.
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
using testing::HasSubstr;

static constexpr double infinity = std::numeric_limits<double>::infinity();
static const double notANumber = std::nan("");

/// Types of a layer with one batch entry, one head, queries of two lanes.
static const char *const aliases = R"(
!q = tensor<1x1x2x2xf32>
!k = tensor<1x1x3x2xf32>
!lse = tensor<1x1x2xf32>
!row = tensor<2xf32>
)";

/// A layer of two queries and three keys; `operands` goes before the regions,
/// `rest` holds regions and attributes.
static std::string layer(const std::string &rest,
                         const std::string &operands = "",
                         const std::string &parameters = "") {
  return std::string(aliases) + "func.func @f(%q: !q, %k: !k, %v: !k" +
         parameters + ") -> (!q, !lse) {\n  %out, %lse = goat.attention " +
         "%q, %k, %v " + operands + " " + rest +
         " : (!q, !k, !k) -> (!q, !lse)\n  return %out, %lse : !q, !lse\n}";
}

/// q = 0, so that all keys weigh the same; values (1, 0), (0, 1), (3, 3).
static std::vector<Tensor> plainArguments() {
  return {{{1, 1, 2, 2}, {0, 0, 0, 0}},
          {{1, 1, 3, 2}, {1, 0, 0, 1, 1, 1}},
          {{1, 1, 3, 2}, {1, 0, 0, 1, 3, 3}}};
}

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

/// The error of a layer that is refused.
static std::string refuse(const std::string &text,
                          const std::vector<Tensor> &arguments) {
  test::Evaluator evaluator;
  EXPECT_TRUE(evaluator.evaluate(text, arguments).empty());
  return evaluator.messages;
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

//===----------------------------------------------------------------------===//
// Ops of other dialects
//===----------------------------------------------------------------------===//

namespace {

/// foreign.twice doubles a number: a prior of another dialect. What it is, it
/// says through PluginOpInterface only.
class TwiceOp : public Op<TwiceOp, OpTrait::OneResult, OpTrait::OneOperand,
                          OpTrait::ZeroRegions, MemoryEffectOpInterface::Trait,
                          ConditionallySpeculatable::Trait,
                          OpTrait::AlwaysSpeculatableImplTrait,
                          PluginOpInterface::Trait> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TwiceOp)
  using Op::Op;
  static StringRef getOperationName() { return "foreign.twice"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
  void getEffects(
      SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &) {}
  Value buildExpansion(OpBuilder &builder) {
    Value value = getOperation()->getOperand(0);
    return arith::AddFOp::create(builder, getLoc(), value, value);
  }
};

class ForeignDialect : public Dialect {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ForeignDialect)
  explicit ForeignDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<ForeignDialect>()) {
    addOperations<TwiceOp>();
  }
  static StringRef getDialectNamespace() { return "foreign"; }
};

} // namespace

TEST(Foreign, PluginIsEvaluatedThroughItsExpansion) {
  test::Evaluator evaluator;
  evaluator.context.loadDialect<ForeignDialect>();
  std::vector<Tensor> results = evaluator.evaluate(layer(R"(score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %c = arith.constant 0.25 : f32
    %p = "foreign.twice"(%c) : (f32) -> f32
    %t = arith.addf %s, %p : f32
    goat.yield %t : f32
  })"),
                                                   plainArguments());
  EXPECT_EQ(evaluator.messages, "");
  ASSERT_EQ(results.size(), 2u);
  expectNear(results[1], {0.5 + std::log(3.0), 0.5 + std::log(3.0)});
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST(Errors, Arguments) {
  std::vector<Tensor> arguments = plainArguments();
  arguments.pop_back();
  EXPECT_THAT(refuse(layer(""), arguments),
              HasSubstr("expected 3 arguments but got 2"));
  arguments = plainArguments();
  arguments[1].shape = {1, 1, 2, 3};
  EXPECT_THAT(refuse(layer(""), arguments),
              HasSubstr("expected argument 1 to have shape 1x1x3x2 but got "
                        "1x1x2x3"));
  arguments = plainArguments();
  arguments[1].data.pop_back();
  EXPECT_THAT(refuse(layer(""), arguments),
              HasSubstr("expected argument 1 to hold 6 elements but got 5"));
}

TEST(Errors, UnknownOpAndTheWayOut) {
  EXPECT_THAT(
      refuse("func.func @f(%x: vector<2xf32>) -> f32 {\n"
             "  %c = arith.constant 0.0 : f32\n  return %c : f32\n}",
             {{{2}, {0, 0}}}),
      HasSubstr("expected argument 0 to be a ranked tensor or a number"));
  EXPECT_THAT(
      refuse("func.func @f(%x: tensor<2x3xf32>) -> tensor<6xf32> {\n"
             "  %y = tensor.collapse_shape %x [[0, 1]] : tensor<2x3xf32> into "
             "tensor<6xf32>\n  return %y : tensor<6xf32>\n}",
             {{{2, 3}, {0, 0, 0, 0, 0, 0}}}),
      HasSubstr("expected an op that the reference can evaluate but got "
                "'tensor.collapse_shape'; say it in arith, math, tensor and "
                "goat ops, or let it implement PluginOpInterface"));
}

TEST(Errors, IndexOutOfRange) {
  std::vector<Tensor> arguments = plainArguments();
  arguments.push_back({{2}, {0, 0}});
  EXPECT_THAT(refuse(layer(R"(score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %t = tensor.extract %table[%j] : tensor<2xf32>
    goat.yield %t : f32
  })",
                           "", ", %table: tensor<2xf32>"),
                     arguments),
              HasSubstr("expected index 0 to lie in [0, 2) but got 2"));
}

TEST(Errors, DivisionByZero) {
  EXPECT_THAT(refuse(layer(R"(mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %r = arith.remui %j, %b : index
    %m = arith.cmpi eq, %r, %b : index
    goat.yield %m : i1
  })"),
                     plainArguments()),
              HasSubstr("expected a divisor other than 0"));
}

TEST(Errors, SizesKnownAtRunTime) {
  std::string text = R"(
func.func @f(%q: tensor<?x2x?x2xf32>, %k: tensor<?x1x?x2xf32>,
             %v: tensor<?x1x?x2xf32>, %n: tensor<?xi32>, %u: tensor<1x?xf32>)
    -> tensor<?x2x?x2xf32> {
  %out = goat.attention %q, %k, %v k_lengths(%n : tensor<?xi32>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %t = goat.key_prior %u at (%b, %h, %j) : tensor<1x?xf32>
    goat.yield %t : f32
  } : (tensor<?x2x?x2xf32>, tensor<?x1x?x2xf32>, tensor<?x1x?x2xf32>)
    -> (tensor<?x2x?x2xf32>)
  return %out : tensor<?x2x?x2xf32>
})";
  Tensor query{{1, 2, 1, 2}, {0, 0, 0, 0}}, keys{{1, 1, 2, 2}, {0, 0, 0, 0}},
      oneKey{{1, 1, 1, 2}, {0, 0}}, twoEntries{{2, 1, 1, 2}, {0, 0, 0, 0}},
      lengths{{1}, {1}}, table{{1, 2}, {0, 0}};
  EXPECT_THAT(refuse(text, {query, twoEntries, twoEntries, lengths, table}),
              HasSubstr("(C2) expected one batch size but got 1, 2 and 2"));
  EXPECT_THAT(refuse(text, {query, keys, oneKey, lengths, table}),
              HasSubstr("(C2) expected key and value to have one length but "
                        "got 2 and 1"));
  EXPECT_THAT(refuse(text, {query, keys, keys, {{2}, {1, 1}}, table}),
              HasSubstr("(C9) expected k_lengths to have one element per batch "
                        "entry, 1, but got 2"));
  EXPECT_THAT(refuse(text, {query, keys, keys, lengths, {{1, 3}, {0, 0, 0}}}),
              HasSubstr("(C2) expected the table's last dimension to be the "
                        "key length 2 but got 3"));
}
