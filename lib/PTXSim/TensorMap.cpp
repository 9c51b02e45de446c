//===- TensorMap.cpp - boxes of tensors in global memory ------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Encodes and checks tensor maps as the driver does, and enumerates boxes. The
// encoding is this simulator's own; the hardware's is not documented.
//
//===----------------------------------------------------------------------===//

#include "TensorMap.h"

#include <algorithm>
#include <cstring>

namespace goat::ptxsim {

namespace {

struct Encoded {
  char magic[8];
  uint64_t address;
  /// Each less one.
  uint32_t dims[5];
  uint16_t box[5];
  uint8_t elementStrides[5];
  uint8_t rank;
  uint64_t strides[4];
  uint8_t type;
  uint8_t swizzle;
  uint8_t fill;
};
static_assert(sizeof(Encoded) <= tensorMapBytes);
constexpr char magic[8] = {'G', 'O', 'A', 'T', 'M', 'A', 'P', '1'};

constexpr uint64_t maxDim = uint64_t(1) << 32;
constexpr uint64_t maxStride = uint64_t(1) << 40;
constexpr uint32_t maxBox = 256;
constexpr uint32_t maxElementStride = 8;

bool isFloat(TensorMapType type) {
  return type == TensorMapType::F16 || type == TensorMapType::BF16 ||
         type == TensorMapType::F32 || type == TensorMapType::TF32 ||
         type == TensorMapType::F64;
}

/// How many elements of the box are copied along a dimension.
uint32_t boxExtent(const TensorMapDescription &map, uint32_t d) {
  // Elements of the innermost dimension are always side by side.
  uint32_t stride = d ? map.elementStrides[d] : 1;
  return (map.box[d] + stride - 1) / stride;
}

} // namespace

uint32_t elementBytes(TensorMapType type) {
  switch (type) {
  case TensorMapType::U8:
    return 1;
  case TensorMapType::U16:
  case TensorMapType::F16:
  case TensorMapType::BF16:
    return 2;
  case TensorMapType::U32:
  case TensorMapType::S32:
  case TensorMapType::F32:
  case TensorMapType::TF32:
    return 4;
  default:
    return 8;
  }
}

Type elementType(TensorMapType type) {
  static constexpr Type types[] = {Type::U8,  Type::U16, Type::U32, Type::S32,
                                   Type::U64, Type::S64, Type::F16, Type::BF16,
                                   Type::F32, Type::F32, Type::F64};
  return types[static_cast<size_t>(type)];
}

Result<TensorMap> encodeTensorMap(const TensorMapDescription &map) {
  auto number = [](uint64_t value) { return std::to_string(value); };
  if (map.rank < 1 || map.rank > 5)
    return Error{"expected a tensor map of 1 to 5 dimensions but got " +
                 number(map.rank)};
  if (map.address % 16)
    return Error{"expected the address of a tensor map to be divisible by 16 "
                 "but got " +
                 number(map.address)};
  for (uint32_t d = 0; d < map.rank; ++d) {
    std::string where = " in dimension " + number(d) + " of a tensor map";
    if (map.dims[d] < 1 || map.dims[d] > maxDim)
      return Error{"expected an extent from 1 to 2^32" + where + " but got " +
                   number(map.dims[d])};
    if (map.box[d] < 1 || map.box[d] > maxBox)
      return Error{"expected a box from 1 to 256" + where + " but got " +
                   number(map.box[d])};
    if (map.elementStrides[d] < 1 || map.elementStrides[d] > maxElementStride)
      return Error{"expected an element stride from 1 to 8" + where +
                   " but got " + number(map.elementStrides[d])};
    if (d && (map.strides[d - 1] % 16 || map.strides[d - 1] >= maxStride))
      return Error{"expected a stride below 2^40 and divisible by 16 bytes" +
                   where + " but got " + number(map.strides[d - 1])};
  }
  uint32_t inner = map.box[0] * elementBytes(map.type);
  if (inner % 16)
    return Error{"expected the innermost extent of a box to be a multiple of "
                 "16 bytes but got " +
                 number(inner)};
  if (map.swizzle != TensorMapSwizzle::None) {
    uint32_t span = 16u << static_cast<uint32_t>(map.swizzle);
    if (inner > span)
      return Error{"expected the innermost extent of a box to be at most the " +
                   number(span) + " bytes of its swizzle but got " +
                   number(inner)};
  }
  if (map.fill == TensorMapFill::NaN && !isFloat(map.type))
    return Error{"expected a floating-point type for NaN as the fill of a "
                 "tensor map"};
  Encoded encoded{};
  std::memcpy(encoded.magic, magic, sizeof(magic));
  encoded.address = map.address;
  for (uint32_t d = 0; d < map.rank; ++d) {
    encoded.dims[d] = static_cast<uint32_t>(map.dims[d] - 1);
    encoded.box[d] = static_cast<uint16_t>(map.box[d]);
    encoded.elementStrides[d] = static_cast<uint8_t>(map.elementStrides[d]);
    if (d)
      encoded.strides[d - 1] = map.strides[d - 1];
  }
  encoded.rank = static_cast<uint8_t>(map.rank);
  encoded.type = static_cast<uint8_t>(map.type);
  encoded.swizzle = static_cast<uint8_t>(map.swizzle);
  encoded.fill = static_cast<uint8_t>(map.fill);
  TensorMap bytes{};
  std::memcpy(bytes.data(), &encoded, sizeof(encoded));
  return bytes;
}

bool decodeTensorMap(const uint8_t *bytes, TensorMapDescription &map) {
  Encoded encoded;
  std::memcpy(&encoded, bytes, sizeof(encoded));
  if (std::memcmp(encoded.magic, magic, sizeof(magic)) || encoded.rank < 1 ||
      encoded.rank > 5 ||
      encoded.type > static_cast<uint8_t>(TensorMapType::F64))
    return false;
  map.rank = encoded.rank;
  map.type = static_cast<TensorMapType>(encoded.type);
  map.address = encoded.address;
  map.swizzle = static_cast<TensorMapSwizzle>(encoded.swizzle & 3);
  map.fill = static_cast<TensorMapFill>(encoded.fill & 1);
  for (uint32_t d = 0; d < map.rank; ++d) {
    map.dims[d] = uint64_t(encoded.dims[d]) + 1;
    map.box[d] = std::max<uint32_t>(encoded.box[d], 1);
    map.elementStrides[d] = std::max<uint32_t>(encoded.elementStrides[d], 1);
    if (d)
      map.strides[d - 1] = encoded.strides[d - 1];
  }
  // A kernel may have written to a map in global memory.
  return bool(encodeTensorMap(map));
}

uint32_t boxBytes(const TensorMapDescription &map) {
  uint32_t bytes = elementBytes(map.type);
  for (uint32_t d = 0; d < map.rank; ++d)
    bytes *= boxExtent(map, d);
  return bytes;
}

std::vector<BoxPiece> boxPieces(const TensorMapDescription &map,
                                const std::array<int32_t, 5> &coordinates,
                                uint32_t sharedAddress) {
  constexpr int64_t chunkBytes = 16;
  int64_t size = elementBytes(map.type);
  int64_t innerBytes = map.box[0] * size;
  int64_t first = coordinates[0];
  // The bytes of a row that lie in the tensor, if the row does.
  int64_t begin = std::clamp<int64_t>(-first * size, 0, innerBytes);
  int64_t end = std::clamp<int64_t>(
      (static_cast<int64_t>(map.dims[0]) - first) * size, begin, innerBytes);
  uint32_t rows = 1;
  for (uint32_t d = 1; d < map.rank; ++d)
    rows *= boxExtent(map, d);
  std::vector<BoxPiece> pieces;
  for (uint32_t row = 0; row < rows; ++row) {
    uint64_t global = map.address + static_cast<uint64_t>(first * size);
    bool isInside = true;
    uint32_t rest = row;
    for (uint32_t d = 1; d < map.rank; ++d) {
      uint32_t extent = boxExtent(map, d);
      int64_t index = int64_t(coordinates[d]) +
                      int64_t(rest % extent) * map.elementStrides[d];
      rest /= extent;
      isInside &= index >= 0 && index < static_cast<int64_t>(map.dims[d]);
      global += static_cast<uint64_t>(index) * map.strides[d - 1];
    }
    uint32_t shared = sharedAddress + row * static_cast<uint32_t>(innerBytes);
    auto add = [&](int64_t from, int64_t to, bool isOutside) {
      while (from < to) {
        // Chunks stay together, whatever the swizzle.
        int64_t stop = std::min(to, (from / chunkBytes + 1) * chunkBytes);
        pieces.push_back(
            {swizzleAddress(shared + static_cast<uint32_t>(from), map.swizzle),
             static_cast<uint32_t>(stop - from), isOutside,
             isOutside ? 0 : global + static_cast<uint64_t>(from)});
        from = stop;
      }
    };
    if (!isInside) {
      add(0, innerBytes, true);
      continue;
    }
    add(0, begin, true);
    add(begin, end, false);
    add(end, innerBytes, true);
  }
  return pieces;
}

} // namespace goat::ptxsim
