//===- TileKernel.h - run a tile kernel in the simulator --------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the text of a kernel on tiles to what it writes: the lowering, LLVM, and
// the simulator. Headers of MLIR stay out of the tests.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_TEST_UNITTESTS_GOATTILETONVVM_TILEKERNEL_H
#define GOAT_TEST_UNITTESTS_GOATTILETONVVM_TILEKERNEL_H

#include "goat/PTXSim/PTXSim.h"
#include "gtest/gtest.h"

#include <map>

namespace goat::test {

/// `text` with every `$name` replaced by its value.
std::string fill(std::string text,
                 const std::map<std::string, std::string> &values);

/// A kernel with global memory and a clean simulation.
class TileKernel {
public:
  /// Compiles a kernel `@k` with `threads` threads. `arguments` and `body` are
  /// what stands between the parentheses (without roles) and the braces.
  TileKernel(unsigned threads, const std::string &arguments,
             const std::string &body);

  template <typename T> TileKernel &input(const std::vector<T> &values) {
    uint64_t address = allocate(values.size() * sizeof(T));
    memory.write(address, values.data(), values.size() * sizeof(T));
    return *this;
  }
  /// `bytes` bytes that hold what `fillByte` says in each.
  TileKernel &output(size_t bytes, uint8_t fillByte = 0);
  TileKernel &scalar(int32_t value) {
    arguments.i32(value);
    return *this;
  }
  TileKernel &scalar64(int64_t value) {
    arguments.i64(value);
    return *this;
  }

  /// Runs one block; every finding is a failure. Returns the output's elements.
  template <typename T> std::vector<T> run() {
    launch();
    std::vector<T> values(outputBytes / sizeof(T));
    memory.read(outputAddress, values.data(), outputBytes);
    return values;
  }

  const ptxsim::Counts &getCounts() const { return counts; }

private:
  uint64_t allocate(size_t bytes);
  void launch();

  unsigned threads;
  std::string ptx;
  uint32_t sharedBytes = 0;
  ptxsim::Memory memory;
  ptxsim::Arguments arguments;
  uint64_t outputAddress = 0;
  size_t outputBytes = 0;
  ptxsim::Counts counts;
};

uint16_t toBf16(float value);
float fromBf16(uint16_t bits);
uint16_t toF16(float value);

} // namespace goat::test

#endif // GOAT_TEST_UNITTESTS_GOATTILETONVVM_TILEKERNEL_H
