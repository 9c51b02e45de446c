//===- Cases.cpp - attention layers with known answers --------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inputs and answers of Cases.h. Answers with six decimals were computed
// in double precision by a dense implementation of the formulas.
//
//===----------------------------------------------------------------------===//

#include "CaseBuilder.h"

#include <cmath>

using namespace goat;
using namespace goat::cases;
using goat::reference::Tensor;

double goat::cases::generate(uint32_t seed, uint32_t n) {
  uint32_t u = ((n + 1) * 2654435761u) ^ (seed * 0x9E3779B9u);
  u ^= u >> 16;
  u *= 0x85EBCA6Bu;
  u ^= u >> 13;
  u *= 0xC2B2AE35u;
  u ^= u >> 16;
  return (static_cast<int>(u & 63) - 32) / 32.0;
}

namespace {

Element generated(uint32_t seed, int64_t width) {
  return [=](int64_t, int64_t, int64_t row, int64_t d) {
    return generate(seed, row * width + d);
  };
}

} // namespace

Case goat::cases::maskedRow(const Variant &variant, int64_t batch) {
  Layer layer = makeLayer(variant, 2);
  layer.batch = batch;
  layer.regions = R"(mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %one = arith.constant 1 : index
      %m = arith.cmpi eq, %b, %one : index
      goat.yield %m : i1
    })";
  Element queryKey = [](int64_t, int64_t, int64_t, int64_t d) {
    return d + 1.0;
  };
  Element value = [](int64_t, int64_t, int64_t, int64_t d) { return d + 3.0; };
  return makeCase(
      "masked-row-" + std::to_string(batch), variant, layer, queryKey, queryKey,
      value,
      [=](int64_t b, int64_t, int64_t, int64_t d) {
        return b == 1 ? d + 3.0 : 0.0;
      },
      [=](int64_t b, int64_t, int64_t) {
        return b == 1 ? 5.0 * layer.scale : minusInfinity;
      });
}

Case goat::cases::unreadKeys(const Variant &variant, double padding) {
  Layer layer = makeLayer(variant, 64);
  layer.batch = 2;
  layer.queryLength = layer.keyLength = 3;
  layer.parameters = ", %lengths: tensor<2xi32>";
  layer.operands = "k_lengths(%lengths : tensor<2xi32>)";
  Element half = [](int64_t, int64_t, int64_t, int64_t) { return 0.5; };
  Element oneOrPadding = [=](int64_t b, int64_t, int64_t row, int64_t) {
    return b == 0 && row >= 1 ? padding : 1.0;
  };
  Element one = [](int64_t, int64_t, int64_t, int64_t) { return 1.0; };
  Case result = makeCase("unread-keys", variant, layer, half, oneOrPadding,
                         oneOrPadding, one, [](int64_t b, int64_t, int64_t) {
                           return 4.0 + std::log(b == 0 ? 1.0 : 3.0);
                         });
  result.arguments.push_back({{2}, {1.0, 3.0}});
  return result;
}

Case goat::cases::raggedPrior(const Variant &variant, int64_t length) {
  Layer layer = makeLayer(variant, 8);
  layer.queryLength = layer.keyLength = length;
  layer.regions = std::string(R"(score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %d = goat.distance %b, %i, %j
      %narrow = arith.index_cast %d : index to i32
      %p = arith.sitofp %narrow : i32 to f32
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    } )") + causalMask;
  // out of row 16, and lse, which does not depend on what comes later.
  static const double row16[] = {-.021062, -.379003, .551260, .641631,
                                 .119070,  -.212039, .160126, .079165};
  static const double row32[] = {-.054117, -.313355, .472936, .534618,
                                 .042512,  -.203037, .137737, .076393};
  static const double lse[] = {
      .015882,   1.100561,  2.392886,  3.032896,  4.605407,  5.779297,
      6.579530,  7.848976,  8.560336,  9.277868,  10.462828, 11.390621,
      12.270702, 13.520610, 14.639531, 15.365940, 16.510428, 17.361092,
      18.609784, 19.949794, 20.791217, 21.435861, 22.495868, 23.874469,
      24.583645, 25.819557, 26.283834, 27.990148, 28.490157, 29.271889,
      30.276601, 31.551982, 32.502543};
  Case result = makeCase(
      "ragged-prior-" + std::to_string(length), variant, layer, generated(1, 8),
      generated(2, 8), generated(3, 8),
      [](int64_t, int64_t, int64_t i, int64_t d) {
        return i == 16 ? row16[d] : i == 32 ? row32[d] : unrecorded;
      },
      [](int64_t, int64_t, int64_t i) { return i < 33 ? lse[i] : unrecorded; });
  result.sixDecimals = true;
  return result;
}

