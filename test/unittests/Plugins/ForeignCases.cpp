//===- ForeignCases.cpp - answers of plug-ins from outside ----------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ForeignCases.h"

#include <cmath>

using namespace goat;
using namespace goat::cases;
using goat::reference::Tensor;

namespace {

constexpr int64_t headDim = 8;

/// A row of values or of an answer; the lanes past those given are 0.
using Row = std::vector<double>;

Tensor rowsOf(const std::vector<Row> &rows) {
  Tensor tensor{{1, 1, static_cast<int64_t>(rows.size()), headDim}, {}};
  for (Row row : rows) {
    row.resize(headDim);
    tensor.data.insert(tensor.data.end(), row.begin(), row.end());
  }
  return tensor;
}

/// As many queries as keys. `parameters` is ", %name: type" per argument in
/// `arguments`.
Case makeCase(std::string name, const std::string &parameters,
              const std::string &regions, std::vector<Tensor> arguments,
              const std::vector<Row> &values, const std::vector<Row> &answer) {
  std::string type = "tensor<1x1x" + std::to_string(values.size()) + "x8xbf16>";
  Case result;
  result.name = std::move(name);
  result.text = "func.func @attention(%q: " + type + ", %k: " + type +
                ", %v: " + type + parameters + ") -> " + type +
                " {\n  %out = goat.attention %q, %k, %v " + regions + " : (" +
                type + ", " + type + ", " + type + ") -> (" + type +
                ")\n  return %out : " + type + "\n}\n";
  Tensor zeros = rowsOf(std::vector<Row>(values.size()));
  result.arguments = {zeros, zeros, rowsOf(values)};
  for (Tensor &argument : arguments)
    result.arguments.push_back(std::move(argument));
  result.expected = {rowsOf(answer)};
  return result;
}

std::string score(const std::string &prior) {
  return "score {\n^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):\n"
         "  %d = goat.distance %b, %i, %j\n  %p = " +
         prior + "\n  %t = arith.addf %s, %p : f32\n  goat.yield %t : f32\n}";
}

std::string mask(const std::string &op) {
  return "mask {\n^bb0(%b: index, %h: index, %i: index, %j: index):\n"
         "  %d = goat.distance %b, %i, %j\n  %m = " +
         op + "\n  goat.yield %m : i1\n}";
}

std::string exclude(const std::string &op) {
  return "exclude {\n^bb0(%y: tensor<8xf32>, %own: tensor<8xf32>, %b: index, "
         "%h: index, %i: index):\n  %z = " +
         op + " : tensor<8xf32>\n  goat.yield %z : tensor<8xf32>\n}";
}

/// Each row sees the other one of a pair of rows only.
const char *const otherRow =
    "mask {\n^bb0(%b: index, %h: index, %i: index, %j: index):\n"
    "  %m = arith.cmpi ne, %i, %j : index\n  goat.yield %m : i1\n} ";

Tensor scalar(double value) { return {{}, {value}}; }

} // namespace

std::vector<Case> goat::cases::foreignCases() {
  std::vector<Case> cases;
  // p = 1/2, a = 2: the weights are (1 + 2·|δ|)^(−1/2).
  const double far = 1 / std::sqrt(5.0), near = 1 / std::sqrt(3.0);
  cases.push_back(makeCase("kerple", ", %p0: f32, %a: f32",
                           score("foreign.kerple %p0, %a distance %d"),
                           {scalar(0.5), scalar(2.0)}, {{1}, {2}, {4}},
                           {{(1 + 2 * near + 4 * far) / (1 + near + far)},
                            {(1 * near + 2 + 4 * near) / (near + 1 + near)},
                            {(1 * far + 2 * near + 4) / (far + near + 1)}}));
  // The table holds logarithms of the weights 1, 2, 3; what is later than the
  // query has the weight of distance 0, what is 2 or more away that of 2.
  cases.push_back(makeCase(
      "bucket_prior", ", %table: tensor<1x3xf32>",
      score("foreign.bucket_prior %table at %h distance %d : tensor<1x3xf32>"),
      {{{1, 3}, {0.0, 0.6931471805599453, 1.0986122886681098}}},
      {{1}, {2}, {4}, {8}}, {{15.0 / 4}, {16.0 / 5}, {19.0 / 7}, {25.0 / 9}}));
  // slope = ln 2: the weight of key j is 2^(j − i), whatever i is.
  cases.push_back(
      makeCase("recency", ", %slope: f32", score("foreign.recency %slope"),
               {scalar(0.6931471805599453)}, {{1}, {2}, {4}, {8}},
               {{85.0 / 15}, {85.0 / 15}, {85.0 / 15}, {85.0 / 15}}));
  // The key before and the query's own.
  cases.push_back(makeCase("window_mask", ", %l: i32, %r: i32",
                           mask("foreign.window_mask %l, %r at (%b, %i, %j)"),
                           {scalar(1), scalar(0)}, {{1}, {2}, {4}, {8}},
                           {{1}, {1.5}, {3}, {6}}));
  // Nothing but the key after the next: the last two rows see none.
  cases.push_back(makeCase("window_mask ahead", ", %l: i32, %r: i32",
                           mask("foreign.window_mask %l, %r at (%b, %i, %j)"),
                           {scalar(-2), scalar(2)}, {{1}, {2}, {4}, {8}},
                           {{4}, {8}, {0}, {0}}));
  // Keys at an even distance.
  cases.push_back(makeCase("dilated_mask", "",
                           mask("foreign.dilated_mask %d dilation = 2"), {},
                           {{1}, {2}, {4}, {8}}, {{2.5}, {5}, {2.5}, {5}}));
  // y = (8, 0, …, 0): its mean is 1.
  cases.push_back(makeCase("remove_mean", "", exclude("foreign.remove_mean %y"),
                           {}, {{8}}, {{7, -1, -1, -1, -1, -1, -1, -1}}));
  // σ(0) = 1/2. y·v = 7 and ‖v‖² = 25 in both rows.
  const double share = 0.5 * 7 / (25 + 1e-6);
  cases.push_back(makeCase(
      "gated_xsa", ", %g: f32",
      otherRow + exclude("foreign.gated_xsa %y, %own gate(%g)"), {scalar(0)},
      {{3, 4}, {-3, 4}},
      {{-3 - share * 3, 4 - share * 4}, {3 + share * 3, 4 - share * 4}}));
  // y·v = −1: nothing is removed.
  cases.push_back(
      makeCase("gated_xsa apart", ", %g: f32",
               otherRow + exclude("foreign.gated_xsa %y, %own gate(%g)"),
               {scalar(0)}, {{1, 0}, {-1, 2}}, {{-1, 2}, {1, 0}}));
  return cases;
}
