//===- TensorMapTest.cpp - tensor maps and their copies -------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Boxes of 1 to 5 dimensions with every swizzle against plain loops over the
// tensor.
//
//===----------------------------------------------------------------------===//

#include "HopperUtils.h"

#include <algorithm>

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

/// A tensor of 16-bit numbers that count up, with rows padded to 16 bytes.
struct Tensor {
  std::vector<uint64_t> dims;
  std::array<uint64_t, 4> strides{};
  std::vector<uint16_t> data;

  explicit Tensor(std::vector<uint64_t> extents) : dims(std::move(extents)) {
    uint64_t bytes = (dims[0] * 2 + 15) / 16 * 16;
    for (size_t d = 1; d < dims.size(); ++d) {
      strides[d - 1] = bytes;
      bytes *= dims[d];
    }
    data.resize(bytes / 2);
    for (size_t i = 0; i < data.size(); ++i)
      data[i] = static_cast<uint16_t>(i + 1);
  }
  /// What the hardware reads there.
  uint16_t at(const std::array<int64_t, 5> &index, uint16_t outside) const {
    uint64_t offset = 0;
    for (size_t d = 0; d < dims.size(); ++d) {
      if (index[d] < 0 || index[d] >= static_cast<int64_t>(dims[d]))
        return outside;
      offset += static_cast<uint64_t>(index[d]) * (d ? strides[d - 1] : 2);
    }
    return data[offset / 2];
  }
  TensorMapDescription describe(uint64_t address,
                                std::vector<uint32_t> box) const {
    TensorMapDescription map;
    map.rank = static_cast<uint32_t>(dims.size());
    map.address = address;
    std::copy(dims.begin(), dims.end(), map.dims.begin());
    map.strides = strides;
    std::copy(box.begin(), box.end(), map.box.begin());
    return map;
  }
};

/// One warp: `body` with the map at %rd10, coordinates in %r20 to %r24, shared
/// memory `data` of 8 KiB, and `bar` initialised with 1.
std::string kernel(const std::string &body, bool isByValue = true) {
  std::string text = wrap90(
      R"(
ld.param.v4.u32 {%r20, %r21, %r22, %r23}, [coords];
ld.param.u32 %r24, [coords+16];
)" +
          std::string(isByValue
                          ? "mov.b64 %rd10, map; cvta.param.u64 %rd10, %rd10;"
                          : "ld.param.u64 %rd10, [map];") +
          R"(
setp.ne.u32 %p1, %r0, 0;
@!%p1 mbarrier.init.shared::cta.b64 [bar], 1;
mov.u32 %r30, data;
bar.warp.sync -1;
)" + body,
      ".shared .align 8 .b64 bar[1];\n"
      ".shared .align 1024 .b8 data[8192];\n");
  std::string params =
      isByValue ? ", .param .align 64 .b8 map[128]" : ", .param .u64 map";
  text.insert(text.find("out) {") + 3,
              params + ", .param .align 16 .b8 coords[20]");
  return text;
}

/// Loads a box and copies `words` words of shared memory to `out`.
std::string loadBox(unsigned rank, unsigned bytes, const std::string &where) {
  static const char *coordinates[] = {"%r20", "%r20, %r21", "%r20, %r21, %r22",
                                      "%r20, %r21, %r22, %r23",
                                      "%r20, %r21, %r22, %r23, %r24"};
  return "@%p1 bra WAIT;\n"
         "prefetch.tensormap [%rd10];\n"
         "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], " +
         std::to_string(bytes) + ";\ncp.async.bulk.tensor." +
         std::to_string(rank) +
         "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r30" +
         where + "], [%rd10, {" + coordinates[rank - 1] +
         "}], [bar];\nWAIT:\n"
         "LOOP:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;\n"
         "@!%p2 bra LOOP;\n";
}

std::string dump(unsigned bytes) {
  return "shl.b32 %r31, %r0, 2; ld.param.u64 %rd20, [out];\n"
         "cvt.u64.u32 %rd21, %r31; add.u64 %rd20, %rd20, %rd21;\n"
         "add.u32 %r32, %r30, %r31; mov.u32 %r33, 0;\n"
         "DUMP:\nld.shared.u32 %r34, [%r32]; st.global.u32 [%rd20], %r34;\n"
         "add.u32 %r32, %r32, 128; add.u64 %rd20, %rd20, 128;\n"
         "add.u32 %r33, %r33, 128;\n"
         "setp.lt.u32 %p4, %r33, " +
         std::to_string(bytes) + ";\n@%p4 bra DUMP;\n";
}

