//===- ParserTest.cpp - what the parser takes and refuses -----------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Directives, scopes, literals, kernel descriptions, and errors with their
// place.
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

#include <algorithm>

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

std::string errorOf(const std::string &text) {
  Result<Module> module = Module::parse(text, "m.ptx");
  EXPECT_FALSE(bool(module));
  return module.error();
}

TEST(Parser, DescribesKernels) {
  Result<Module> module = Module::parse(header + R"(
.extern .shared .align 16 .b8 dynamic[];
.visible .entry first(.param .u64 .ptr .global .align 16 p,
                      .param .u32 n,
                      .param .align 8 .b8 blob[24],
                      .param .u8 flag)
.maxntid 128, 2, 1
.minnctapersm 2
{
  .shared .align 4 .b8 fixed[100];
  .reg .b32 %r<4>;
  mov.u32 %r1, fixed;
  mov.u32 %r2, dynamic;
  ret;
}
.entry second() .reqntid 64 { ret; }
)",
                                        "m.ptx");
  ASSERT_TRUE(bool(module)) << module.error();
  EXPECT_EQ(module->version(), "8.7");
  EXPECT_EQ(module->target(), "sm_90a");
  auto kernels = module->kernels();
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].name, "first");
  ASSERT_EQ(kernels[0].params.size(), 4u);
  EXPECT_EQ(kernels[0].params[1].offset, 8u);
  EXPECT_EQ(kernels[0].params[2].offset, 16u);
  EXPECT_EQ(kernels[0].params[2].size, 24u);
  EXPECT_EQ(kernels[0].params[2].alignment, 8u);
  EXPECT_EQ(kernels[0].params[3].offset, 40u);
  EXPECT_EQ(kernels[0].params[3].size, 1u);
  EXPECT_EQ(kernels[0].maxThreads, (std::array<uint32_t, 3>{128, 2, 1}));
  EXPECT_EQ(kernels[0].staticSharedBytes, 100u);
  EXPECT_TRUE(kernels[0].usesDynamicShared);
  EXPECT_EQ(kernels[1].requiredThreads, (std::array<uint32_t, 3>{64, 1, 1}));
  EXPECT_FALSE(kernels[1].usesDynamicShared);
}

TEST(Parser, Literals) {
  EXPECT_EQ(eval32("mov.u32 %r1, 0x1F;"), 31u);
  EXPECT_EQ(eval32("mov.u32 %r1, 017;"), 15u);
  EXPECT_EQ(eval32("mov.u32 %r1, 0b101;"), 5u);
  EXPECT_EQ(eval32("mov.u32 %r1, 7U;"), 7u);
  EXPECT_EQ(eval32("mov.s32 %r1, -3;"), 0xfffffffdu);
  EXPECT_EQ(eval32("mov.b32 %r1, 0f3F800000;"), 0x3f800000u);
  EXPECT_EQ(eval32("mov.f32 %f1, 1.5; mov.b32 %r1, %f1;"), 0x3fc00000u);
  EXPECT_EQ(eval32("mov.f32 %f1, -2.5e1; mov.b32 %r1, %f1;"), bitsOf(-25.0f));
  EXPECT_EQ(eval64("mov.f64 %d1, 0d3FF0000000000000; mov.b64 %rd10, %d1;"),
            0x3ff0000000000000ull);
  EXPECT_EQ(eval32("mov.u32 %r1, 1+4*(2+3)-2;"), 19u);
  EXPECT_EQ(eval32("mov.u32 %r1, WARP_SZ;"), 32u);
}

TEST(Parser, ScopesShadowNames) {
  // Inline assembly declares the same names again and again.
  EXPECT_EQ(eval32(R"(
    mov.u32 %r1, 0;
    { .reg .b32 t; mov.u32 t, 5; add.u32 %r1, %r1, t; bra L; L: add.u32 %r1, %r1, 1; }
    { .reg .b32 t; mov.u32 t, 7; add.u32 %r1, %r1, t; bra L; L: add.u32 %r1, %r1, 1; }
  )"),
            14u);
}

