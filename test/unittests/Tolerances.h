//===- Tolerances.h - how far from right is right enough --------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every tolerance of the C++ tests, with its reason.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_TEST_UNITTESTS_TOLERANCES_H
#define GOAT_TEST_UNITTESTS_TOLERANCES_H

namespace goat::tolerances {

/// Against an answer known in closed form: the reference computes in double
/// and sums at most some thousand terms of magnitude up to some hundreds, each
/// with a relative error near 1e-16.
constexpr double exactAnswer = 1e-10;

/// Against an answer written down with six decimals: half a unit of the last
/// one is 5e-7.
constexpr double sixDecimals = 6e-7;

/// Against an answer written down with nine decimals.
constexpr double nineDecimals = 6e-10;

/// An output of the compiled kernel, in units of its magnitude. Weights
/// are rounded to 16 bits before they multiply the values and the result is
/// rounded once: each at most half a unit of the last place, 2^-9 of the
/// magnitude in bf16 and 2^-12 in f16.
constexpr double bf16Output = 0x1p-8;
constexpr double f16Output = 0x1p-11;

/// The same of f32: products exact in f32 add the rounding of sums of D terms
/// to scores near 1, and of exponentials; in tf32 query, key, weights and value
/// are rounded to 2^-11 as they are multiplied.
constexpr double f32Output = 2e-6;
constexpr double tf32Output = 0x1p-10;

/// A sum of some hundred terms in f32, in units of the sum of their sizes:
/// 2^-24 for each addition, of random signs.
constexpr double sumOfF32 = 1e-6;

/// The kernel's lse, in units of max(1, |lse|): sums in f32 of ex2.approx
/// (2^-22 relative) and one lg2.approx.
constexpr double lse = 1e-5;

/// A graph before and after raising, both in double, in units of
/// max(1, |value|): the op's constants (scale, eps) are rounded to f32.
constexpr double raisedGraph = 1e-6;

} // namespace goat::tolerances

#endif // GOAT_TEST_UNITTESTS_TOLERANCES_H
