//===- RequirementsTest.cpp - forms that are refused ----------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions newer than the module says, and combinations of modifiers that
// the assembler refuses.
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

std::string errorOf(const std::string &version, const std::string &target,
                    const std::string &instruction) {
  Result<Module> module = Module::parse(
      ".version " + version + "\n.target " + target +
          "\n.visible .entry k() {\n .reg .pred %p<9>; .reg .b16 %h<9>; .reg "
          ".b32 %r<9>; .reg .b64 %rd<9>;\n " +
          instruction + "\n}\n",
      "m.ptx");
  return module.error();
}

TEST(Requirements, NewerInstructionsAreRefused) {
  struct Case {
    const char *instruction;
    /// The last target and version without it, and the first with it.
    const char *oldTarget, *newTarget, *oldVersion, *newVersion;
  };
  const Case cases[] = {
      {"add.bf16 %h1, %h1, %h2;", "sm_89", "sm_90", "7.7", "7.8"},
      {"fma.rn.bf16 %h1, %h1, %h2, %h3;", "sm_75", "sm_80", "6.5", "7.0"},
      {"max.NaN.f32 %r1, %r1, %r2;", "sm_75", "sm_80", "6.5", "7.0"},
      {"min.relu.s32 %r1, %r1, %r2;", "sm_89", "sm_90", "7.8", "8.0"},
      {"tanh.approx.f32 %r1, %r2;", "sm_70", "sm_75", "6.5", "7.0"},
      {"cvt.rn.satfinite.e4m3x2.f32 %h1, %r1, %r2;", "sm_86", "sm_89", "7.7",
       "7.8"},
      {"cvt.rn.tf32.f32 %r1, %r2;", "sm_80", "sm_90", "7.7", "7.8"},
      {"cvt.rmi.u16.bf16 %h1, %h2;", "sm_80", "sm_90", "7.7", "7.8"},
      {"redux.sync.add.u32 %r1, %r2, %r3;", "sm_75", "sm_80", "6.5", "7.0"},
      {"elect.sync %r1|%p1, %r2;", "sm_80", "sm_90", "7.8", "8.0"},
      {"stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r1], {%r2};", "sm_89",
       "sm_90", "7.7", "7.8"},
      {"cp.async.wait_all;", "sm_75", "sm_80", "6.5", "7.0"},
      {"fence.acq_rel.cluster;", "sm_89", "sm_90", "7.7", "7.8"},
      {"ld.global.v4.b64 {%rd1, %rd2, %rd3, %rd4}, [%rd5];", "sm_90", "sm_100",
       "8.7", "8.8"},
      {"red.global.add.noftz.bf16x2 [%rd1], %r1;", "sm_80", "sm_90", "7.7",
       "7.8"},
  };
  for (const Case &c : cases) {
    std::string opcode(c.instruction);
    opcode = opcode.substr(0, opcode.find_first_of(" ;"));
    EXPECT_EQ(errorOf(c.newVersion, c.newTarget, c.instruction), "");
    EXPECT_EQ(errorOf(c.newVersion, c.oldTarget, c.instruction),
              std::string("m.ptx:5:2: expected .target ") + c.newTarget +
                  " or newer for '" + opcode + "', but the module says " +
                  c.oldTarget);
    EXPECT_EQ(errorOf(c.oldVersion, c.newTarget, c.instruction),
              std::string("m.ptx:5:2: expected .version ") + c.newVersion +
                  " or later for '" + opcode + "', but the module says " +
                  c.oldVersion);
  }
  // The letter behind the number counts as a newer chip of the same number.
  EXPECT_EQ(errorOf("8.7", "sm_90a", "add.bf16 %h1, %h1, %h2;"), "");
  EXPECT_EQ(errorOf("8.7", "sm_120", "add.bf16 %h1, %h1, %h2;"), "");
  EXPECT_EQ(errorOf("8.7", "sm_90, debug", "add.bf16 %h1, %h1, %h2;"), "");
}

TEST(Requirements, FormsThatDoNotExistAreRefused) {
  for (const char *instruction : {
           "setp.lo.s32 %p1, %r1, %r2;",
           "setp.lt.b32 %p1, %r1, %r2;",
           "setp.hs.f32 %p1, %r1, %r2;",
           "setp.equ.u32 %p1, %r1, %r2;",
           "setp.num.s32 %p1, %r1, %r2;",
           "setp.lt.ftz.f64 %p1, %rd1, %rd2;",
           "setp.lt.ftz.s32 %p1, %r1, %r2;",
           "set.lt.f32.f16 %r1, %h1, %h2;",
           "set.lt.f16x2.f32 %r1, %r1, %r2;",
           "selp.f16 %h1, %h1, %h2, %p1;",
           "cvt.f16.f32 %h1, %r1;",
           "cvt.rn.f32.f32 %r1, %r2;",
           "cvt.rni.u32.s32 %r1, %r2;",
           "cvt.rn.s32.f32 %r1, %r2;",
           "cvt.rni.f32.s32 %r1, %r2;",
           "cvt.s32.f32 %r1, %r2;",
           "cvt.ftz.u32.s32 %r1, %r2;",
           "cvt.rn.relu.f32.f64 %r1, %rd2;",
           "cvt.rn.sat.bf16.f32 %h1, %r2;",
           "cvt.rna.f16.f32 %h1, %r2;",
           "cvt.rp.tf32.f32 %r1, %r2;",
           "cvt.sat.u32.u32 %r1, %r2;",
           "cvt.sat.s64.u32 %rd1, %r2;",
           "cvt.rn.ftz.f64.s32 %rd1, %r2;",
           "cvt.rn.e4m3x2.f32 %h1, %r1, %r2;",
           "red.acquire.gpu.global.add.u32 [%rd1], %r1;",
           "atom.global.add.f16 %h1, [%rd1], %h2;",
           "atom.shared.add.L2::cache_hint.u32 %r1, [%rd1], %r2, %rd3;",
           "ld.shared.v4.b64 {%rd1, %rd2, %rd3, %rd4}, [%r5];",
           "barrier.red.popc.pred %p1, 0, %p2;",
       }) {
    std::string error = errorOf("8.8", "sm_100", instruction);
    EXPECT_EQ(error.substr(0, 10), "m.ptx:5:2:") << instruction << error;
  }
  EXPECT_EQ(errorOf("8.8", "sm_100", "setp.lo.s32 %p1, %r1, %r2;"),
            "m.ptx:5:2: unsupported instruction 'setp.lo.s32' at line 5: "
            "'.s32' follows 'setp.lo' in no form of the instruction");
  EXPECT_EQ(errorOf("8.8", "sm_100", "shfl.sync.up;"),
            "m.ptx:5:2: unsupported instruction 'shfl.sync.up' at line 5: "
            "expected more after 'shfl.sync.up'");
}

} // namespace
