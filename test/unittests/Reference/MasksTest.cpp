//===- MasksTest.cpp - which keys the masks let pass ----------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each mask as a picture: a line for each query, an x for each key it sees.
//
//===----------------------------------------------------------------------===//

#include "Evaluate.h"

#include "gmock/gmock.h"

using namespace goat;
using namespace goat::test;
using goat::reference::Tensor;
using ::testing::HasSubstr;

namespace {

constexpr int64_t length = 6;

/// The layer whose values are unit vectors, so that a row of its result is not
/// 0 exactly where the query sees a key. `parameters` is ", %name: type" …
std::string maskLayer(const std::string &mask, const std::string &parameters,
                      const std::string &attributes) {
  std::string type = "tensor<1x1x6x6xf32>";
  return "func.func @f(%v: " + type + parameters + ") -> " + type + R"( {
  %out = goat.attention %v, %v, %v mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    )" + mask +
         "\n    goat.yield %m : i1\n  } attributes {static_scale = 0.0 : f32" +
         attributes + "} : (" + type + ", " + type + ", " + type + ") -> (" +
         type + ")\n  return %out : " + type + "\n}";
}

Tensor unitVectors() {
  Tensor values{{1, 1, length, length},
                std::vector<double>(length * length, 0.0)};
  for (int64_t i = 0; i < length; ++i)
    values.data[i * length + i] = 1.0;
  return values;
}

std::string picture(const std::string &mask, const std::string &parameters = "",
                    std::vector<Tensor> arguments = {},
                    const std::string &attributes = "") {
  arguments.insert(arguments.begin(), unitVectors());
  Evaluator evaluator;
  std::vector<Tensor> results =
      evaluator.evaluate(maskLayer(mask, parameters, attributes), arguments);
  if (results.empty())
    return evaluator.messages;
  std::string text;
  for (int64_t i = 0; i < length; ++i) {
    for (int64_t j = 0; j < length; ++j)
      text += results[0].data[i * length + j] > 0.0 ? 'x' : '.';
    text += '\n';
  }
  return text;
}

std::string lines(std::vector<std::string> rows) {
  std::string text;
  for (const std::string &row : rows)
    text += row + "\n";
  return text;
}

} // namespace

TEST(Masks, Window) {
  EXPECT_EQ(
      picture("%l = arith.constant 2 : i32\n"
              "%r = arith.constant 1 : i32\n"
              "%m = goat.window_mask %b, %i, %j left(%l) right(%r)"),
      lines({"xx....", "xxx...", "xxxx..", ".xxxx.", "..xxxx", "...xxx"}));
}

/// Widths below 0, and positions.
TEST(Masks, WindowAhead) {
  EXPECT_EQ(
      picture("%l = arith.constant -1 : i32\n"
              "%m = goat.window_mask %b, %i, %j left(%l) right(%r)",
              ", %r: i32", {{{}, {2}}}),
      lines({".xx...", "..xx..", "...xx.", "....xx", ".....x", "......"}));
  EXPECT_EQ(
      picture("%r = arith.constant 0 : i32\n"
              "%m = goat.window_mask %b, %i, %j right(%r)",
              "", {}, ", static_q_offset = 2 : i32"),
      lines({"xxx...", "xxxx..", "xxxxx.", "xxxxxx", "xxxxxx", "xxxxxx"}));
}

TEST(Masks, DilatedWindow) {
  EXPECT_EQ(
      picture("%l = arith.constant 4 : i32\n"
              "%r = arith.constant 2 : i32\n"
              "%m = goat.window_mask %b, %i, %j left(%l) right(%r) dilation 2"),
      lines({"x.x...", ".x.x..", "x.x.x.", ".x.x.x", "x.x.x.", ".x.x.x"}));
}

TEST(Masks, Prefix) {
  EXPECT_EQ(
      picture("%m = goat.prefix_mask %b, %j length(%n)", ", %n: i32",
              {{{}, {3}}}, ", static_k_offset = 1 : i32"),
      lines({"xx....", "xx....", "xx....", "xx....", "xx....", "xx...."}));
}

TEST(Masks, Documents) {
  EXPECT_EQ(picture("%m = goat.document_mask %q, %k at(%b, %i, %j) : "
                    "tensor<6xi32>, tensor<1x6xi32>",
                    ", %q: tensor<6xi32>, %k: tensor<1x6xi32>"),
            "'goat.document_mask' op (C2) expected query_ids and key_ids to "
            "have one rank but got 1 and 2\n");
  EXPECT_EQ(
      picture("%m = goat.document_mask %q, %k at(%b, %i, %j) : "
              "tensor<1x6xi32>, tensor<1x6xi32>",
              ", %q: tensor<1x6xi32>, %k: tensor<1x6xi32>",
              {{{1, 6}, {4, 4, 7, 8, 7, 9}}, {{1, 6}, {7, 4, 4, 7, 8, 8}}}),
      lines({".xx...", ".xx...", "x..x..", "....xx", "x..x..", "......"}));
}

TEST(Masks, DocumentsWithoutIds) {
  EXPECT_THAT(picture("%m = goat.document_mask %q, %q at(%b, %i, %j) : "
                      "tensor<?xi32>, tensor<?xi32>",
                      ", %q: tensor<?xi32>", {{{3}, {1, 1, 2}}}),
              HasSubstr("(C3) expected an id for every row but got 3"));
}

/// At the border the window keeps its size.
TEST(Masks, Neighborhood) {
  EXPECT_EQ(
      picture("%m = goat.neighborhood_mask %b, %i, %j grid [6] kernel "
              "[3]"),
      lines({"xxx...", "xxx...", ".xxx..", "..xxx.", "...xxx", "...xxx"}));
  EXPECT_EQ(
      picture("%m = goat.neighborhood_mask %b, %i, %j grid [2, 3] "
              "kernel [1, 3]"),
      lines({"xxx...", "xxx...", "xxx...", "...xxx", "...xxx", "...xxx"}));
}

/// A grid that ends before the tokens do, and one that begins after.
TEST(Masks, NeighborhoodOffTheGrid) {
  EXPECT_EQ(
      picture("%m = goat.neighborhood_mask %b, %i, %j grid [2, 2] "
              "kernel [1, 1]"),
      lines({"x.....", ".x....", "..x...", "...x..", "......", "......"}));
  EXPECT_EQ(
      picture("%m = goat.neighborhood_mask %b, %i, %j grid [4] kernel "
              "[3]",
              "", {},
              ", static_q_offset = -2 : i32, static_k_offset = -2 : i32"),
      lines({"......", "......", "..xxx.", "..xxx.", "...xxx", "...xxx"}));
}

TEST(Masks, Batch) {
  EXPECT_THAT(picture("%m = goat.prefix_mask %j, %j length(%n)", ", %n: i32",
                      {{{}, {3}}}),
              HasSubstr("expected the batch entry to lie in [0, 1) but got 1"));
}