struct BoxRun {
  std::string findings;
  std::vector<uint16_t> out;
  std::vector<uint16_t> tensor;
};

BoxRun runBox(const std::string &text, const Tensor &tensor,
              TensorMapDescription map, std::array<int32_t, 5> coordinates,
              unsigned bytes, bool isByValue = true) {
  BoxRun run;
  Result<Module> module = Module::parse(text, "box.ptx");
  EXPECT_TRUE(bool(module)) << module.error();
  if (!module)
    return run;
  Memory memory;
  uint64_t size = tensor.data.size() * 2;
  map.address = memory.allocate(size, "tensor");
  memory.write(map.address, tensor.data.data(), size);
  uint64_t out = memory.allocate(bytes, "out", 256, Init::Zero);
  Result<TensorMap> encoded = encodeTensorMap(map);
  EXPECT_TRUE(bool(encoded)) << encoded.error();
  if (!encoded)
    return run;
  Arguments arguments;
  arguments.pointer(out).pointer(out);
  if (isByValue) {
    arguments.tensorMap(*encoded);
  } else {
    uint64_t at = memory.allocate(128, "map");
    memory.write(at, encoded->data(), 128);
    arguments.pointer(at);
  }
  arguments.bytes(coordinates.data(), 20);
  auto result = launch(*module, "k", memory, arguments, threads(32));
  EXPECT_TRUE(bool(result)) << result.error();
  if (!result)
    return run;
  for (const Finding &finding : result->findings)
    run.findings += finding.str() + "\n";
  run.out.resize(bytes / 2);
  memory.read(out, run.out.data(), bytes);
  run.tensor.resize(tensor.data.size());
  memory.read(map.address, run.tensor.data(), size);
  return run;
}

TEST(TensorMap, BoxesOfEveryRank) {
  struct Case {
    std::vector<uint64_t> dims;
    std::vector<uint32_t> box;
    std::array<int32_t, 5> at;
  };
  // Inside, across the lower and the upper edges.
  const Case cases[] = {
      {{100}, {64}, {3}},
      {{100}, {64}, {-5}},
      {{100}, {64}, {70}},
      {{20, 9}, {16, 4}, {2, 1}},
      {{20, 9}, {16, 8}, {9, 5}},
      {{20, 9}, {16, 8}, {-3, -2}},
      {{12, 5, 6}, {8, 4, 4}, {6, 2, 3}},
      {{10, 3, 4, 5}, {8, 2, 2, 4}, {3, 2, -1, 2}},
      {{10, 3, 4, 3, 3}, {8, 2, 2, 2, 4}, {-1, 0, 3, 1, -1}},
  };
  for (const Case &c : cases)
    for (bool isByValue : {true, false}) {
      Tensor tensor(c.dims);
      unsigned count = 1;
      for (uint32_t extent : c.box)
        count *= extent;
      unsigned rank = static_cast<unsigned>(c.box.size());
      BoxRun run = runBox(
          kernel(loadBox(rank, 2 * count, "") + dump(2 * count), isByValue),
          tensor, tensor.describe(0, c.box), c.at, 2 * count, isByValue);
      EXPECT_EQ(run.findings, "");
      for (unsigned i = 0; i < count && !run.out.empty(); ++i) {
        std::array<int64_t, 5> index{};
        unsigned rest = i;
        for (unsigned d = 0; d < rank; ++d) {
          index[d] = int64_t(c.at[d]) + rest % c.box[d];
          rest /= c.box[d];
        }
        EXPECT_EQ(run.out[i], tensor.at(index, 0)) << rank << "d, " << i;
      }
    }
}

