//===- MmaNumerics.cpp - how a tensor instruction sums --------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One sum at a time, by the steps that MmaNumerics.h describes.
//
//===----------------------------------------------------------------------===//

#include "MmaNumerics.h"
#include "Numerics.h"

#include <algorithm>

namespace goat::ptxsim {

namespace {

struct Machine {
  unsigned step, extraBits;
  bool isReversed, truncates;
};

Machine drawMachine(uint64_t seed) {
  uint64_t x = seed * 0x9E3779B97F4A7C15ull;
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9ull;
  x ^= x >> 32;
  return {4u << x % 3, 1 + static_cast<unsigned>(x >> 8) % 3,
          (x >> 16 & 1) != 0, (x >> 24 & 1) != 0};
}

/// The accumulator and `count` products, aligned, cut off and added.
double addAligned(const double *terms, unsigned count, const Machine &machine) {
  double largest = 0, plain = 0;
  for (unsigned i = 0; i < count; ++i) {
    largest = std::max(largest, std::fabs(terms[i]));
    plain += terms[i];
  }
  if (largest == 0 || !std::isfinite(plain))
    return plain;
  int exponent = std::max(
      std::ilogb(largest) - 23 - static_cast<int>(machine.extraBits), -1000);
  double sum = 0;
  // At most 17 integers below 2^27: exact.
  for (unsigned i = 0; i < count; ++i)
    sum += std::trunc(std::ldexp(terms[i], -exponent));
  sum = std::ldexp(sum, exponent);
  Rounding rounding = machine.truncates ? Rounding::Zero : Rounding::Nearest;
  return bitCast<float>(encode(sum, formatF32, rounding));
}

} // namespace

void multiplyVaried(unsigned depth, const double *a, const double *b, double *c,
                    uint64_t seed) {
  Machine machine = drawMachine(seed);
  unsigned step = std::min(machine.step, depth);
  unsigned numSteps = (depth + step - 1) / step;
  double terms[17];
  for (unsigned m = 0; m < 16; ++m)
    for (unsigned n = 0; n < 8; ++n) {
      double sum = c[8 * m + n];
      for (unsigned s = 0; s < numSteps; ++s) {
        unsigned begin = (machine.isReversed ? numSteps - 1 - s : s) * step;
        unsigned end = std::min(begin + step, depth), count = 0;
        terms[count++] = sum;
        for (unsigned k = begin; k < end; ++k)
          terms[count++] = a[depth * m + k] * b[8 * k + n];
        sum = addAligned(terms, count, machine);
      }
      c[8 * m + n] = sum;
    }
}

} // namespace goat::ptxsim
