//===- TestUtils.h - helpers for the tests of the simulator ---------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wraps a few lines of PTX into a kernel, runs it and gives back what it wrote;
// host versions of the 16-bit formats.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_TEST_UNITTESTS_PTXSIM_TESTUTILS_H
#define GOAT_TEST_UNITTESTS_PTXSIM_TESTUTILS_H

#include "goat/PTXSim/PTXSim.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

namespace goat::ptxsim::test {

inline std::string readFile(const std::string &path) {
  std::ifstream stream(path);
  EXPECT_TRUE(stream.good()) << path;
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

inline const std::string header =
    ".version 8.7\n.target sm_90a\n.address_size 64\n";

/// A kernel `k(in, out)`: %rd1 and %rd2 are the global addresses of this
/// thread's 16 bytes of `in` and of `out`; %r0 is the thread in its block.
/// Registers of every type are declared: %p, %h, %r, %f, %rd, %d.
inline std::string wrap(const std::string &body,
                        const std::string &declarations = "") {
  return header + declarations + R"(
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .pred %p<20>;
  .reg .b16 %h<40>;
  .reg .b32 %r<60>;
  .reg .f32 %f<40>;
  .reg .b64 %rd<40>;
  .reg .f64 %d<40>;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %rd3, %r0, 16;
  add.s64 %rd1, %rd1, %rd3;
  add.s64 %rd2, %rd2, %rd3;
)" + body +
         "\n  ret;\n}\n";
}

struct KernelRun {
  LaunchResult result;
  /// What thread i wrote to its 16 bytes.
  std::vector<std::array<uint32_t, 4>> out;

  uint32_t u32(unsigned thread, unsigned word = 0) const {
    return out[thread][word];
  }
  uint64_t u64(unsigned thread, unsigned index = 0) const {
    return out[thread][2 * index] |
           static_cast<uint64_t>(out[thread][2 * index + 1]) << 32;
  }
  float f32(unsigned thread, unsigned word = 0) const {
    float value;
    std::memcpy(&value, &out[thread][word], 4);
    return value;
  }
  double f64(unsigned thread, unsigned index = 0) const {
    double value;
    std::memcpy(&value, &out[thread][2 * index], 8);
    return value;
  }
  bool has(FindingKind kind) const {
    for (const Finding &finding : result.findings)
      if (finding.kind == kind)
        return true;
    return false;
  }
  std::string findings() const {
    std::string all;
    for (const Finding &finding : result.findings)
      all += finding.str() + "\n";
    return all;
  }
};

/// Runs `text` with one block of `config.block` threads; `in` is 16 bytes for
/// each thread.
inline KernelRun runText(const std::string &text,
                         std::vector<std::array<uint32_t, 4>> in = {},
                         LaunchConfig config = {}) {
  KernelRun run;
  Result<Module> module = Module::parse(text, "test.ptx");
  EXPECT_TRUE(bool(module)) << module.error();
  unsigned threads = config.block[0] * config.grid[0];
  in.resize(threads);
  run.out.resize(threads);
  if (!module)
    return run;
  Memory memory;
  uint64_t input = memory.allocate(16 * threads, "in");
  uint64_t output = memory.allocate(16 * threads, "out");
  memory.write(input, in.data(), 16 * threads);
  Result<LaunchResult> result = launch(
      *module, "k", memory, Arguments().pointer(input).pointer(output), config);
  EXPECT_TRUE(bool(result)) << result.error();
  if (!result)
    return run;
  run.result = *result;
  memory.read(output, run.out.data(), 16 * threads);
  return run;
}

inline KernelRun runBody(const std::string &body,
                         std::vector<std::array<uint32_t, 4>> in = {},
                         LaunchConfig config = {}) {
  return runText(wrap(body), std::move(in), std::move(config));
}

/// Exactly one finding, of this kind.
inline const Finding &only(const KernelRun &run, FindingKind kind) {
  static const Finding none{};
  EXPECT_EQ(run.result.findings.size(), 1u) << run.findings();
  if (run.result.findings.size() != 1)
    return none;
  EXPECT_EQ(findingKindName(run.result.findings[0].kind),
            std::string(findingKindName(kind)));
  return run.result.findings[0];
}

inline LaunchConfig oneThread() {
  LaunchConfig config;
  config.block = {1, 1, 1};
  return config;
}

inline LaunchConfig threads(unsigned count, uint64_t seed = 0) {
  LaunchConfig config;
  config.block = {count, 1, 1};
  config.seed = seed;
  return config;
}

/// Runs one instruction on constants in a single thread and returns its result.
inline uint32_t eval32(const std::string &body) {
  KernelRun run =
      runBody(body + "\n st.global.b32 [%rd2], %r1;", {}, oneThread());
  EXPECT_EQ(run.findings(), "") << body;
  return run.u32(0);
}
inline uint64_t eval64(const std::string &body) {
  KernelRun run =
      runBody(body + "\n st.global.b64 [%rd2], %rd10;", {}, oneThread());
  EXPECT_EQ(run.findings(), "") << body;
  return run.u64(0);
}

inline uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}
inline float floatOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

inline float bf16Value(uint16_t bits) {
  return floatOf(static_cast<uint32_t>(bits) << 16);
}
inline uint16_t bf16Bits(float value) {
  uint32_t bits = bitsOf(value);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
/// Small multiples of 1/64 are exact in fp16.
inline uint16_t f16Bits(float value) {
  if (value == 0)
    return 0;
  int exponent;
  float mantissa = std::frexp(std::fabs(value), &exponent);
  return static_cast<uint16_t>((value < 0 ? 0x8000 : 0) |
                               ((exponent + 14) << 10) +
                                   static_cast<int>(mantissa * 2048) - 1024);
}

} // namespace goat::ptxsim::test

#endif // GOAT_TEST_UNITTESTS_PTXSIM_TESTUTILS_H
