//===- SubObjectTest.cpp - from one variable into the next ----------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses past one variable of shared or local memory or past one parameter,
// copies of which the source changes or is too long; each beside a repaired
// twin.
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

TEST(SubObject, SharedVariablesAreKeptApart) {
  auto run = [](const std::string &offset, uint32_t dynamic) {
    LaunchConfig config = oneThread();
    config.dynamicSharedBytes = dynamic;
    return runText(wrap(R"(
      .shared .align 4 .b8 first[64];
      .shared .align 4 .b8 second[64];
      mov.u32 %r1, 7;
      st.shared.u32 [second], %r1;
      st.shared.u32 [tail], %r1;
      st.shared.u32 [first+)" +
                            offset + "], %r1;",
                        ".extern .shared .align 16 .b8 tail[];\n"),
                   {}, config);
  };
  EXPECT_EQ(run("60", 16).findings(), "");
  const KernelRun next = run("64", 16);
  const Finding &finding = only(next, FindingKind::OutOfBounds);
  EXPECT_EQ(finding.message.substr(finding.message.find("in shared")),
            "in shared memory, 4 bytes past the end of 'first' of 64 bytes");
  EXPECT_EQ(finding.allocation, "first");
  // What would be the second variable, and the dynamic part behind it.
  only(run("124", 16), FindingKind::OutOfBounds);
  only(run("128", 16), FindingKind::OutOfBounds);
}

TEST(SubObject, GapsDoNotCount) {
  // 48 KiB of shared variables are the limit, however many they are.
  std::string declarations, body = "mov.u32 %r1, 7;\n";
  for (int i = 0; i < 48; ++i) {
    std::string name = "v" + std::to_string(i);
    declarations += ".shared .align 128 .b8 " + name + "[1024];\n";
    body += "st.shared.u32 [" + name + "+1020], %r1;\n";
  }
  Result<Module> module = Module::parse(wrap(body, declarations), "m.ptx");
  ASSERT_TRUE(bool(module)) << module.error();
  EXPECT_EQ(module->kernels()[0].staticSharedBytes, 48u * 1024);
  EXPECT_EQ(runText(wrap(body, declarations), {}, oneThread()).findings(), "");
  // Variables lie in the banks in which they would lie side by side.
  KernelRun run = runBody(R"(
    .shared .align 4 .b8 a[4];
    .shared .align 4 .b8 b[8];
    .shared .align 4 .b8 c[4];
    st.shared.u32 [a], %r0;
    st.shared.u32 [b], %r0;
    mov.u32 %r1, c;
    st.shared.u32 [c], %r1;
    mov.u32 %r2, a;
    sub.u32 %r1, %r1, %r2;
    and.b32 %r1, %r1, 127;
    mov.u32 %r3, %total_smem_size;
    st.global.v2.u32 [%rd2], {%r1, %r3};)",
                          {}, oneThread());
  EXPECT_EQ(run.findings(), "");
  EXPECT_EQ(run.u32(0, 0), 12u);
  EXPECT_EQ(run.u32(0, 1), 16u);
}

TEST(SubObject, LocalVariablesAreKeptApart) {
  auto run = [](const std::string &offset) {
    return runBody(R"(
      .local .align 4 .b8 first[16];
      .local .align 4 .b8 second[16];
      mov.u32 %r1, 7;
      st.local.u32 [second], %r1;
      mov.u64 %rd5, first;
      cvta.local.u64 %rd5, %rd5;
      st.u32 [%rd5+)" + offset +
                       "], %r1;",
                   {}, oneThread());
  };
  EXPECT_EQ(run("12").findings(), "");
  only(run("16"), FindingKind::OutOfBounds);
  only(run("44"), FindingKind::OutOfBounds);
}

TEST(SubObject, ParametersAreApart) {
  auto run = [](const std::string &code) {
    return runBody(code, {}, oneThread());
  };
  EXPECT_EQ(run("ld.param.u32 %r1, [in+4];").findings(), "");
  only(run("mov.u64 %rd7, in;\n ld.param.v2.u64 {%rd5, %rd6}, [%rd7];"),
       FindingKind::OutOfBounds);
  only(run("ld.param.u32 %r1, [in+8];"), FindingKind::OutOfBounds);
}

const std::string copy = R"(
    .shared .align 16 .b8 buffer[512];
    mov.u32 %r1, buffer;
    shl.b32 %r2, %r0, 4;
    add.u32 %r1, %r1, %r2;
    mov.u32 %r3, SIZE;
    cp.async.ca.shared.global [%r1], [%rd1], 16, %r3;
    EARLY
    cp.async.wait_all;
    LATE
    ld.shared.u32 %r4, [%r1];)";

KernelRun runCopy(const std::string &size, const std::string &early,
                  const std::string &late) {
  std::string body = copy;
  body.replace(body.find("SIZE"), 4, size);
  body.replace(body.find("EARLY"), 5, early);
  body.replace(body.find("LATE"), 4, late);
  return runBody(body, {}, threads(32));
}

TEST(SubObject, TheSourceOfACopyStaysUntilItsWait) {
  const std::string store = "st.global.u32 [%rd1+12], 99;";
  EXPECT_EQ(runCopy("16", "", store).findings(), "");
  const KernelRun early = runCopy("16", store, "");
  EXPECT_EQ(only(early, FindingKind::MissingAsyncWait).text,
            "cp.async.ca.shared.global [%r1], [%rd1], 16, %r3;");
  // Bytes beyond the source that was given do not matter.
  EXPECT_EQ(runCopy("12", store, "").findings(), "");
}

TEST(SubObject, TheSourceOfACopyIsNoLongerThanTheCopy) {
  EXPECT_EQ(runCopy("16", "", "").findings(), "");
  EXPECT_EQ(only(runCopy("20", "", ""), FindingKind::UndefinedResult).message,
            "expected a source of at most the 16 bytes that are copied but got "
            "20");
}

TEST(SubObject, PaddingIsCopied) {
  // A structure of a word, padding and a double, copied in pieces of 8 bytes.
  std::string declare = "{ .local .align 8 .b8 from[16], to[16];\n";
  std::string fill = "st.local.u32 [from], 5;\n st.local.f64 [from+8], "
                     "0d3FF0000000000000;\n";
  std::string copy = "ld.local.v2.u32 {%r1, %r2}, [from];\n"
                     "st.local.v2.u32 [to], {%r1, %r2};\n"
                     "ld.local.u32 %r3, [to];\n"
                     "st.global.u32 [%rd2], %r3; }";
  KernelRun good = runBody(declare + fill + copy, {}, oneThread());
  EXPECT_EQ(good.findings(), "");
  EXPECT_EQ(good.u32(0), 5u);
  EXPECT_TRUE(runBody(declare + copy, {}, oneThread())
                  .has(FindingKind::UninitialisedMemory));
}

} // namespace
