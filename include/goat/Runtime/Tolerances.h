//===- Tolerances.h - how far a kernel may be from the reference *- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far a kernel may be from right, with the reasons; nothing else says so.
// The reference computes in double from the same rounded inputs, so that all
// error is the kernel's.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_RUNTIME_TOLERANCES_H
#define GOAT_RUNTIME_TOLERANCES_H

namespace goat::runtime::tolerances {

/// A bf16 output, relative. Weights are rounded to bf16 before they multiply
/// V, and the result once more: each at most 2^-9 and about half of that in
/// the mean.
constexpr double bf16 = 0x1p-8;

/// The same with the 2^-12 of f16.
constexpr double f16 = 0x1p-11;

/// An f32 output of products exact in f32, relative. Nothing is rounded to
/// fewer bits; what adds up are scores, sums of D products (2^-24 of each step,
/// of random signs), which an exponential turns into relative errors, and
/// ex2.approx itself (2^-22). Priors come on top, see `score`.
constexpr double f32 = 2e-6;

/// An f32 output of products in tf32, relative. Query and key are rounded to
/// 2^-11 as they are multiplied, which moves a score near 1 by some 2^-12 and
/// its weight as much, and so are weights and value. Unlike 16-bit inputs,
/// which the reference has rounded as well, all of it is the kernel's.
constexpr double tf32 = 0x1p-10;

/// One row of an output may be off by this many times the tolerance of the
/// whole: its errors are measured by Σ p|v|, which in a single row of signed
/// values may be a few times |Σ p v|. A row that is wrong is off by about 1.
constexpr double rowFactor = 4;

/// In a row of fewer elements than this, Σ p v may be small where Σ p|v| is
/// not, in all of them at once: its error is held against the largest |value|
/// that the row's head may read as well. Of a sigmoid, whose n weights may each
/// be 1 and are rounded on their own, against √n times as much.
constexpr int narrowRow = 8;

/// Where an exclusion removes nearly all of a row, relative error says nothing:
/// what remains is the rounding in f32 (2^-24) of a few operations on numbers
/// as large as the row's values. In units of the largest |value| that the
/// row's head may read; per element. In tf32 what cancels was rounded to 2^-11.
constexpr double cancellation = 1e-6;
constexpr double tf32Cancellation = 0x1p-11;

/// An element of lse, in units of max(1, |lse|): sums in f32, ex2.approx
/// (2^-22) and one lg2.approx.
constexpr double lse = 1e-5;

/// What rounding of loaded rows may add to a score, in units of the element
/// type's tolerance, of the scale and of the largest elements of both rows: one
/// element that lies between two numbers may be rounded to either, which are
/// 2^-7 of it apart in bf16.
constexpr double loaded = 2;

/// The largest element of a row of normal numbers, before or after a norm.
constexpr double largestOfRow = 4;

/// What the scores may add to an lse, in the same units, and to an f32 output
/// when there are priors: sums of products in f32, and a prior that is good to
/// 1e-5.
constexpr double score = 1e-5;

/// What an element of a tiny row may lose in f16: half of the smallest number,
/// 2^-25, when it is stored, and about as much in weights that are subnormal.
constexpr double f16Underflow = 0x1p-24;

} // namespace goat::runtime::tolerances

#endif // GOAT_RUNTIME_TOLERANCES_H
