//===- MmaNumerics.cpp - how a tensor instruction sums --------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Eight sums at a time, by the steps that MmaNumerics.h describes.
//
//===----------------------------------------------------------------------===//

#include "MmaNumerics.h"
#include "Numerics.h"
#include "Wide.h"

#include <algorithm>

namespace goat::ptxsim {

namespace {

struct Machine {
  unsigned step, keptBits, order;
  bool isReversed, truncates;
};

Machine drawMachine(MmaOperands operands, uint64_t seed) {
  uint64_t x = seed * 0x9E3779B97F4A7C15ull;
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9ull;
  x ^= x >> 32;
  unsigned kept = 24 + static_cast<unsigned>(x >> 8) % 3;
  if (operands == MmaOperands::Float8 && (x >> 40 & 1))
    kept = 13;
  return {4u << x % 3, kept, static_cast<unsigned>(x >> 48) % 4,
          (x >> 16 & 1) != 0, (x >> 24 & 1) != 0};
}

/// Eight sums, and the same as bits, as whole numbers and in fp32.
constexpr unsigned width = 8;
typedef double Row __attribute__((vector_size(64)));
typedef int64_t Bits __attribute__((vector_size(64)));
typedef int32_t Whole __attribute__((vector_size(32)));
typedef float Single __attribute__((vector_size(32)));

constexpr int64_t magnitudeMask = INT64_MAX;
constexpr int64_t exponentOfInfinity = 2047;
constexpr unsigned maxTerms = 17;

GOAT_PTXSIM_INLINE bool any(const Bits &lanes) {
  int64_t all = 0;
  for (unsigned i = 0; i < width; ++i)
    all |= lanes[i];
  return all != 0;
}

/// fp32 towards zero, of sums that may be too small or too large for that.
GOAT_PTXSIM_INLINE void truncate(Row &sum) {
  constexpr int64_t smallest = int64_t(1023 - 126) << 52;
  constexpr int64_t tooLarge = int64_t(1023 + 128) << 52;
  Bits bits = (Bits)sum, size = bits & magnitudeMask;
  if (any(((size < smallest) & (size != 0)) | (size >= tooLarge))) {
    for (unsigned i = 0; i < width; ++i)
      sum[i] = bitCast<float>(encode(sum[i], formatF32, Rounding::Zero));
    return;
  }
  sum = (Row)(bits & ~((int64_t(1) << 29) - 1));
}

/// The terms of eight sums, aligned, cut off and added.
GOAT_PTXSIM_INLINE void addAligned(Row (&terms)[maxTerms], unsigned count,
                                   const Machine &machine, Row &sum) {
  Bits largest = {};
  Row plain = {};
  for (unsigned i = 0; i < count; ++i) {
    Bits size = (Bits)terms[i] & magnitudeMask;
    largest = size > largest ? size : largest;
    plain += terms[i];
  }
  // Biased exponents: of the largest term, and of what its last bit is worth.
  Bits exponent = largest >> 52;
  Bits isPlain = (exponent == exponentOfInfinity) | (largest == 0);
  if (any(isPlain))
    for (unsigned i = 0; i < count; ++i)
      terms[i] = (Row)((Bits)terms[i] & ~isPlain);
  Bits last = exponent - static_cast<int64_t>(machine.keptBits);
  last = last < 1 ? last - last + 1 : last;
  Row unit = (Row)(last << 52), inverse = (Row)((2046 - last) << 52);
  sum = Row{};
  // Whole numbers below 2^27, at most 17 of them: exact.
  for (unsigned i = 0; i < count; ++i)
    sum += __builtin_convertvector(
        __builtin_convertvector(terms[i] * inverse, Whole), Row);
  sum *= unit;
  if (machine.truncates)
    truncate(sum);
  else
    sum = __builtin_convertvector(__builtin_convertvector(sum, Single), Row);
  if (any(isPlain))
    sum = (Row)(((Bits)plain & isPlain) | ((Bits)sum & ~isPlain));
}

struct Product {
  unsigned rows, columns, depth;
  const double *a, *b;
  double *c;
};

GOAT_PTXSIM_INLINE void multiplyAligned(const Product &p,
                                        const Machine &machine) {
  unsigned step = std::min(machine.step, p.depth);
  unsigned numSteps = (p.depth + step - 1) / step;
  for (unsigned m = 0; m < p.rows; ++m)
    for (unsigned n = 0; n < p.columns; n += width) {
      double *at = p.c + size_t(p.columns) * m + n;
      Row sum;
      std::memcpy(&sum, at, sizeof(sum));
      for (unsigned s = 0; s < numSteps; ++s) {
        unsigned begin = (machine.isReversed ? numSteps - 1 - s : s) * step;
        unsigned end = std::min(begin + step, p.depth), count = 0;
        Row terms[maxTerms];
        terms[count++] = sum;
        for (unsigned k = begin; k < end; ++k) {
          Row right;
          std::memcpy(&right, p.b + size_t(p.columns) * k + n, sizeof(right));
          terms[count++] = p.a[size_t(p.depth) * m + k] * right;
        }
        addAligned(terms, count, machine, sum);
      }
      std::memcpy(at, &sum, sizeof(sum));
    }
}

void multiplyPlain(const Product &p, const Machine &machine) {
  multiplyAligned(p, machine);
}
#ifdef GOAT_PTXSIM_WIDE
GOAT_PTXSIM_WIDE void multiplyWide(const Product &p, const Machine &machine) {
  multiplyAligned(p, machine);
}
#endif

/// One fused multiply-add after the other: upwards, downwards, or the even
/// terms before the odd ones.
void multiplyDouble(const Product &p, const Machine &machine) {
  bool isSplit = machine.order & 2;
  unsigned evens = (p.depth + 1) / 2;
  for (unsigned m = 0; m < p.rows; ++m)
    for (unsigned n = 0; n < p.columns; ++n) {
      double &sum = p.c[size_t(p.columns) * m + n];
      for (unsigned i = 0; i < p.depth; ++i) {
        unsigned k = !isSplit ? i : i < evens ? 2 * i : 2 * (i - evens) + 1;
        if (machine.order & 1)
          k = p.depth - 1 - k;
        sum = std::fma(p.a[size_t(p.depth) * m + k],
                       p.b[size_t(p.columns) * k + n], sum);
      }
    }
}

} // namespace

void multiplyVaried(MmaOperands operands, unsigned rows, unsigned columns,
                    unsigned depth, const double *a, const double *b, double *c,
                    uint64_t seed) {
  Machine machine = drawMachine(operands, seed);
  Product product{rows, columns, depth, a, b, c};
  if (operands == MmaOperands::Double)
    return multiplyDouble(product, machine);
#ifdef GOAT_PTXSIM_WIDE
  if (hostIsWide())
    return multiplyWide(product, machine);
#endif
  multiplyPlain(product, machine);
}

} // namespace goat::ptxsim