Case goat::cases::causalAverage(const Variant &variant, int64_t length) {
  Layer layer = makeLayer(variant, 1);
  layer.queryLength = layer.keyLength = length;
  layer.regions = causalMask;
  return makeCase(
      "causal-average-" + std::to_string(length), variant, layer, zero, zero,
      rowNumber, [](int64_t, int64_t, int64_t i, int64_t) { return i / 2.0; },
      [](int64_t, int64_t, int64_t i) { return std::log(i + 1.0); });
}

Case goat::cases::lateWindow(const Variant &variant, float scale) {
  Layer layer = makeLayer(variant, 1);
  layer.scale = scale;
  layer.queryLength = layer.keyLength = 150;
  layer.regions = R"(mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %causal = goat.causal_mask %b, %i, %j
      %d = goat.distance %b, %i, %j
      %c3 = arith.constant 3 : index
      %near = arith.cmpi sle, %d, %c3 : index
      %m = arith.andi %causal, %near : i1
      goat.yield %m : i1
    })";
  auto count = [](int64_t i) { return std::min<int64_t>(i + 1, 4); };
  return makeCase(
      "late-window-" + std::to_string(scale), variant, layer, zero, zero,
      [](int64_t, int64_t, int64_t row, int64_t) {
        return static_cast<double>(row % 5);
      },
      [=](int64_t, int64_t, int64_t i, int64_t) {
        double sum = 0.0;
        for (int64_t j = i + 1 - count(i); j <= i; ++j)
          sum += static_cast<double>(j % 5);
        return sum / static_cast<double>(count(i));
      },
      [=](int64_t, int64_t, int64_t i) {
        return std::log(static_cast<double>(count(i)));
      });
}

Case goat::cases::nothingButMinusInfinity(const Variant &variant, float scale) {
  Layer layer = makeLayer(variant, 1);
  layer.scale = scale;
  layer.queryLength = 3;
  layer.keyLength = 5;
  layer.regions = R"(score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %never = arith.constant -3.4e38 : f32
      %t = arith.addf %s, %never : f32
      goat.yield %t : f32
    })";
  return makeCase(
      "nothing-but-minus-infinity-" + std::to_string(scale), variant, layer,
      rowNumber, rowNumber, rowNumber,
      [](int64_t, int64_t, int64_t, int64_t) { return 2.0; },
      [](int64_t, int64_t, int64_t) { return unrecorded; });
}

Case goat::cases::exclusionOfMaskedRow(const Variant &variant) {
  Layer layer = makeLayer(variant, 2);
  layer.queryLength = layer.keyLength = 2;
  layer.regions = R"(mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %c0 = arith.constant 0 : index
      %m = arith.cmpi ne, %i, %c0 : index
      goat.yield %m : i1
    } exclude {
    ^bb0(%y: tensor<ROWxf32>, %own: tensor<ROWxf32>, %b: index, %h: index, %i: index):
      %z = arith.addf %y, %own : tensor<ROWxf32>
      goat.yield %z : tensor<ROWxf32>
    })";
  nameRows(layer);
  return makeCase(
      "exclusion-of-masked-row", variant, layer, zero, zero,
      [](int64_t, int64_t, int64_t row, int64_t) { return row + 1.0; },
      [](int64_t, int64_t, int64_t i, int64_t) { return i == 0 ? 0.0 : 3.5; },
      [](int64_t, int64_t, int64_t i) {
        return i == 0 ? minusInfinity : std::log(2.0);
      });
}

Case goat::cases::exclusionWithoutOwn(const Variant &variant) {
  Layer layer = makeLayer(variant, 1);
  layer.queryLength = 3;
  layer.regions = R"(exclude {
    ^bb0(%y: tensor<ROWxf32>, %own: tensor<ROWxf32>, %b: index, %h: index, %i: index):
      %z = arith.mulf %y, %y : tensor<ROWxf32>
      goat.yield %z : tensor<ROWxf32>
    })";
  nameRows(layer);
  return makeCase(
      "exclusion-without-own", variant, layer, zero, zero,
      [](int64_t, int64_t, int64_t, int64_t) { return 2.0; },
      [](int64_t, int64_t, int64_t, int64_t) { return 4.0; },
      [](int64_t, int64_t, int64_t) { return 0.0; });
}

