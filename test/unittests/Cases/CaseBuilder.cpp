//===- CaseBuilder.cpp - layers as text, tensors by formulas --------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of a layer, and its tensors.
//
//===----------------------------------------------------------------------===//

#include "CaseBuilder.h"

#include <cmath>

using namespace goat;
using namespace goat::cases;
using goat::reference::Tensor;

const char *const goat::cases::causalMask = R"(mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    })";

Layer goat::cases::makeLayer(const Variant &variant, int64_t ownDim) {
  Layer layer;
  layer.ownDim = layer.ownValueDim = ownDim;
  layer.headDim = layer.valueDim = std::max(variant.headDim, ownDim);
  layer.scale = 1.0f / std::sqrt(static_cast<float>(ownDim));
  return layer;
}

static std::string tensorType(const Variant &variant,
                              std::vector<int64_t> sizes,
                              const std::string &element) {
  std::string text = "tensor<";
  for (size_t n = 0; n < sizes.size(); ++n)
    text += (variant.dynamicSizes && (n == 0 || n == 2)
                 ? "?"
                 : std::to_string(sizes[n])) +
            "x";
  return text + element + ">";
}

std::string goat::cases::layerText(const Variant &variant, const Layer &layer) {
  auto type = [&](int64_t heads, int64_t length, int64_t width) {
    return tensorType(variant, {layer.batch, heads, length, width},
                      variant.element);
  };
  std::string query = type(layer.queryHeads, layer.queryLength, layer.headDim);
  std::string key = type(layer.keyHeads, layer.keyLength, layer.headDim);
  std::string value = type(layer.keyHeads, layer.keyLength, layer.valueDim);
  std::string out = type(layer.queryHeads, layer.queryLength, layer.valueDim);
  std::string lse = tensorType(
      variant, {layer.batch, layer.queryHeads, layer.queryLength}, "f32");
  char scale[32];
  snprintf(scale, sizeof scale, "%.9e", layer.scale);
  return "func.func @attention(%q: " + query + ", %k: " + key +
         ", %v: " + value + layer.parameters + ") -> (" + out + ", " + lse +
         ") {\n  %out, %lse = goat.attention %q, %k, %v " + layer.operands +
         "\n    " + layer.regions + " attributes {static_scale = " + scale +
         " : f32" + layer.attributes + "}\n      : (" + query + ", " + key +
         ", " + value + ") -> (" + out + ", " + lse +
         ")\n  return %out, %lse : " + out + ", " + lse + "\n}\n";
}

void goat::cases::nameRows(Layer &layer) {
  for (size_t at; (at = layer.regions.find("ROW")) != std::string::npos;)
    layer.regions.replace(at, 3, std::to_string(layer.valueDim));
}

Tensor goat::cases::tokens(int64_t batch, int64_t heads, int64_t length,
                           int64_t ownDim, int64_t headDim,
                           const Element &element) {
  Tensor tensor{{batch, heads, length, headDim}, {}};
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t row = 0; row < length; ++row)
        for (int64_t d = 0; d < headDim; ++d)
          tensor.data.push_back(d < ownDim ? element(b, h, row, d) : 0.0);
  return tensor;
}

Case goat::cases::makeCase(std::string name, const Variant &variant,
                           const Layer &layer, const Element &query,
                           const Element &key, const Element &value,
                           const Element &out, const RowAnswer &lse) {
  Case result;
  result.name = std::move(name);
  result.text = layerText(variant, layer);
  result.arguments = {tokens(layer.batch, layer.queryHeads, layer.queryLength,
                             layer.ownDim, layer.headDim, query),
                      tokens(layer.batch, layer.keyHeads, layer.keyLength,
                             layer.ownDim, layer.headDim, key),
                      tokens(layer.batch, layer.keyHeads, layer.keyLength,
                             layer.ownValueDim, layer.valueDim, value)};
  result.expected = {tokens(layer.batch, layer.queryHeads, layer.queryLength,
                            layer.ownValueDim, layer.valueDim, out),
                     {{layer.batch, layer.queryHeads, layer.queryLength}, {}}};
  for (int64_t b = 0; b < layer.batch; ++b)
    for (int64_t h = 0; h < layer.queryHeads; ++h)
      for (int64_t i = 0; i < layer.queryLength; ++i)
        result.expected[1].data.push_back(lse(b, h, i));
  return result;
}

std::string goat::cases::rowType(const Layer &layer) {
  return "tensor<" + std::to_string(layer.valueDim) + "xf32>";
}

std::string goat::cases::xsaRegion(const Layer &layer,
                                   const std::string &attributes) {
  std::string row = rowType(layer);
  return "exclude {\n    ^bb0(%y: " + row + ", %own: " + row +
         ", %b: index, %h: index, %i: index):\n      %z = goat.xsa %y, %own " +
         attributes + " : " + row + "\n      goat.yield %z : " + row +
         "\n    }";
}