TEST(Parser, SkipsDebugInformation) {
  Result<Module> module = Module::parse(header + R"(
.file 1 "a.cu"
.file 2 "b.h", 12345, 678
.visible .entry k() {
  .loc 1 5 3
  .loc 1 6 3, function_name $L__info_string0, inlined_at 1 4 2
  .pragma "nounroll";
  ret;
}
.section .debug_str
{
$L__info_string0:
.b8 107
.b8 0
}
)",
                                        "m.ptx");
  EXPECT_TRUE(bool(module)) << module.error();
}

TEST(Parser, ErrorsSayWhereAndWhat) {
  EXPECT_EQ(errorOf(header + ".visible .entry k() {\n  foo.bar %r1;\n}\n"),
            "m.ptx:5:11: expected a declared register but got '%r1'");
  EXPECT_EQ(errorOf(header + ".visible .entry k() {\n .reg .b32 %r<2>;\n"
                             "  foo.bar %r1;\n}\n"),
            "m.ptx:6:3: unsupported instruction 'foo.bar' at line 6");
  EXPECT_EQ(
      errorOf(header + ".visible .entry k() {\n .reg .b32 %r<2>;\n"
                       "  add.wat.u32 %r1, %r1, 1;\n}\n"),
      "m.ptx:6:3: unsupported instruction 'add.wat.u32' at line 6: '.wat' "
      "follows 'add' in no form of the instruction");
  EXPECT_EQ(errorOf(header + ".visible .entry k() {\n .reg .b32 %r<2>;\n"
                             " add.u32 %r1, %r2, 1;\n}\n"),
            "m.ptx:6:15: expected a declared register but got '%r2'");
  EXPECT_EQ(errorOf(header + ".visible .entry k() {\n .reg .b64 %r<3>;\n"
                             " add.u32 %r1, %r2, 1;\n}\n"),
            "m.ptx:6:2: expected a register of 32 bits but got one of 64 in "
            "'add.u32'");
  EXPECT_EQ(errorOf(header + ".visible .entry k() {\n .reg .b32 %r<3>;\n"
                             " add.u32 %r1, %r2;\n}\n"),
            "m.ptx:6:2: expected 3 operands but got 2 in 'add.u32'");
  EXPECT_EQ(errorOf(header + ".visible .entry k() {\n bra nowhere;\n}\n"),
            "m.ptx:5:2: expected a label in 'bra'");
  EXPECT_EQ(errorOf(".version 8.4\n.target sm_80\n.address_size 32\n"),
            "m.ptx:3:15: expected .address_size 64 but got 32");
  EXPECT_EQ(errorOf(header + ".visible .entry k() {\n"),
            "m.ptx:5:1: expected an instruction but got the end of the text");
}

TEST(Parser, TruncatedTextNeverCrashes) {
  std::string text = wrap("{ .reg .b32 t; mov.b32 t, {%h1, %h2}; }\n"
                          "@!%p1 ld.global.v2.b32 {%r1, %r2}, [%rd1+8];",
                          ".global .align 4 .u32 g[3] = {1, 2, 3};\n");
  for (size_t length = 0; length < text.size(); ++length)
    Module::parse(text.substr(0, length), "m.ptx");
  EXPECT_TRUE(bool(Module::parse(text, "m.ptx")));
  std::string deep(100000, '{');
  EXPECT_FALSE(bool(Module::parse(
      header + ".entry k() { .reg .b32 %r<2>; mov.b32 %r1, " + deep, "m.ptx")));
}

TEST(Parser, SupportedInstructionsComeFromTheTable) {
  std::vector<std::string> all = supportedInstructions();
  EXPECT_GT(all.size(), 200u);
  EXPECT_TRUE(std::find(all.begin(), all.end(), "cp.async.commit_group") !=
              all.end());
}

} // namespace