Case goat::cases::headDimension(const Variant &variant, int64_t headDim,
                                bool wideValue) {
  Layer layer = makeLayer(variant, headDim);
  layer.keyLength = 4;
  layer.ownValueDim = wideValue ? headDim : 2;
  layer.valueDim = wideValue ? layer.headDim : 2;
  Element one = [](int64_t, int64_t, int64_t, int64_t) { return 1.0; };
  return makeCase(
      "head-dimension-" + std::to_string(headDim), variant, layer, one, one,
      rowNumber, [](int64_t, int64_t, int64_t, int64_t) { return 1.5; },
      [=](int64_t, int64_t, int64_t) {
        return static_cast<double>(layer.scale) * headDim + std::log(4.0);
      });
}

Case goat::cases::headGroups(const Variant &variant, int64_t queryHeads,
                             int64_t keyHeads) {
  Layer layer = makeLayer(variant, 1);
  layer.queryHeads = queryHeads;
  layer.keyHeads = keyHeads;
  layer.queryLength = layer.keyLength = 5;
  int64_t group = queryHeads / keyHeads;
  Element one = [](int64_t, int64_t, int64_t, int64_t) { return 1.0; };
  return makeCase(
      "head-groups-" + std::to_string(queryHeads) + "-" +
          std::to_string(keyHeads),
      variant, layer, zero, one,
      [](int64_t, int64_t h, int64_t, int64_t) { return h + 1.0; },
      [=](int64_t, int64_t h, int64_t, int64_t) { return h / group + 1.0; },
      [](int64_t, int64_t, int64_t) { return std::log(5.0); });
}

Case goat::cases::fourier(const Variant &variant) {
  Layer layer = makeLayer(variant, 1);
  layer.queryLength = layer.keyLength = 4;
  layer.parameters = ", %alpha: tensor<1x1xf32>, %beta: tensor<1x1xf32>, "
                     "%omega: tensor<1xf32>";
  layer.regions = std::string(R"(score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %d = goat.distance %b, %i, %j
      %p = goat.fourier_prior %alpha, %beta, %omega at (%b, %h) distance %d
        : tensor<1x1xf32>, tensor<1x1xf32>, tensor<1xf32>
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    } )") + causalMask;
  static const double out[] = {0.0, .569211, 1.212877, 1.896087};
  static const double lse[] = {.5, 1.063504, 1.321081, 1.475583};
  Case result = makeCase(
      "fourier", variant, layer, zero, zero, rowNumber,
      [](int64_t, int64_t, int64_t i, int64_t) { return out[i]; },
      [](int64_t, int64_t, int64_t i) { return lse[i]; });
  result.arguments.push_back({{1, 1}, {0.5}});
  result.arguments.push_back({{1, 1}, {-0.25}});
  result.arguments.push_back({{1}, {static_cast<float>(0.7)}});
  result.sixDecimals = true;
  return result;
}

Case goat::cases::alibiDecode(const Variant &variant) {
  Layer layer = makeLayer(variant, 1);
  layer.keyLength = 300;
  layer.regions = R"(score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %d = goat.distance %b, %i, %j
      %narrow = arith.index_cast %d : index to i32
      %p = arith.sitofp %narrow : i32 to f32
      %t = arith.subf %s, %p : f32
      goat.yield %t : f32
    })";
  Case result = makeCase(
      "alibi-decode", variant, layer, zero, zero, rowNumber,
      [](int64_t, int64_t, int64_t, int64_t) { return 298.418023; },
      [](int64_t, int64_t, int64_t) { return .458675; });
  result.sixDecimals = true;
  return result;
}

Case goat::cases::xsaParallel(const Variant &variant) {
  Layer layer = makeLayer(variant, 2);
  layer.queryLength = layer.keyLength = 2;
  layer.regions = std::string(causalMask) + " " + xsaRegion(layer);
  Element value = [](int64_t, int64_t, int64_t row, int64_t d) {
    return row == d ? row + 1.0 : 0.0; // (1, 0), (0, 2)
  };
  return makeCase(
      "xsa-parallel", variant, layer, zero, zero, value,
      [](int64_t, int64_t, int64_t i, int64_t d) {
        return i == 1 && d == 0 ? 0.5 : 0.0;
      },
      [](int64_t, int64_t, int64_t i) { return std::log(i + 1.0); });
}

