//===- IndirectCallTest.cpp - calls through pointers ----------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pointers that agree, that differ from lane to lane, and that must not be
// called; the statements that say what a pointer may name.
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

#include <algorithm>

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

constexpr uint32_t allOnes = 0xffffffffu;

/// `plus1`, `twice` and `lanes` of one number, `wide` of a longer one; a table
/// of the first three.
const std::string functions = R"(
.func (.param .b32 r) plus1(.param .b32 x) {
  .reg .b32 %a<3>;
  ld.param.u32 %a1, [x]; add.u32 %a1, %a1, 1; st.param.b32 [r], %a1; ret;
}
.func (.param .b32 r) twice(.param .b32 x) {
  .reg .b32 %a<3>;
  ld.param.u32 %a1, [x]; add.u32 %a1, %a1, %a1; st.param.b32 [r], %a1; ret;
}
.func (.param .b32 r) lanes(.param .b32 x) {
  .reg .b32 %a<3>;
  activemask.b32 %a1; st.param.b32 [r], %a1; ret;
}
.func (.param .b32 r) wide(.param .b64 x) {
  .reg .b32 %a<3>;
  mov.u32 %a1, 9; st.param.b32 [r], %a1; ret;
}
.extern .func (.param .b32 r) elsewhere(.param .b32 x);
.global .u64 table[3] = {plus1, twice, lanes};
.const .u64 constants[2] = {twice, elsewhere};
)";

/// Calls %rd10 with %r1 into %r2; `what` comes after the arguments.
std::string call(const std::string &what = "proto") {
  return R"(
    { .param .b32 a; .param .b32 b;
      proto: .callprototype (.param .b32 _) _ (.param .b32 _);
      list: .calltargets plus1, twice;
      st.param.b32 [a], %r1;
      call (b), %rd10, (a), )" +
         what + R"(;
      ld.param.b32 %r2, [b]; }
    activemask.b32 %r3;
    st.global.v2.b32 [%rd2], {%r2, %r3};)";
}

/// %rd10 = table[%r5].
const std::string load = R"(
    mul.wide.u32 %rd11, %r5, 8; mov.u64 %rd12, table;
    add.s64 %rd12, %rd12, %rd11; ld.global.u64 %rd10, [%rd12];)";

KernelRun run(const std::string &body, unsigned count = 32) {
  return runText(wrap("mov.u32 %r1, %r0;" + body, functions), {},
                 threads(count));
}

TEST(IndirectCall, AllLanesCallOneFunction) {
  for (const char *what : {"proto", "list", "table"}) {
    KernelRun result = run("mov.u64 %rd10, twice;" + call(what));
    EXPECT_EQ(result.findings(), "") << what;
    for (unsigned i = 0; i < 32; ++i) {
      EXPECT_EQ(result.u32(i), 2 * i);
      EXPECT_EQ(result.u32(i, 1), allOnes);
    }
  }
}

TEST(IndirectCall, PointersComeFromConstantMemoryToo) {
  KernelRun result = run("ld.const.u64 %rd10, [constants];" + call());
  EXPECT_EQ(result.findings(), "");
  EXPECT_EQ(result.u32(7), 14u);
}

TEST(IndirectCall, LanesThatDifferTakeTurns) {
  KernelRun result =
      run("rem.u32 %r5, %r0, 3; add.u32 %r1, %r0, 100;" + load + call());
  EXPECT_EQ(result.findings(), "");
  for (unsigned i = 0; i < 32; ++i) {
    // Only those with the same target are active inside.
    uint32_t expected = i % 3 == 0   ? i + 101
                        : i % 3 == 1 ? 2 * (i + 100)
                                     : 0x24924924u;
    EXPECT_EQ(result.u32(i), expected) << i;
    EXPECT_EQ(result.u32(i, 1), allOnes); // and all of them behind it
  }
}

TEST(IndirectCall, EachTargetIsOneInstruction) {
  const std::string text =
      wrap("mov.u32 %r1, %r0; rem.u32 %r5, %r0, 3;" + load + call(), functions);
  KernelRun result = runText(text, {}, threads(32));
  size_t line =
      1 +
      static_cast<size_t>(std::count(
          text.begin(),
          text.begin() + static_cast<ptrdiff_t>(text.find("call (b)")), '\n'));
  EXPECT_EQ(result.result.counts.lines[line].warpInstructions, 3u);
  EXPECT_EQ(result.result.counts.lines[line].threadInstructions, 32u);
}

TEST(IndirectCall, GuardedCallsLeaveOtherLanesAlone) {
  KernelRun result =
      run("rem.u32 %r5, %r0, 3; setp.lt.u32 %p1, %r0, 8;" + load +
          "{ .param .b32 a; .param .b32 b;"
          "proto: .callprototype (.param .b32 _) _ "
          "(.param .b32 _);"
          "st.param.b32 [a], %r1; mov.u32 %r2, 5;"
          "st.param.b32 [b], %r2;"
          "@%p1 call (b), %rd10, (a), proto;"
          "ld.param.b32 %r2, [b]; }"
          "activemask.b32 %r3;"
          "st.global.v2.b32 [%rd2], {%r2, %r3};");
  EXPECT_EQ(result.findings(), "");
  EXPECT_EQ(result.u32(3), 4u);
  EXPECT_EQ(result.u32(4), 8u);
  EXPECT_EQ(result.u32(5), 0x24u);
  EXPECT_EQ(result.u32(8), 5u);
  EXPECT_EQ(result.u32(31, 1), allOnes);
}

