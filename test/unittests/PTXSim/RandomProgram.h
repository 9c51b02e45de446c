//===- RandomProgram.h - short programs and their naive meaning -----------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Straight-line programs over 32-bit, 64-bit and fp32 registers and predicates,
// printed as PTX and evaluated a second time, thread after thread, by plain C++
// that shares nothing with the simulator.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_TEST_UNITTESTS_PTXSIM_RANDOMPROGRAM_H
#define GOAT_TEST_UNITTESTS_PTXSIM_RANDOMPROGRAM_H

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace goat::ptxsim::test {

constexpr unsigned numRegisters = 8;

/// The registers of one thread.
struct ThreadState {
  std::array<uint32_t, numRegisters> r{};
  std::array<float, numRegisters> f{};
  std::array<uint64_t, numRegisters> d{};
  std::array<bool, numRegisters> p{};
};

/// One instruction: the kind is an index into a table, the rest are registers.
struct Step {
  uint8_t kind = 0;
  uint8_t dst = 0, a = 0, b = 0, c = 0;
  /// Executed where this predicate holds; 0 to 7, negated with 8 added, and
  /// without one from 16 on.
  uint8_t guard = 16;
};

using Program = std::vector<Step>;

/// Six bytes for each step, whatever they are; 200 steps at most.
Program programFrom(const uint8_t *data, size_t size);

/// A kernel `k(in, out)`: `inputWords` of `in` for each thread,
/// `outputWords` of `out`.
std::string printProgram(const Program &program);

/// Words of input and output of each thread.
constexpr unsigned inputWords = 8, outputWords = 40;

/// What a thread with this input writes. Words of fp32 that are NaN may be any
/// NaN.
std::array<uint32_t, outputWords>
evaluateProgram(const Program &program,
                const std::array<uint32_t, inputWords> &input);

/// Runs the program on the simulator with `threads` threads, whose inputs are
/// drawn from `seed`, and compares. Returns what differs, or nothing.
std::string compareProgram(const Program &program, unsigned threads,
                           uint64_t seed);

} // namespace goat::ptxsim::test

#endif // GOAT_TEST_UNITTESTS_PTXSIM_RANDOMPROGRAM_H