Case goat::cases::xsaZeroValue(const Variant &variant) {
  Layer layer = makeLayer(variant, 4);
  layer.queryLength = layer.keyLength = 5;
  layer.regions = std::string(causalMask) + " " + xsaRegion(layer);
  static const double out[5][4] = {{0.0, 0.0, 0.0, 0.0},
                                   {-.144241, -.049103, .138103, .270069},
                                   {.096867, -.249900, .330701, .354881},
                                   {.143614, -.141420, .103653, .068527},
                                   {-.001714, -.313368, .162312, .268734}};
  static const double lse[] = {-.406250, .777731, 1.178569, 1.009995, 1.471678};
  Case result = makeCase(
      "xsa-zero-value", variant, layer, generated(1, 4), generated(2, 4),
      [](int64_t, int64_t, int64_t row, int64_t d) {
        return row == 2 ? 0.0 : generate(3, row * 4 + d);
      },
      [](int64_t, int64_t, int64_t i, int64_t d) { return out[i][d]; },
      [](int64_t, int64_t, int64_t i) { return lse[i]; });
  result.sixDecimals = true;
  return result;
}

Case goat::cases::xsaLarge(const Variant &variant) {
  Layer layer = makeLayer(variant, 64);
  layer.queryLength = layer.keyLength = 2;
  layer.regions = std::string(causalMask) + " " + xsaRegion(layer);
  return makeCase(
      "xsa-large", variant, layer, zero, zero,
      [](int64_t, int64_t, int64_t, int64_t) { return 300.0; }, zero,
      [](int64_t, int64_t, int64_t i) { return std::log(i + 1.0); });
}

Case goat::cases::xsaGroups(const Variant &variant) {
  Layer layer = makeLayer(variant, 2);
  layer.queryHeads = 6;
  layer.keyHeads = 2;
  layer.queryLength = layer.keyLength = 2;
  layer.regions = std::string(causalMask) + " " + xsaRegion(layer);
  // Rows (1, 0), (0, 2) for key head 0; (0, 1), (2, 0) for key head 1. The
  // average of row 1, less its part along the own row, is half of row 0.
  Element value = [](int64_t, int64_t h, int64_t row, int64_t d) {
    return d == (row + h) % 2 ? row + 1.0 : 0.0;
  };
  return makeCase(
      "xsa-groups", variant, layer, zero, zero, value,
      [](int64_t, int64_t h, int64_t i, int64_t d) {
        return i == 1 && d == h / 3 ? 0.5 : 0.0;
      },
      [](int64_t, int64_t, int64_t i) { return std::log(i + 1.0); });
}

Case goat::cases::empty(const Variant &variant, int64_t batch,
                        int64_t queryLength, int64_t keyLength) {
  Layer layer = makeLayer(variant, 8);
  layer.batch = batch;
  layer.queryLength = queryLength;
  layer.keyLength = keyLength;
  return makeCase("empty-" + std::to_string(batch) + "-" +
                      std::to_string(queryLength) + "-" +
                      std::to_string(keyLength),
                  variant, layer, zero, zero, zero, zero,
                  [](int64_t, int64_t, int64_t) { return minusInfinity; });
}

std::vector<Case> goat::cases::allCases(const Variant &variant) {
  std::vector<Case> cases;
  for (int64_t batch : {1, 2})
    cases.push_back(maskedRow(variant, batch));
  for (double padding : {std::numeric_limits<double>::quiet_NaN(),
                         std::numeric_limits<double>::infinity()})
    cases.push_back(unreadKeys(variant, padding));
  for (int64_t length : {17, 33, 65, 129})
    cases.push_back(raggedPrior(variant, length));
  for (int64_t length : {1, 2, 15, 16, 17, 63, 64, 65, 127, 128, 129})
    cases.push_back(causalAverage(variant, length));
  // The rounding of scale · maximum goes up for some scales, down for others.
  for (float scale : {0.125f, 0.3f, 0.7f, 1.1f}) {
    cases.push_back(lateWindow(variant, scale));
    cases.push_back(nothingButMinusInfinity(variant, scale));
  }
  cases.push_back(exclusionOfMaskedRow(variant));
  cases.push_back(exclusionWithoutOwn(variant));
  for (int64_t headDim : {1, 3, 31, 40, 63, 80, 96, 192})
    cases.push_back(headDimension(variant, headDim, /*wideValue=*/false));
  for (auto [queryHeads, keyHeads] :
       {std::pair{9, 3}, {28, 4}, {64, 4}, {24, 4}, {12, 2}})
    cases.push_back(headGroups(variant, queryHeads, keyHeads));
  cases.push_back(fourier(variant));
  cases.push_back(alibiDecode(variant));
  cases.push_back(xsaParallel(variant));
  cases.push_back(xsaZeroValue(variant));
  cases.push_back(xsaLarge(variant));
  cases.push_back(xsaGroups(variant));
  cases.push_back(empty(variant, 0, 4, 4));
  cases.push_back(empty(variant, 1, 0, 4));
  cases.push_back(empty(variant, 1, 4, 0));
  return cases;
}
