//===- ErrorsTest.cpp - what the reference refuses ------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every error of the reference that is not about an op of another dialect.
//
//===----------------------------------------------------------------------===//

#include "Evaluate.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace goat;
using goat::reference::Tensor;
using goat::test::layer;
using goat::test::plainArguments;
using goat::test::refuse;
using testing::HasSubstr;

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
      refuse(
          "func.func @f(%x: tensor<2x3xf32>) -> tensor<6xf32> {\n"
          "  %n = arith.constant dense<6> : tensor<1xi32>\n"
          "  %y = tensor.reshape %x(%n) : (tensor<2x3xf32>, tensor<1xi32>) -> "
          "tensor<6xf32>\n  return %y : tensor<6xf32>\n}",
          {{{2, 3}, {0, 0, 0, 0, 0, 0}}}),
      HasSubstr("expected an op that the reference can evaluate but got "
                "'tensor.reshape'; say it in arith, math, tensor and "
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

/// Sizes of results and parameters that only the arguments reveal.
TEST(Errors, ResultsAndParametersAtRunTime) {
  auto text = [](const std::string &out, const std::string &lse) {
    return R"(
func.func @f(%q: tensor<?x1x?x1xf32>, %u: tensor<?x1x?xf32>) -> )" +
           out + R"( {
  %out, %lse = goat.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %t = goat.key_prior %u at (%b, %h, %j) : tensor<?x1x?xf32>
    goat.yield %t : f32
  } : (tensor<?x1x?x1xf32>, tensor<?x1x?x1xf32>, tensor<?x1x?x1xf32>) -> ()" +
           out + ", " + lse + R"()
  return %out : )" +
           out + "\n}";
  };
  Tensor query{{1, 1, 2, 1}, {0, 0}}, table{{1, 1, 2}, {0, 0}};
  EXPECT_THAT(
      refuse(text("tensor<1x1x3x1xf32>", "tensor<?x1x?xf32>"), {query, table}),
      HasSubstr("(C5) expected a result of shape 1x1x2x1 but got "
                "1x1x3x1"));
  EXPECT_THAT(
      refuse(text("tensor<?x1x?x1xf32>", "tensor<?x1x3xf32>"), {query, table}),
      HasSubstr("(C6) expected lse of shape 1x1x2 but got ?x1x3"));
  EXPECT_THAT(refuse(text("tensor<?x1x?x1xf32>", "tensor<?x1x?xf32>"),
                     {query, {{2, 1, 2}, {0, 0, 0, 0}}}),
              HasSubstr("(C3) expected the parameter to have 1 batch entries "
                        "but got 2"));
}

/// Coordinates that the user computes may miss; each says by how much.
TEST(Errors, CoordinatesOutOfRange) {
  auto text = [](const std::string &prior) {
    return layer("score {\n  ^bb0(%s: f32, %b: index, %h: index, %i: index, "
                 "%j: index):\n    %c7 = arith.constant 7 : index\n    " +
                     prior + " : tensor<1x3xf32>\n    goat.yield %t : f32\n  }",
                 "", ", %u: tensor<1x3xf32>");
  };
  std::vector<Tensor> arguments = plainArguments();
  arguments.push_back({{1, 3}, {0, 0, 0}});
  EXPECT_THAT(
      refuse(text("%t = goat.key_prior %u at (%c7, %h, %j)"), arguments),
      HasSubstr("expected the batch entry to lie in [0, 1) but got 7"));
  EXPECT_THAT(
      refuse(text("%t = goat.key_prior %u at (%b, %c7, %j)"), arguments),
      HasSubstr("expected the head to lie in [0, 1) but got 7"));
  EXPECT_THAT(
      refuse(text("%t = goat.key_prior %u at (%b, %h, %c7)"), arguments),
      HasSubstr("expected the key to lie in [0, 3) but got 7"));
}

TEST(Errors, FunctionLevelOps) {
  Tensor two{{2}, {0, 0}}, three{{3}, {0, 0, 0}};
  EXPECT_THAT(refuse("func.func @f(%x: tensor<?xf32>, %y: tensor<?xf32>) -> "
                     "tensor<?xf32> {\n  %z = arith.addf %x, %y : "
                     "tensor<?xf32>\n  return %z : tensor<?xf32>\n}",
                     {two, three}),
              HasSubstr("expected operands of one shape but got 2 and 3"));
  EXPECT_THAT(refuse("func.func @f(%x: tensor<?xf32>) -> tensor<3xf32> {\n  "
                     "%z = tensor.cast %x : tensor<?xf32> to tensor<3xf32>\n  "
                     "return %z : tensor<3xf32>\n}",
                     {two}),
              HasSubstr("expected a tensor of shape 3 but got 2"));
  EXPECT_THAT(refuse("func.func @f(%x: tensor<?xf32>, %d: index) -> index {\n  "
                     "%n = tensor.dim %x, %d : tensor<?xf32>\n  return %n : "
                     "index\n}",
                     {two, {{}, {1}}}),
              HasSubstr("expected a dimension of a tensor of rank 1 but got "
                        "1"));
  EXPECT_THAT(refuse("func.func @f(%x: tensor<3xf32>, %i: index) -> "
                     "tensor<2xf32> {\n  %y = tensor.extract_slice %x[%i] [2] "
                     "[1] : tensor<3xf32> to tensor<2xf32>\n  return %y : "
                     "tensor<2xf32>\n}",
                     {three, {{}, {2}}}),
              HasSubstr("expected index 0 to lie in [0, 3) but got 2 to 3"));
  EXPECT_THAT(refuse("func.func @f(%x: f32) -> i64 {\n  %n = arith.fptosi %x : "
                     "f32 to i64\n  return %n : i64\n}",
                     {{{}, {1e30}}}),
              HasSubstr("expected a number that the integer type can hold"));
  EXPECT_THAT(refuse("func.func private @f(f32) -> f32", {{{}, {0}}}),
              HasSubstr("expected a function with a body of one block"));
}