TEST(IndirectCall, AsTheLastInstructionOfABranch) {
  // The lanes meet right behind the call, where the branch ends as well.
  KernelRun result = run("rem.u32 %r5, %r0, 3; mov.u32 %r2, 0;" + load + R"(
    { .param .b32 a;  .param .b32 b;
      proto: .callprototype (.param .b32 _) _ (.param .b32 _);
      st.param.b32 [a], %r1; st.param.b32 [b], %r2;
      setp.gt.u32 %p1, %r0, 15;
      @%p1 bra JOIN;
      call (b), %rd10, (a), proto;
    JOIN:
      ld.param.b32 %r2, [b]; }
    activemask.b32 %r3;
    st.global.v2.b32 [%rd2], {%r2, %r3};)");
  EXPECT_EQ(result.findings(), "");
  EXPECT_EQ(result.u32(6), 7u);
  EXPECT_EQ(result.u32(5), 0x4924u);
  EXPECT_EQ(result.u32(20), 0u);
  EXPECT_EQ(result.u32(20, 1), allOnes);
}

TEST(IndirectCall, BadPointersAreFoundAndTheOthersCallOn) {
  struct Case {
    const char *body;
    const char *message;
  };
  const Case cases[] = {
      {"mov.u64 %rd11, 0;", "calls through a null pointer"},
      {"mov.u64 %rd11, %rd2;", "expected the address of a function but got 0x"},
      {"add.s64 %rd11, %rd10, 4;",
       "expected the address of a function but got 0x"},
      {"mov.u64 %rd11, wide;", "expected a function with the parameters of "
                               "the prototype but got 'wide'"},
      {"mov.u64 %rd11, k;", "expected a function with a body but got 'k'"},
      {"ld.const.u64 %rd11, [constants+8];",
       "expected a function with a body but got 'elsewhere'"}};
  for (const Case &row : cases) {
    KernelRun result = run(std::string("mov.u64 %rd10, twice;") + row.body +
                           "setp.eq.u32 %p1, %r0, 6;"
                           "selp.b64 %rd10, %rd11, %rd10, %p1;" +
                           call());
    const Finding &finding = only(result, FindingKind::BadCall);
    EXPECT_NE(finding.message.find(row.message), std::string::npos)
        << finding.message;
    EXPECT_EQ(finding.lanes, 1u << 6);
    EXPECT_EQ(result.u32(5), 10u);
    EXPECT_EQ(result.u32(5, 1), ~(1u << 6));
    EXPECT_EQ(result.u32(6), 0xcbcbcbcbu); // gone
  }
}

TEST(IndirectCall, AListExcludesOtherFunctions) {
  KernelRun result = run("mov.u64 %rd10, lanes;" + call("list"));
  EXPECT_NE(only(result, FindingKind::BadCall)
                .message.find("a function that the call lists but got 'lanes'"),
            std::string::npos);
}

TEST(IndirectCall, AGuessedAddressIsNoPointer) {
  // Without the tables nobody takes the address of `twice`.
  std::string bare = functions.substr(0, functions.find(".extern"));
  KernelRun result = runText(wrap("mov.u32 %r1, %r0; mov.u64 %rd10, plus1;"
                                  "add.s64 %rd10, %rd10, 16;" +
                                      call(),
                                  bare),
                             {}, threads(32));
  EXPECT_NE(only(result, FindingKind::BadCall)
                .message.find("whose address is taken but got 'twice'"),
            std::string::npos);
}

TEST(IndirectCall, CalleesBringTheirSharedVariables) {
  const std::string shared = R"(
.shared .align 4 .b32 slot;
.func store(.param .b32 x) {
  .reg .b32 %a<3>;
  ld.param.u32 %a1, [x]; st.shared.b32 [slot], %a1; ld.shared.b32 %a2, [slot];
  ret;
}
.global .u64 only[1] = {store};
)";
  const std::string body = R"(
    ld.global.u64 %rd10, [only]; mov.u32 %r1, 77;
    { .param .b32 a;
      proto: .callprototype _ (.param .b32 _);
      st.param.b32 [a], %r1;
      call %rd10, (a), proto; }
    st.global.b32 [%rd2], %r1;)";
  KernelRun result = runText(wrap(body, shared), {}, threads(1));
  EXPECT_EQ(result.findings(), "");
  EXPECT_EQ(result.u32(0), 77u);
}

TEST(IndirectCall, WrongStatementsAreRefused) {
  struct Case {
    std::string body;
    const char *message;
  };
  const Case cases[] = {
      {"{ .param .b32 a; call %rd10, (a); }", "expected a prototype or list"},
      {"p: .calltargets nobody; call %rd10, p;",
       "expected a function with a body but got 'nobody'"},
      {"{ .param .b32 a; .param .b32 b; p: .calltargets plus1, wide;"
       "call (b), %rd10, (a), p; }",
       "expected functions with the same parameters but got 'wide'"},
      {"{ .param .b64 a; p: .callprototype _ (.param .b32 _);"
       "call %rd10, (a), p; }",
       "expected a parameter of 4 bytes but got 8"},
      {"p: .callprototype _ (); call %r1, p;",
       "expected a register of 64 bits but got one of 32"},
      {"p: .callprototype _ (); p: .callprototype _ ();",
       "expected one prototype called 'p'"},
      {"call %rd10, %rd11;",
       "expected a .callprototype, .calltargets or table of functions"},
      {"mov.u32 %r1, plus1;",
       "expected 64 bits to hold the address of a function but got 32"}};
  for (const Case &row : cases) {
    Result<Module> module = Module::parse(wrap(row.body, functions), "m.ptx");
    ASSERT_FALSE(bool(module)) << row.body;
    EXPECT_NE(module.error().find(row.message), std::string::npos)
        << module.error();
  }
}

} // namespace