TEST(TensorMap, Swizzles) {
  // Rows of the span of the swizzle. Within 1024, 512 and 256 bytes the chunk
  // of 16 bytes at column c of row r goes to c ^ r, c ^ r/2 and c ^ r/4.
  struct Case {
    TensorMapSwizzle swizzle;
    uint32_t span, rowsPerStep;
  };
  for (const Case &c : {Case{TensorMapSwizzle::B128, 128, 1},
                        Case{TensorMapSwizzle::B64, 64, 2},
                        Case{TensorMapSwizzle::B32, 32, 4}}) {
    Tensor tensor({200, 40});
    uint32_t columns = c.span / 2, rows = 32, bytes = rows * c.span;
    TensorMapDescription map = tensor.describe(0, {columns, rows});
    map.swizzle = c.swizzle;
    BoxRun run = runBox(kernel(loadBox(2, bytes, "") + dump(bytes)), tensor,
                        map, {4, 2}, bytes);
    EXPECT_EQ(run.findings, "");
    for (uint32_t r = 0; r < rows && !run.out.empty(); ++r)
      for (uint32_t column = 0; column < columns; ++column) {
        uint32_t chunk = column / 8 ^ r / c.rowsPerStep % (c.span / 16);
        EXPECT_EQ(run.out[r * columns + chunk * 8 + column % 8],
                  tensor.at({4 + column, 2 + r}, 0));
      }
  }
}

TEST(TensorMap, TheSwizzleFollowsTheAddress) {
  // 256 bytes further on the pattern has gone on by two rows.
  Tensor tensor({64, 8});
  TensorMapDescription map = tensor.describe(0, {64, 4});
  map.swizzle = TensorMapSwizzle::B128;
  BoxRun run =
      runBox(kernel("st.shared.u32 [%r30], 0;\n" + loadBox(2, 512, "+256") +
                    "add.u32 %r30, %r30, 256;\n" + dump(512)),
             tensor, map, {0, 0}, 512);
  EXPECT_EQ(run.out[0 * 64 + 2 * 8], tensor.at({0, 0}, 0));
  EXPECT_EQ(run.out[1 * 64 + 3 * 8], tensor.at({0, 1}, 0));
}

TEST(TensorMap, StridesOfElements) {
  Tensor tensor({16, 20});
  TensorMapDescription map = tensor.describe(0, {16, 8});
  map.elementStrides = {1, 3, 1, 1, 1};
  // Rows 1, 4 and 7.
  BoxRun run = runBox(kernel(loadBox(2, 96, "") +
                             "setp.lt.u32 %p5, %r0, 24;\n@!%p5 bra DONE;\n" +
                             dump(96) + "DONE:\n"),
                      tensor, map, {0, 1}, 96);
  EXPECT_EQ(run.findings, "");
  for (unsigned r = 0; r < 3; ++r)
    EXPECT_EQ(run.out[r * 16 + 5], tensor.at({5, 1 + 3 * r}, 0));
}

TEST(TensorMap, FillsWithNaN) {
  Tensor tensor({16, 2});
  TensorMapDescription map = tensor.describe(0, {16, 4});
  map.fill = TensorMapFill::NaN;
  BoxRun run =
      runBox(kernel(loadBox(2, 128, "") + dump(128)), tensor, map, {8, 0}, 128);
  EXPECT_EQ(run.findings, "");
  EXPECT_EQ(run.out[7], tensor.at({15, 0}, 0));
  for (unsigned i : {8u, 24u, 32u}) {
    EXPECT_EQ(run.out[i] & 0x7c00, 0x7c00);
    EXPECT_NE(run.out[i] & 0x03ff, 0);
  }
}

TEST(TensorMap, StoresAndReducesWhatIsInside) {
  for (bool isReduction : {false, true}) {
    Tensor tensor({20, 9});
    TensorMapDescription map = tensor.describe(0, {16, 4});
    map.type = TensorMapType::U16;
    if (isReduction)
      map.type = TensorMapType::F16;
    std::string body =
        "shl.b32 %r31, %r0, 2; add.u32 %r32, %r30, %r31;\n"
        "st.shared.u32 [%r32], 0x00010001;\n"
        "fence.proxy.async.shared::cta;\nbar.warp.sync -1;\n"
        "@%p1 bra DONE;\n" +
        std::string(isReduction ? "cp.reduce.async.bulk.tensor.2d.global."
                                  "shared::cta.add.tile.bulk_group"
                                : "cp.async.bulk.tensor.2d.global.shared::cta"
                                  ".tile.bulk_group") +
        " [%rd10, {%r20, %r21}], [%r30];\n"
        "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nDONE:\n";
    BoxRun run = runBox(kernel(body), tensor, map, {12, 7}, 128);
    EXPECT_EQ(run.findings, "");
    for (unsigned row = 0; row < 9 && !run.tensor.empty(); ++row)
      for (unsigned column = 0; column < 24; ++column) {
        uint16_t before = tensor.data[row * 24 + column];
        bool isInside = row >= 7 && column >= 12 && column < 20;
        // As halves the small numbers are subnormals, and add up.
        EXPECT_EQ(run.tensor[row * 24 + column], !isInside     ? before
                                                 : isReduction ? before + 1
                                                               : 1);
      }
  }
}

