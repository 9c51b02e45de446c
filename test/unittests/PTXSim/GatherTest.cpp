//===- GatherTest.cpp - rows of tensors, one coordinate each --------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cp.async.bulk.tensor with .tile::gather4 and .tile::scatter4 on a tensor of
// 10 rows of 32 fp32.
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

constexpr unsigned numRows = 10, width = 32;

/// One thread gathers rows 7, 2, 12 and 2 from column 4 on, and scatters what
/// came to rows 0, 11, 5 and 9 of the same columns.
const char *kernel = R"(.version 8.8
.target sm_100a
.address_size 64
.shared .align 128 .b32 data[64];
.shared .align 8 .b64 bar[1];
.visible .entry k(.param .align 64 .b8 map[128], .param .u64 out) {
  .reg .pred %p<2>;
  .reg .b32 %r<20>;
  .reg .b64 %rd<8>;
  mov.b64 %rd1, map;
  cvta.param.u64 %rd1, %rd1;
  ld.param.u64 %rd2, [out];
  mbarrier.init.shared::cta.b64 [bar], 1;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 256;
  mov.u32 %r1, 4;
  mov.u32 %r2, 7;
  mov.u32 %r3, 2;
  mov.u32 %r4, 12;
  cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes
    [data], [%rd1, {%r1, %r2, %r3, %r4, %r3}], [bar];
WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0;
  @!%p1 bra WAIT;
  mov.u32 %r5, 0;
  mov.u32 %r6, data;
COPY:
  ld.shared.u32 %r7, [%r6];
  st.global.u32 [%rd2], %r7;
  add.u32 %r6, %r6, 4;
  add.u64 %rd2, %rd2, 4;
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p1, %r5, 64;
  @%p1 bra COPY;
  mov.u32 %r10, 0;
  mov.u32 %r11, 11;
  mov.u32 %r12, 5;
  mov.u32 %r13, 9;
  cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group
    [%rd1, {%r1, %r10, %r11, %r12, %r13}], [data];
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
  ret;
}
)";

struct GatherRun {
  LaunchResult result;
  std::vector<uint32_t> gathered, tensor;
};

GatherRun run(uint32_t boxRows, uint64_t seed) {
  GatherRun run;
  Result<Module> module = Module::parse(kernel, "gather.ptx");
  EXPECT_TRUE(bool(module)) << module.error();
  if (!module)
    return run;
  run.tensor.resize(numRows * width);
  for (unsigned i = 0; i < run.tensor.size(); ++i)
    run.tensor[i] = i + 1;
  run.gathered.resize(64);
  Memory memory;
  uint64_t tensor = memory.allocate(4 * run.tensor.size(), "tensor");
  uint64_t out = memory.allocate(4 * 64, "out");
  memory.write(tensor, run.tensor.data(), 4 * run.tensor.size());
  TensorMapDescription map;
  map.rank = 2;
  map.type = TensorMapType::U32;
  map.address = tensor;
  map.dims = {width, numRows};
  map.strides = {4 * width};
  map.box = {16, boxRows};
  Result<TensorMap> encoded = encodeTensorMap(map);
  EXPECT_TRUE(bool(encoded)) << encoded.error();
  LaunchConfig config = threads(1, seed);
  Result<LaunchResult> result = launch(
      *module, "k", memory,
      Arguments().bytes(encoded->data(), encoded->size()).pointer(out), config);
  EXPECT_TRUE(bool(result)) << result.error();
  if (result)
    run.result = *result;
  memory.read(out, run.gathered.data(), 4 * 64);
  memory.read(tensor, run.tensor.data(), 4 * run.tensor.size());
  return run;
}

TEST(Gather, RowsComeAndGoByTheirCoordinates) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    GatherRun got = run(1, seed);
    for (const Finding &finding : got.result.findings)
      ADD_FAILURE() << finding.str();
    const unsigned rows[] = {7, 2, 12, 2}, to[] = {0, 11, 5, 9};
    for (unsigned i = 0; i < 4; ++i)
      for (unsigned c = 0; c < 16; ++c) {
        // Row 12 is outside, and zero.
        uint32_t value = rows[i] < numRows ? rows[i] * width + 4 + c + 1 : 0;
        EXPECT_EQ(got.gathered[16 * i + c], value);
        if (to[i] < numRows)
          EXPECT_EQ(got.tensor[to[i] * width + 4 + c], value);
      }
    EXPECT_EQ(got.tensor[3], 4u);
    EXPECT_EQ(got.tensor[width + 4], width + 5);
  }
}

TEST(Gather, TheBoxIsOneRow) {
  GatherRun got = run(2, 0);
  ASSERT_FALSE(got.result.findings.empty());
  EXPECT_EQ(got.result.findings[0].kind, FindingKind::BadDescriptor);
  EXPECT_NE(got.result.findings[0].message.find("a box of one row"),
            std::string::npos);
}

} // namespace
