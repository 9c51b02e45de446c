//===- AtomicTest.cpp - atomics, by hand ----------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread updates one word of `out` or of shared memory; the old value and
// the new one are read back.
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

struct Update {
  uint64_t old, now;
};

/// `atom.SPACE.OP` on a word with `before`; the operands are constants.
Update update(const std::string &space, const std::string &op,
              const std::string &type, uint64_t before,
              const std::string &operands) {
  bool isWide = type.substr(1) == "64";
  std::string bits = isWide ? "b64" : type == "b16" ? "b16" : "b32";
  if (op.find("noftz") != std::string::npos && type.find("x2") == type.npos)
    bits = "b16";
  std::string reg = isWide ? "%rd" : bits == "b16" ? "%h" : "%r";
  std::string address = space == "shared" ? "[buffer]" : "[%rd9]";
  std::string generic =
      space == "generic"
          ? "mov.u64 %rd9, buffer;\n cvta.shared.u64 %rd9, %rd9;\n"
          : "";
  // The assembler takes no constants of 16 bits here.
  bool isHalf = op.find("noftz") != std::string::npos;
  std::string source = isHalf ? reg + "8" : operands;
  if (isHalf)
    generic += "mov." + bits + " " + source + ", " + operands + ";\n";
  std::string memory = space == "global" ? "global" : "shared";
  std::string at = space == "global" ? "[%rd9]" : "[buffer]";
  std::string body =
      ".shared .align 16 .b8 buffer[16];\n mov.u64 %rd9, %rd2;\n" + generic +
      " mov." + bits + " " + reg + "5, " + std::to_string(before) + ";\n st." +
      memory + "." + bits + " " + at + ", " + reg + "5;\n atom" +
      (space == "generic" ? "" : "." + space) + "." + op + "." + type + " " +
      reg + "6, " + address + ", " + source + ";\n ld." + memory + "." + bits +
      " " + reg + "7, " + at + ";\n" +
      (isWide ? "mov.b64 %rd11, %rd6;\n mov.b64 %rd12, %rd7;\n"
       : bits == "b16"
           ? "cvt.u64.u16 %rd11, %h6;\n cvt.u64.u16 %rd12, %h7;\n"
           : "cvt.u64.u32 %rd11, %r6;\n cvt.u64.u32 %rd12, %r7;\n") +
      " st.global.v2.b64 [%rd2], {%rd11, %rd12};";
  KernelRun run = runBody(body, {}, oneThread());
  EXPECT_EQ(run.findings(), "") << body;
  return {run.u64(0, 0), run.u64(0, 1)};
}

TEST(Atomic, OperationsByHand) {
  struct Case {
    const char *op, *type;
    uint64_t before;
    const char *operands;
    uint64_t after;
  };
  const Case cases[] = {
      {"add", "u32", 0xffffffff, "2", 1},
      {"add", "s32", 0x7fffffff, "1", 0x80000000},
      {"add", "u64", ~uint64_t(0), "1", 0},
      {"min", "s32", 0xffffffff, "1", 0xffffffff},
      {"min", "u32", 0xffffffff, "1", 1},
      {"max", "s64", ~uint64_t(0), "1", 1},
      {"max", "u64", ~uint64_t(0), "1", ~uint64_t(0)},
      // inc wraps to 0 from the bound on, dec to the bound from 0 and from
      // beyond it.
      {"inc", "u32", 6, "7", 7},
      {"inc", "u32", 7, "7", 0},
      {"inc", "u32", 9, "7", 0},
      {"dec", "u32", 0, "7", 7},
      {"dec", "u32", 3, "7", 2},
      {"dec", "u32", 9, "7", 7},
      {"exch", "b32", 5, "9", 9},
      {"exch", "b64", 5, "9", 9},
      {"cas", "b32", 5, "5, 9", 9},
      {"cas", "b32", 6, "5, 9", 6},
      {"cas", "b16", 5, "5, 9", 9},
      {"cas", "b64", 5, "5, 9", 9},
      {"and", "b32", 0xf0f0, "0xff", 0xf0},
      {"or", "b64", 0xf0, "0xf", 0xff},
      {"xor", "b32", 0xff, "0xf", 0xf0},
      // 1 + 2^-24 rounds to even.
      {"add", "f32", 0x3f800000, "0f33800000", 0x3f800000},
      {"add", "f32", 0x3f800001, "0f33800000", 0x3f800002},
      {"add", "f32", 0x80000000, "0f80000000", 0x80000000},
      {"add", "f32", 0x7f800000, "0fFF800000", 0x7fffffff},
      {"add", "f64", 0x3ff0000000000000, "0d3CA0000000000000",
       0x3ff0000000000000},
      {"add.noftz", "f16x2", 0x00010001, "0x00010001", 0x00020002},
      {"add.noftz", "bf16x2", 0x3f800001, "0x3f800001", 0x40000002},
      {"add.noftz", "f16", 0x3c00, "0x3c00", 0x4000},
      {"add.noftz", "bf16", 0x3f80, "0x3b80", 0x3f80},
  };
  for (const char *space : {"global", "shared", "generic"})
    for (const Case &c : cases) {
      Update result = update(space, c.op, c.type, c.before, c.operands);
      EXPECT_EQ(result.old, c.before) << space << c.op << c.type;
      EXPECT_EQ(result.now, c.after) << space << c.op << c.type;
    }
}

TEST(Atomic, SubnormalsAreFlushedInGlobalMemoryOnly) {
  // 2^-149 + 2^-149, -2^-149 + 0, and a sum of normal numbers that is
  // subnormal.
  for (const char *space : {"shared", "generic"}) {
    EXPECT_EQ(update(space, "add", "f32", 1, "0f00000001").now, 2u);
    EXPECT_EQ(update(space, "add", "f32", 0x80000001, "0f80000000").now,
              0x80000001u);
    EXPECT_EQ(update(space, "add", "f32", 0x00c00000, "0f80800000").now,
              0x00400000u);
  }
  EXPECT_EQ(update("global", "add", "f32", 1, "0f00000001").now, 0u);
  EXPECT_EQ(update("global", "add", "f32", 0x80000001, "0f80000000").now,
            0x80000000u);
  EXPECT_EQ(update("global", "add", "f32", 0x00c00000, "0f80800000").now, 0u);
}

} // namespace