TEST(TensorMap, WhatTheKernelPassesMustBeOne) {
  Tensor tensor({64});
  TensorMapDescription map = tensor.describe(0, {64});
  auto findings = [&](const std::string &body) {
    return runBox(kernel(body), tensor, map, {0}, 128).findings;
  };
  EXPECT_EQ(findings(loadBox(1, 128, "") + dump(128)), "");
  std::string load = "@%p1 bra DONE;\ncp.async.bulk.tensor.1d.shared::cluster."
                     "global.tile.mbarrier::complete_tx::bytes [%r30], [%rd10, "
                     "{%r20}], [bar];\nDONE:\n";
  EXPECT_NE(findings("add.u64 %rd10, %rd10, 8;\n" + load).find("misaligned"),
            std::string::npos);
  EXPECT_NE(
      findings("ld.param.u64 %rd10, [out];\n" + load).find("bad-descriptor"),
      std::string::npos);
  EXPECT_NE(findings("mov.u64 %rd10, 0;\n" + load).find("out-of-bounds"),
            std::string::npos);
  EXPECT_NE(findings("add.u32 %r30, %r30, 64;\n" + load).find("misaligned"),
            std::string::npos);
  // The map says more than there is.
  map.dims[0] = 1000;
  EXPECT_NE(findings("mov.u32 %r20, 60;\n" + load)
                .find("16 bytes of global memory that are not allocated"),
            std::string::npos);
  map = Tensor({8, 8}).describe(0, {8, 8});
  EXPECT_NE(findings(load).find("expected a tensor map of 1 dimensions"),
            std::string::npos);
}

TEST(TensorMap, EncodingChecksAsTheDriverDoes) {
  Tensor tensor({64, 8});
  auto errorOf = [&](auto change) {
    TensorMapDescription map = tensor.describe(256, {64, 8});
    change(map);
    Result<TensorMap> result = encodeTensorMap(map);
    return result ? std::string() : result.error();
  };
  using Map = TensorMapDescription;
  EXPECT_EQ(errorOf([](Map &) {}), "");
  EXPECT_EQ(errorOf([](Map &map) { map.rank = 6; }),
            "expected a tensor map of 1 to 5 dimensions but got 6");
  EXPECT_EQ(errorOf([](Map &map) { map.address = 8; }),
            "expected the address of a tensor map to be divisible by 16 but "
            "got 8");
  EXPECT_EQ(errorOf([](Map &map) { map.dims[1] = 0; }),
            "expected an extent from 1 to 2^32 in dimension 1 of a tensor map "
            "but got 0");
  EXPECT_EQ(errorOf([](Map &map) { map.box[0] = 264; }),
            "expected a box from 1 to 256 in dimension 0 of a tensor map but "
            "got 264");
  EXPECT_EQ(errorOf([](Map &map) { map.elementStrides[1] = 9; }),
            "expected an element stride from 1 to 8 in dimension 1 of a tensor "
            "map but got 9");
  EXPECT_EQ(errorOf([](Map &map) { map.strides[0] = 130; }),
            "expected a stride below 2^40 and divisible by 16 bytes in "
            "dimension 1 of a tensor map but got 130");
  EXPECT_EQ(errorOf([](Map &map) { map.box[0] = 4; }),
            "expected the innermost extent of a box to be a multiple of 16 "
            "bytes but got 8");
  EXPECT_EQ(errorOf([](Map &map) { map.swizzle = TensorMapSwizzle::B64; }),
            "expected the innermost extent of a box to be at most the 64 bytes "
            "of its swizzle but got 128");
  EXPECT_EQ(errorOf([](Map &map) {
              map.type = TensorMapType::U16;
              map.fill = TensorMapFill::NaN;
            }),
            "expected a floating-point type for NaN as the fill of a tensor "
            "map");
}

} // namespace
