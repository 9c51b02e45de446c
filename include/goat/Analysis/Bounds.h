//===- Bounds.h - between which numbers a value lies ------------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A score is clamped from below so that only masks give −∞. What can be seen
// not to come near the clamp is not clamped.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_ANALYSIS_BOUNDS_H
#define GOAT_ANALYSIS_BOUNDS_H

#include "goat/Dialect/Goat/IR/GoatDialect.h"

namespace goat {

/// Numbers a value does not leave, a NaN aside; infinite where nothing is
/// known.
struct Bounds {
  double least, greatest;
};

/// Bounds of an integer or a float in a region of `attention`, from its arith
/// and math ops and from what priors promise. Nothing is known of captured
/// values.
Bounds boundsOf(mlir::Value value, AttentionOp attention);

} // namespace goat

#endif // GOAT_ANALYSIS_BOUNDS_H
