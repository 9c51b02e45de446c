//===- ControlKernels.cpp - divergence, stacks and calls from nvcc --------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the kernels of cuda/control.cu against the same code on the host.
//
//===----------------------------------------------------------------------===//

#include "../../../PTXSim/Inputs/cuda/algorithms.h"
#include "ForeignKernel.h"

#include <algorithm>

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

FOREIGN_KERNEL("cuda/control", mandelbrot,
               "a loop that lanes leave at different steps, fp32 rounded op by "
               "op, a ragged two-dimensional grid") {
  const int width = 45, height = 29, limit = 60;
  auto out = device.empty<int>(width * height);
  device.launch({3, 4}, {16, 8}, out, width, height, limit);
  std::vector<int> expected;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      float cr = -2.0f + static_cast<float>(x) * 0.0625f;
      float ci = -1.25f + static_cast<float>(y) * 0.078125f;
      float zr = 0, zi = 0;
      int steps = 0;
      for (; steps < limit; ++steps) {
        float r2 = zr * zr, i2 = zi * zi;
        if (r2 + i2 > 4.0f)
          break;
        zi = std::fma(2.0f * zr, zi, ci);
        float difference = r2 - i2;
        zr = difference + cr;
      }
      expected.push_back(steps);
    }
  EXPECT_EQ(device.get(out), expected);
}

FOREIGN_KERNEL("cuda/control", tangled,
               "nested loops with break, continue, goto and early return") {
  std::vector<int> in(500), expected;
  for (int i = 0; i < 500; ++i)
    in[i] = i * i * 37 + i;
  for (int x : in)
    expected.push_back(tangle(x));
  auto out = device.empty<int>(in.size());
  device.launch({4}, {128}, device.upload(in), out, 500);
  EXPECT_EQ(device.get(out), expected);
}

FOREIGN_KERNEL("cuda/control", interpreter,
               "a switch in a loop, each lane another program") {
  const std::vector<std::vector<uint8_t>> programs = {
      // x^2 + 3x by multiplication and addition.
      {Duplicate, Duplicate, Multiply, Swap, Push, 3, Multiply, Add, Halt},
      // 3^(x mod 16) by counting down.
      {Push, 28, Shift, Drop, Push, 1, Swap, Push, 15, Xor, Duplicate, Drop,
       // 12: n is on top of the product
       Swap, Push, 3, Multiply, Swap, Push, 1, Subtract, JumpIfNotZero, 12,
       Drop, Halt},
      // xorshift-like mixing, 3 times unrolled by hand.
      {Duplicate, Shift, Xor, Duplicate, Shift, Shift, Add, Push, 77, Multiply,
       Halt},
      // Never halts.
      {Push, 1, Over, Add, JumpIfNotZero, 0, Push, 1, JumpIfNotZero, 0}};
  std::vector<uint8_t> code(4 * 32, Halt);
  for (size_t p = 0; p < programs.size(); ++p)
    std::copy(programs[p].begin(), programs[p].end(), code.begin() + 32 * p);
  std::vector<uint32_t> in(96), expected;
  for (uint32_t i = 0; i < 96; ++i)
    in[i] = i % 4 == 1 ? i / 4 : i * 2654435761u;
  for (uint32_t i = 0; i < 96; ++i)
    expected.push_back(interpret(&code[32 * (i % 4)], in[i]));
  auto out = device.empty<uint32_t>(96);
  device.launch({3}, {32}, device.upload(code), device.upload(in), out);
  EXPECT_EQ(device.get(out), expected);
}

FOREIGN_KERNEL("cuda/control", quicksorts,
               "arrays and a stack of ranges in local memory") {
  std::vector<int> in(64 * 24);
  std::mt19937 random(5);
  for (int &x : in)
    x = static_cast<int>(random() % 50) - 25;
  auto out = device.empty<int>(in.size());
  device.launch({2}, {32}, device.upload(in), out);
  for (size_t i = 0; i < in.size(); i += 24)
    std::sort(in.begin() + i, in.begin() + i + 24);
  EXPECT_EQ(device.get(out), in);
}

FOREIGN_KERNEL("cuda/control", queenCounts,
               "recursion to a depth that differs from lane to lane") {
  auto out = device.empty<int>(32);
  device.launch({1}, {32}, out);
  const int known[] = {1, 0, 0, 2, 10, 4}; // boards of 1 to 6 columns
  std::vector<int> expected;
  for (int i = 0; i < 32; ++i)
    expected.push_back(known[i % 6]);
  EXPECT_EQ(device.get(out), expected);
}

FOREIGN_KERNEL("cuda/control", recursions,
               "functions that call each other and themselves") {
  auto out = device.empty<uint32_t>(64);
  device.launch({1}, {32}, out);
  const uint32_t fibonacci[] = {0, 1, 1, 2, 3, 5, 8, 13, 21};
  std::vector<uint32_t> expected;
  for (uint32_t i = 0; i < 32; ++i) {
    expected.push_back((i % 2 == 0) + 2 * (i / 3 % 2));
    expected.push_back(fibonacci[i % 9]);
  }
  EXPECT_EQ(device.get(out), expected);
}

FOREIGN_KERNEL("cuda/control", trianglesAndVotes,
               "trip counts by lane, ballots inside of divergent code") {
  std::vector<int> in(64);
  for (int i = 0; i < 64; ++i)
    in[i] = i * 29 % 31;
  auto out = device.empty<int>(128);
  device.launch({1}, {64}, device.upload(in), out);
  std::vector<int> expected(128);
  for (int warp = 0; warp < 2; ++warp) {
    int most[32];
    uint32_t odd = 0, even = 0;
    for (int lane = 0; lane < 32; ++lane) {
      most[lane] = *std::max_element(in.begin() + 32 * warp,
                                     in.begin() + 32 * warp + lane + 1);
      if (lane % 2)
        odd |= static_cast<uint32_t>(most[lane] > 10) << lane;
      else if (lane % 4 == 2)
        even |= static_cast<uint32_t>(most[lane] > 20) << lane;
    }
    for (int lane = 0; lane < 32; ++lane) {
      expected[2 * (32 * warp + lane)] = most[lane];
      expected[2 * (32 * warp + lane) + 1] =
          static_cast<int>(lane % 2        ? odd
                           : lane % 4 == 2 ? even
                                           : 0);
    }
  }
  EXPECT_EQ(device.get(out), expected);
}

FOREIGN_KERNEL("cuda/control", barrierLoop,
               "barriers in a loop while warps take different branches") {
  std::vector<int> in(128);
  for (int i = 0; i < 128; ++i)
    in[i] = i * 7 % 45;
  auto out = device.empty<int>(128);
  const int rounds = 7;
  device.launch({1}, {128}, device.upload(in), out, rounds);
  for (int round = 0; round < rounds; ++round) {
    std::vector<int> before = in;
    for (int i = 0; i < 128; ++i) {
      int left = before[(i + 127) % 128], right = before[(i + 1) % 128];
      if ((i / 32 + round) % 2 == 0)
        in[i] += left;
      else if (right & 1)
        in[i] -= right;
      else
        in[i] ^= left + right;
    }
  }
  EXPECT_EQ(device.get(out), in);
}

} // namespace
