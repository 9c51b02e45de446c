//===- TensorMapText.cpp - tensor maps as text ----------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents are written as NumPy writes them, outermost first.
//
//===----------------------------------------------------------------------===//

#include "TensorMapText.h"
#include "../TensorMap.h"
#include "Text.h"

#include <algorithm>

namespace goat::ptxsim {

namespace {

constexpr std::pair<std::string_view, TensorMapType> types[] = {
    {"u8", TensorMapType::U8},   {"u16", TensorMapType::U16},
    {"u32", TensorMapType::U32}, {"i32", TensorMapType::S32},
    {"u64", TensorMapType::U64}, {"i64", TensorMapType::S64},
    {"f16", TensorMapType::F16}, {"bf16", TensorMapType::BF16},
    {"f32", TensorMapType::F32}, {"tf32", TensorMapType::TF32},
    {"f64", TensorMapType::F64}};

/// Takes "NAME[a,b,...]" off the front of `text`, innermost extent first.
bool takeExtents(std::string_view &text, std::string_view &name,
                 std::vector<uint64_t> &extents) {
  size_t open = text.find('['), close = text.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos ||
      close < open)
    return false;
  name = text.substr(0, open);
  std::string_view list = text.substr(open + 1, close - open - 1);
  text.remove_prefix(close + 1);
  while (true) {
    size_t comma = list.find(',');
    extents.push_back(0);
    if (!parseUnsigned(list.substr(0, comma), UINT32_MAX, extents.back()))
      return false;
    if (comma == std::string_view::npos)
      break;
    list.remove_prefix(comma + 1);
  }
  std::reverse(extents.begin(), extents.end());
  return extents.size() <= 5;
}

} // namespace

std::string parseTensorMap(std::string_view text, TensorMapDescription &map) {
  std::string error = "expected a tensor map such as "
                      "f16[128,64],box[64,64],swizzle=128,fill=nan but got '" +
                      std::string(text) + "'";
  std::string_view name;
  std::vector<uint64_t> shape, box;
  if (!takeExtents(text, name, shape))
    return error;
  auto type = std::find_if(std::begin(types), std::end(types),
                           [&](const auto &row) { return row.first == name; });
  if (type == std::end(types) || !takeExtents(text, name, box) ||
      name != ",box" || box.size() != shape.size())
    return error;
  map.type = type->second;
  map.rank = static_cast<uint32_t>(shape.size());
  uint64_t stride = elementBytes(map.type);
  for (uint32_t d = 0; d < map.rank; ++d) {
    map.dims[d] = shape[d];
    map.box[d] = static_cast<uint32_t>(box[d]);
    if (d)
      map.strides[d - 1] = stride;
    stride *= shape[d];
  }
  while (!text.empty()) {
    size_t end = std::min(text.find(',', 1), text.size());
    std::string_view option = text.substr(0, end);
    text.remove_prefix(end);
    if (option == ",swizzle=128")
      map.swizzle = TensorMapSwizzle::B128;
    else if (option == ",swizzle=64")
      map.swizzle = TensorMapSwizzle::B64;
    else if (option == ",swizzle=32")
      map.swizzle = TensorMapSwizzle::B32;
    else if (option == ",fill=nan")
      map.fill = TensorMapFill::NaN;
    else
      return error;
  }
  return "";
}

} // namespace goat::ptxsim
