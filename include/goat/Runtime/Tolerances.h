//===- Tolerances.h - how far a kernel may be from the reference *- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bounds of goat-run --compare, with their reasons. The reference computes
// in double from the same rounded inputs, so that all error is the kernel's.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_RUNTIME_TOLERANCES_H
#define GOAT_RUNTIME_TOLERANCES_H

namespace goat::runtime::tolerances {

/// Relative L2 error of a bf16 output. Weights are rounded to bf16 before they
/// multiply V, and the result once more: each at most 2^-9 = 2e-3 relative and
/// about half of that in the mean.
constexpr double bf16 = 4e-3;

/// The same with the 2^-12 of f16.
constexpr double f16 = 5e-4;

/// An f32 output such as lse never passes through 16 bits: sums of products in
/// f32, ex2.approx and lg2.approx near 2^-22, and a prior good to 1e-5.
constexpr double f32 = 2e-5;

/// Where an output is nothing but cancellation (an exclusion that removes the
/// whole row), relative error says nothing. An absolute error below this part
/// of the largest input is right whatever the relative one is; it is a few
/// units of the last place of f32.
constexpr double cancellation = 1e-6;

} // namespace goat::runtime::tolerances

#endif // GOAT_RUNTIME_TOLERANCES_H
