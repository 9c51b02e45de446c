//===- OperandCases.cpp - cases of scale, offsets, sink and own row -------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two queries on three keys, most with equal logits, so that the answers are
// averages of the values (1, 0), (0, 1) and (3, 3) in closed form.
//
//===----------------------------------------------------------------------===//

#include "CaseBuilder.h"

#include <array>
#include <cmath>

using namespace goat;
using namespace goat::cases;

namespace {

/// Answers of the two rows.
using Rows = std::array<std::array<double, 2>, 2>;

double plainValue(int64_t, int64_t, int64_t row, int64_t d) {
  static const double values[3][2] = {{1, 0}, {0, 1}, {3, 3}};
  return values[row][d];
}

Layer plainLayer(const Variant &variant) {
  Layer layer = makeLayer(variant, 2);
  layer.queryLength = 2;
  layer.keyLength = 3;
  return layer;
}

Case plainCase(const std::string &name, const Variant &variant,
               const Layer &layer, const Rows &out,
               const std::array<double, 2> &lse, const Element &query = zero,
               const Element &key = zero) {
  return makeCase(
      name, variant, layer, query, key, plainValue,
      [=](int64_t, int64_t, int64_t i, int64_t d) { return out[i][d]; },
      [=](int64_t, int64_t, int64_t i) { return lse[i]; });
}

const double log3 = std::log(3.0), third = 4.0 / 3;

} // namespace

/// q·k is 1, 0, 1 in row 0 and 0, 2, 2 in row 1.
Case goat::cases::signOfScale(const Variant &variant, float scale) {
  Layer layer = plainLayer(variant);
  layer.scale = scale;
  const double e = std::exp(double(scale)), first = 2 * e + 1,
               second = 1 + 2 * e * e;
  return plainCase(
      "sign-of-scale-" + std::to_string(scale), variant, layer,
      {{{4 * e / first, (1 + 3 * e) / first},
        {(1 + 3 * e * e) / second, 4 * e * e / second}}},
      {std::log(first), std::log(second)},
      [](int64_t, int64_t, int64_t row, int64_t d) {
        return d == row ? row + 1.0 : 0.0;
      },
      [](int64_t, int64_t, int64_t row, int64_t d) {
        return row == 2 || d == row ? 1.0 : 0.0;
      });
}

/// How many keys a causal mask lets row 0 see; row 1 sees one more.
Case goat::cases::offsets(const Variant &variant, const std::string &attributes,
                          int64_t seen) {
  Layer layer = plainLayer(variant);
  layer.regions = causalMask;
  layer.attributes = attributes;
  const Rows averages[] = {{{{1, 0}, {0.5, 0.5}}},
                           {{{0.5, 0.5}, {third, third}}}};
  return plainCase("offsets" + attributes, variant, layer, averages[seen - 1],
                   {std::log(static_cast<double>(seen)), std::log(seen + 1.0)});
}

/// One of two queries, two of three keys: the last ones are aligned.
Case goat::cases::lengths(const Variant &variant) {
  Layer layer = plainLayer(variant);
  layer.regions = causalMask;
  layer.parameters = ", %n: tensor<1xi32>, %count: tensor<1xi32>";
  layer.operands =
      "q_lengths(%n : tensor<1xi32>) k_lengths(%count : tensor<1xi32>)";
  Case result = plainCase("lengths", variant, layer, {{{0.5, 0.5}, {0, 0}}},
                          {std::log(2.0), minusInfinity});
  result.arguments.push_back({{1}, {1}});
  result.arguments.push_back({{1}, {2}});
  return result;
}

/// With `isMasked` no key is seen; row 1 is past its length and has no sink.
Case goat::cases::sink(const Variant &variant, bool isMasked) {
  Layer layer = plainLayer(variant);
  layer.parameters = ", %n: tensor<1xi32>, %s: tensor<1xf32>";
  layer.operands = "sink(%s : tensor<1xf32>) q_lengths(%n : tensor<1xi32>)";
  if (isMasked)
    layer.regions = R"(mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = arith.constant false
      goat.yield %m : i1
    })";
  const double sum = isMasked ? std::exp(0.75) : 3 + std::exp(0.75),
               row = isMasked ? 0 : 4 / sum;
  Case result =
      plainCase(isMasked ? "sink-of-masked-row" : "sink", variant, layer,
                {{{row, row}, {0, 0}}}, {std::log(sum), minusInfinity});
  result.arguments.push_back({{1}, {1}});
  result.arguments.push_back({{1}, {0.75}});
  return result;
}

