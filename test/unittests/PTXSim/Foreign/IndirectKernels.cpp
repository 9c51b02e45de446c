//===- IndirectKernels.cpp - calls through pointers from nvcc -------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the kernels of cuda/indirect.cu against the same code on the host.
//
//===----------------------------------------------------------------------===//

#include "../../../PTXSim/Inputs/cuda/algorithms.h"
#include "ForeignKernel.h"

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

std::vector<int> smallNumbers(size_t count) {
  std::vector<int> in(count);
  for (size_t i = 0; i < count; ++i)
    in[i] = static_cast<int>(i * 37 % 61) - 30;
  return in;
}

FOREIGN_KERNEL("cuda/indirect", functionTable,
               "a table of functions, called by one block or lane by lane") {
  const int first = 2;
  std::vector<int> in = smallNumbers(5 * 48), expected;
  for (int i = 0; i < 5 * 48; ++i)
    expected.push_back(mixed(i & 3, mixed((first + i / 48) & 3, in[i])));
  auto out = device.empty<int>(in.size());
  device.launch({5}, {48}, device.upload(in), out, first);
  EXPECT_EQ(device.get(out), expected);
}

FOREIGN_KERNEL("cuda/indirect", callback,
               "a function pointer as an argument, called in a row") {
  // Few small numbers: squares of squares stay within 32 bits.
  std::vector<int> in(64 + 5), expected;
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<int>(i % 3) + 1;
  for (int i = 0; i < 64; ++i) {
    int sum = 0;
    for (int j = 0; j < 5; ++j)
      sum = mixed(i % 3, sum + in[i + j]);
    expected.push_back(sum);
  }
  auto out = device.empty<int>(64);
  device.launch({1}, {64}, device.upload(in), out);
  EXPECT_EQ(device.get(out), expected);
}

FOREIGN_KERNEL("cuda/indirect", virtualCalls,
               "virtual functions of objects on the stack, by their vtables") {
  std::vector<int> in(64), expected;
  for (int i = 0; i < 64; ++i) {
    in[i] = i % 5 - 2;
    int x = in[i];
    for (int round = 0; round < 4; ++round)
      x = i >> round & 1 ? i * mixed(3, x) - 3
                         // wraps as on the device
                         : static_cast<int>(static_cast<uint32_t>(x) *
                                                static_cast<uint32_t>(x) -
                                            7u + static_cast<uint32_t>(i));
    expected.push_back(x);
  }
  auto out = device.empty<int>(64);
  device.launch({1}, {64}, device.upload(in), out);
  EXPECT_EQ(device.get(out), expected);
}

} // namespace
