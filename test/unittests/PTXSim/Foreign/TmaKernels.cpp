//===- TmaKernels.cpp - bulk copies and tensor maps from nvcc -------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the kernels of cuda/tma.cu against plain C++.
//
//===----------------------------------------------------------------------===//

#include "ForeignKernel.h"

#include <algorithm>

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

std::vector<int> someNumbers(size_t count) {
  std::vector<int> numbers(count);
  for (size_t i = 0; i < count; ++i)
    numbers[i] = static_cast<int>(i * 37 % 1009);
  return numbers;
}

FOREIGN_KERNEL("cuda/tma", bulkRing,
               "rows in and out by `cp.async.bulk`, mbarriers, bulk groups") {
  const int rows = 7;
  std::vector<int> in = someNumbers(128 * rows), expected, sum(128);
  auto out = device.empty<int>(in.size());
  device.launch({1}, {128}, device.upload(in), out, rows);
  for (int row = 0; row < rows; ++row)
    for (int i = 0; i < 128; ++i)
      expected.push_back(sum[i] += in[128 * row + 127 - i]);
  EXPECT_EQ(device.get(out), expected);
}

FOREIGN_KERNEL("cuda/tma", bulkReduce,
               "`cp.reduce.async.bulk`: sums and maxima in global memory") {
  std::vector<int> in = someNumbers(64 * 5), expected(64), largest(64);
  auto sums = device.zeros<int>(64), most = device.zeros<int>(64);
  device.launch({5}, {64}, device.upload(in), sums, most);
  for (size_t i = 0; i < in.size(); ++i) {
    expected[i % 64] += in[i];
    largest[i % 64] = std::max(largest[i % 64], in[i]);
  }
  EXPECT_EQ(device.get(sums), expected);
  EXPECT_EQ(device.get(most), largest);
}

struct Coordinates {
  int at[5];
};

/// One box of a tensor of 32-bit or 16-bit elements, dims[0] innermost.
struct Box {
  TensorMapType type;
  unsigned bytes;
  std::vector<uint64_t> dims;
  std::vector<uint32_t> box;
  Coordinates where;
  TensorMapSwizzle swizzle;
  std::vector<uint32_t> elementStrides = {1, 1, 1, 1, 1};
};

void runBox(Device &device, const Box &b) {
  unsigned rank = static_cast<unsigned>(b.dims.size());
  TensorMapDescription description;
  description.type = b.type;
  description.rank = rank;
  description.swizzle = b.swizzle;
  size_t elements = 1;
  uint64_t pitch = b.bytes;
  for (unsigned d = 0; d < rank; ++d) {
    description.dims[d] = b.dims[d];
    description.box[d] = b.box[d];
    description.elementStrides[d] = b.elementStrides[d];
    elements *= b.dims[d];
    pitch *= b.dims[d];
    pitch = (pitch + 15) / 16 * 16; // rows are padded to 16 bytes
    if (d + 1 < rank)
      description.strides[d] = pitch;
  }
  (void)elements;
  std::vector<uint8_t> data(pitch);
  for (size_t i = 0; i < data.size(); ++i)
    data[i] = static_cast<uint8_t>(i * 131 / 7 + 1);
  auto in = device.upload(data, "tensor");
  description.address = in.address;
  Result<TensorMap> map = encodeTensorMap(description);
  ASSERT_TRUE(bool(map)) << map.error();
  // Along dimension d the box takes every elementStrides[d]-th element.
  std::vector<uint32_t> taken = b.box;
  for (unsigned d = 1; d < rank; ++d)
    taken[d] = (b.box[d] + b.elementStrides[d] - 1) / b.elementStrides[d];
  size_t count = 1;
  for (uint32_t extent : taken)
    count *= extent;
  std::vector<uint8_t> expected(count * b.bytes);
  for (size_t i = 0; i < count; ++i) {
    size_t rest = i;
    uint64_t offset = 0;
    bool isInside = true;
    for (unsigned d = 0; d < rank; ++d) {
      int64_t at = b.where.at[d] +
                   static_cast<int64_t>(rest % taken[d] * b.elementStrides[d]);
      rest /= taken[d];
      isInside &= at >= 0 && at < static_cast<int64_t>(b.dims[d]);
      offset += static_cast<uint64_t>(at) *
                (d ? description.strides[d - 1] : b.bytes);
    }
    size_t to = i * b.bytes;
    size_t mask = b.swizzle == TensorMapSwizzle::B128  ? 0x70
                  : b.swizzle == TensorMapSwizzle::B64 ? 0x30
                  : b.swizzle == TensorMapSwizzle::B32 ? 0x10
                                                       : 0;
    to ^= to >> 3 & mask;
    if (isInside)
      std::copy_n(data.begin() + static_cast<long>(offset), b.bytes,
                  expected.begin() + static_cast<long>(to));
  }
  auto out = device.empty<uint8_t>(expected.size());
  device.config.dynamicSharedBytes =
      static_cast<uint32_t>((expected.size() + 1023) / 1024 * 1024);
  device.launch({1}, {64}, *map, static_cast<int>(rank), b.where, out,
                static_cast<int>(expected.size() / 4));
  EXPECT_EQ(device.get(out), expected);
}