/// Parameters of shape (B, H', n), H' below Hq: batch entry b and query head h
/// read row h·H'/Hq of entry b. The logits are u[b, h', j] + α cos ωδ +
/// β sin ωδ, δ = 1 and 0.
Case goat::cases::parameterGroups(const Variant &variant) {
  Layer layer = makeLayer(variant, 1);
  layer.batch = 2;
  layer.queryHeads = 4;
  layer.keyHeads = 2;
  layer.keyLength = 2;
  const std::string table =
      variant.dynamicSizes ? "tensor<?x2x?xf32>" : "tensor<2x2x2xf32>";
  const std::string spectrum =
      variant.dynamicSizes ? "tensor<?x2x1xf32>" : "tensor<2x2x1xf32>";
  layer.parameters = ", %u: " + table + ", %alpha: " + spectrum +
                     ", %beta: " + spectrum + ", %omega: tensor<1xf32>";
  layer.regions = R"(score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %d = goat.distance %b, %i, %j
      %f = goat.fourier_prior %alpha, %beta, %omega at (%b, %h) distance %d : )" +
                  spectrum + ", " + spectrum + R"(, tensor<1xf32>
      %p = goat.key_prior %u at (%b, %h, %j) : )" +
                  table + R"(
      %t = arith.addf %f, %p : f32
      goat.yield %t : f32
    })";
  const std::array<double, 4> alpha = {0.5, -0.5, 1.5, -1.5},
                              beta = {0.25, 0.75, -0.25, -0.75};
  auto weights = [=](int64_t b, int64_t h) -> std::array<double, 2> {
    const int64_t row = 2 * b + h / 2;
    return {std::exp(2.0 * row + alpha[row] * std::cos(0.5) +
                     beta[row] * std::sin(0.5)),
            std::exp(2.0 * row + 1 + alpha[row])};
  };
  Case result = makeCase(
      "parameter-groups", variant, layer, zero, zero, rowNumber,
      [=](int64_t b, int64_t h, int64_t, int64_t) {
        const auto [far, near] = weights(b, h);
        return near / (far + near);
      },
      [=](int64_t b, int64_t h, int64_t) {
        const auto [far, near] = weights(b, h);
        return std::log(far + near);
      });
  result.arguments.push_back({{2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7}});
  result.arguments.push_back({{2, 2, 1}, {alpha.begin(), alpha.end()}});
  result.arguments.push_back({{2, 2, 1}, {beta.begin(), beta.end()}});
  result.arguments.push_back({{1}, {0.5}});
  return result;
}

/// y = (4/3, 4/3); rows own (0, 1) and (3, 3): ‖v‖² = 1 and 18, y·v = 4/3
/// and 8.
Case goat::cases::epsMode(const Variant &variant, const std::string &mode) {
  Layer layer = plainLayer(variant);
  layer.regions =
      xsaRegion(layer, "{eps_mode = #goat.eps_mode<" + mode + ">" +
                           (mode == "where" ? "}" : ", eps = 2.0 : f32}"));
  const Rows rows =
      mode == "add"
          ? Rows{{{third, third - third / 3}, {third - 1.2, third - 1.2}}}
      : mode == "clamp" ? Rows{{{third, third / 2}, {0, 0}}}
                        : Rows{{{third, 0}, {0, 0}}};
  return plainCase("eps-mode-" + mode, variant, layer, rows, {log3, log3});
}

/// The own row of query 0 lies before the first key: z = y there.
Case goat::cases::ownRowOutOfRange(const Variant &variant) {
  Layer layer = plainLayer(variant);
  layer.parameters = ", %o: i32";
  layer.operands = "q_offset(%o : i32)";
  layer.regions = xsaRegion(layer);
  Case result = plainCase("own-row-out-of-range", variant, layer,
                          {{{third, third}, {0, third}}}, {log3, log3});
  result.arguments.push_back({{}, {-1}});
  return result;
}

/// own = row 2 = (3, 3) for every query: z = y · (sum + maximum) = 9·y.
Case goat::cases::ownRegion(const Variant &variant) {
  Layer layer = plainLayer(variant);
  layer.regions = R"(exclude {
    ^bb0(%y: tensor<ROWxf32>, %own: tensor<ROWxf32>, %b: index, %h: index, %i: index):
      %sum = goat.row_sum %own : tensor<ROWxf32>
      %max = goat.row_max %own : tensor<ROWxf32>
      %a = arith.addf %sum, %max : f32
      %s = tensor.splat %a : tensor<ROWxf32>
      %z = arith.mulf %y, %s : tensor<ROWxf32>
      goat.yield %z : tensor<ROWxf32>
    } own {
    ^bb0(%b: index, %h: index, %i: index):
      %c2 = arith.constant 2 : index
      goat.yield %c2 : index
    })";
  nameRows(layer);
  return plainCase("own-region", variant, layer, {{{12, 12}, {12, 12}}},
                   {log3, log3});
}

std::vector<Case> goat::cases::operandCases(const Variant &variant) {
  std::vector<Case> cases;
  for (float scale : {-1.0f, 0.0f})
    cases.push_back(signOfScale(variant, scale));
  cases.push_back(offsets(variant, "", 2));
  cases.push_back(offsets(
      variant, ", static_q_offset = -1 : i32, static_k_offset = -2 : i32", 2));
  cases.push_back(offsets(variant, ", static_q_offset = 0 : i32", 1));
  cases.push_back(lengths(variant));
  for (bool isMasked : {false, true})
    cases.push_back(sink(variant, isMasked));
  cases.push_back(parameterGroups(variant));
  for (const char *mode : {"clamp", "add", "where"})
    cases.push_back(epsMode(variant, mode));
  cases.push_back(ownRowOutOfRange(variant));
  cases.push_back(ownRegion(variant));
  return cases;
}
