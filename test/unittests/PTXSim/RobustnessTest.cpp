//===- RobustnessTest.cpp - damaged PTX never crashes ---------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Seeded damage to valid text: swapped, dropped and doubled tokens. What still
// parses is run for a while; whatever it does ends in findings, not in a crash.
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

#include <random>

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

const char *functions = R"(
.shared .align 16 .b8 s[1024];
.global .align 8 .u64 table[2] = {table, 7};
.func (.param .b32 ret) twice(.param .b32 n) {
  .reg .b32 %r<3>;
  ld.param.u32 %r1, [n];
  add.u32 %r2, %r1, %r1;
  st.param.b32 [ret], %r2;
  ret;
}
)";

const char *body = R"(
  .local .align 16 .b8 depot[32];
  mov.u64 %rd5, depot;
  st.local.v2.u32 [%rd5+8], {%r0, %r0};
  ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];
  mov.u32 %r10, s;
  shl.b32 %r11, %r0, 4;
  add.u32 %r10, %r10, %r11;
  cp.async.cg.shared.global [%r10], [%rd1], 16;
  cp.async.commit_group;
  cp.async.wait_group 0;
  bar.sync 0;
  ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r5, %r6, %r7, %r8}, [%r10];
  mov.f32 %f1, 0f3F800000;
  mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1, %f2, %f3, %f4}, {%r5, %r6, %r7, %r8}, {%r5, %r6}, {%f1, %f1, %f1, %f1};
  shfl.sync.bfly.b32 %r9|%p1, %r1, 1, 31, -1;
  setp.lt.and.u32 %p2|%p3, %r0, 7, %p1;
  @%p2 bra SKIP;
  { .param .b32 a; .param .b32 b;
    st.param.b32 [a], %r0;
    call (b), twice, (a);
    mov.u64 %rd6, twice;
    proto: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (b), %rd6, (a), proto;
    ld.param.b32 %r12, [b]; }
  atom.shared.add.u32 %r13, [%r10], 1;
SKIP:
  cvt.rn.bf16x2.f32 %r14, %f1, %f2;
  selp.b32 %r15, %r14, %r9, %p3;
  ts: .branchtargets ONE, TWO;
  and.b32 %r16, %r0, 1;
  brx.idx %r16, ts;
ONE:
  add.u32 %r15, %r15, 1;
TWO:
  st.global.v2.b32 [%rd2], {%r15, %r9};
)";

/// Start and length of every word or mark in `text`.
std::vector<std::pair<size_t, size_t>> tokens(const std::string &text) {
  std::vector<std::pair<size_t, size_t>> result;
  auto isWord = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' ||
           c == '%' || c == '$' || c == '.';
  };
  for (size_t i = 0; i < text.size();) {
    size_t begin = i++;
    if (std::isspace(static_cast<unsigned char>(text[begin])))
      continue;
    while (isWord(text[begin]) && i < text.size() && isWord(text[i]))
      ++i;
    result.push_back({begin, i - begin});
  }
  return result;
}

TEST(Robustness, DamagedTextEndsInErrorsOrFindings) {
  const std::string text = wrap(body, functions);
  KernelRun whole = runText(text, {}, threads(64));
  EXPECT_EQ(whole.findings(), "");
  auto all = tokens(text);
  unsigned parsed = 0;
  for (unsigned trial = 0; trial < 8000; ++trial) {
    std::mt19937 random(trial);
    std::string damaged = text;
    auto [a, aLength] = all[random() % all.size()];
    auto [b, bLength] = all[random() % all.size()];
    std::string other = text.substr(b, bLength);
    switch (random() % 4) {
    case 0:
      damaged.replace(a, aLength, other);
      break;
    case 1:
      damaged.erase(a, aLength);
      break;
    case 2:
      damaged.insert(a, other + " ");
      break;
    default:
      damaged[a] = static_cast<char>(random() % 256);
    }
    Result<Module> module = Module::parse(damaged, "damaged.ptx");
    if (!module) {
      EXPECT_EQ(module.error().compare(0, 11, "damaged.ptx"), 0)
          << module.error();
      continue;
    }
    ++parsed;
    Memory memory;
    uint64_t in = memory.allocate(1024, "in", 256, Init::Zero);
    uint64_t out = memory.allocate(1024, "out");
    LaunchConfig config = threads(64, trial);
    config.maxBlockInstructions = 5000;
    launch(*module, "k", memory, Arguments().pointer(in).pointer(out), config);
  }
  EXPECT_GT(parsed, 200u);
}

} // namespace
