//===- program-fuzzer.cpp - programs against a naive evaluator ------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first bytes draw threads and inputs, the others are a straight-line
// program: the simulator and the evaluator must agree on every thread.
//
//===----------------------------------------------------------------------===//

#include "RandomProgram.h"

#include <cstdio>
#include <cstdlib>

using namespace goat::ptxsim::test;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 3)
    return 0;
  unsigned threads = 1 + data[0] % 64;
  uint64_t seed = data[1] | data[2] << 8;
  std::string difference =
      compareProgram(programFrom(data + 3, size - 3), threads, seed);
  if (difference.empty())
    return 0;
  std::fprintf(stderr, "%s\n", difference.c_str());
  std::abort();
}