FOREIGN_KERNEL("cuda/tma", tensorBoxes,
               "`cp.async.bulk.tensor` of 1 to 5 dimensions, past every edge, "
               "four swizzles, strides") {
  using T = TensorMapType;
  using S = TensorMapSwizzle;
  const Box boxes[] = {
      {T::F32, 4, {100}, {64}, {{60}}, S::None},
      {T::F32, 4, {100}, {32}, {{-5}}, S::None},
      {T::BF16, 2, {70, 20}, {64, 16}, {{0, 0}}, S::B128},
      {T::BF16, 2, {70, 20}, {64, 16}, {{16, 10}}, S::B128},
      {T::F16, 2, {70, 20}, {32, 8}, {{-3, -2}}, S::B64},
      {T::F16, 2, {70, 20}, {16, 8}, {{8, 3}}, S::B32},
      {T::F32, 4, {20, 6, 5}, {8, 4, 3}, {{15, 4, -1}}, S::None},
      {T::U8, 1, {80, 6, 5}, {64, 4, 3}, {{10, 4, 3}}, S::B64},
      {T::S32, 4, {12, 5, 4, 3}, {8, 2, 3, 2}, {{1, 4, 2, 2}}, S::None},
      {T::F32,
       4,
       {10, 4, 3, 3, 2},
       {4, 3, 2, 2, 2},
       {{7, 2, 2, 0, 1}},
       S::None},
      {T::F32, 4, {40, 30}, {8, 16}, {{3, 5}}, S::None, {1, 3, 1, 1, 1}},
  };
  for (const Box &box : boxes)
    runBox(device, box);
}

FOREIGN_KERNEL(
    "cuda/tma", tensorTranspose,
    "tiles in and out through tensor maps with the 128-byte swizzle") {
  const unsigned rows = 70, columns = 100;
  std::vector<float> in(rows * columns), expected(rows * columns);
  for (unsigned i = 0; i < in.size(); ++i) {
    in[i] = static_cast<float>(i);
    // Rows of the result are padded to a multiple of 16 bytes: 72 floats.
  }
  const unsigned pitch = 72;
  auto from = device.upload(in);
  auto to = device.zeros<float>(columns * pitch);
  TensorMapDescription description;
  description.type = TensorMapType::F32;
  description.rank = 2;
  description.swizzle = TensorMapSwizzle::B128;
  description.box = {32, 32, 1, 1, 1};
  description.dims = {columns, rows, 1, 1, 1};
  description.strides[0] = 4 * columns;
  description.address = from.address;
  Result<TensorMap> inMap = encodeTensorMap(description);
  description.dims = {rows, columns, 1, 1, 1};
  description.strides[0] = 4 * pitch;
  description.address = to.address;
  Result<TensorMap> outMap = encodeTensorMap(description);
  ASSERT_TRUE(bool(inMap) && bool(outMap));
  device.launch({4, 3}, {128}, *inMap, *outMap);
  expected.assign(columns * pitch, 0);
  for (unsigned i = 0; i < rows; ++i)
    for (unsigned j = 0; j < columns; ++j)
      expected[j * pitch + i] = in[i * columns + j];
  EXPECT_EQ(device.get(to), expected);
}

FOREIGN_KERNEL(
    "cuda/tma", multicast,
    "two blocks fetch halves for each other: `.multicast::cluster`") {
  std::vector<int> in = someNumbers(3 * 128), expected;
  auto out = device.empty<int>(6 * 128);
  device.launch({6}, {128}, device.upload(in), out);
  for (int block = 0; block < 6; ++block)
    for (int i = 0; i < 128; ++i)
      expected.push_back(in[block / 2 * 128 + 127 - i] + block % 2);
  EXPECT_EQ(device.get(out), expected);
}

FOREIGN_KERNEL(
    "cuda/tma", storesAcross,
    "`st.async` and bulk copies into the next block of the cluster") {
  std::vector<int> in = someNumbers(8 * 64), expected;
  auto out = device.empty<int>(in.size());
  device.launch({8}, {64}, device.upload(in), out);
  for (int block = 0; block < 8; ++block)
    for (int i = 0; i < 64; ++i) {
      const int *from = &in[64 * (block / 4 * 4 + (block + 3) % 4)];
      expected.push_back(from[63 - i] * 1000 + from[i] * 2);
    }
  EXPECT_EQ(device.get(out), expected);
}

} // namespace
