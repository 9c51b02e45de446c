//===- Comparison.h - is an output right? -----------------------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds on the error of an output, as a whole and row by row, and whether they
// are kept. The numbers are those of Tolerances.h.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_RUNTIME_COMPARISON_H
#define GOAT_RUNTIME_COMPARISON_H

#include "goat/Runtime/Tensors.h"
#include "goat/Target/PTX/Artifact.h"

namespace goat::runtime {

/// What an output's error depends on.
struct Precision {
  DType dtype;
  /// Of an element for each row: an lse.
  bool isLse = false;
  /// Query, key and value of f32 are multiplied in tf32.
  bool isTF32 = false;
  /// Scores are more than scaled products.
  bool hasPriors = false;
};

/// How far an output x may be from the reference's r.
struct Bounds {
  /// On ‖x − r‖₂ of each row (the output's shape without its last axis), or on
  /// |x − r| of each element of an lse (the output's shape).
  Tensor rows;
  /// On ‖x − r‖₂ over all finite elements.
  double total = 0;
  /// The relative part of `total`, for reports.
  double relativeL2 = 0;
};

/// The bounds of an output whose reference is `expected`. A row may be off by a
/// part of its own norm and by tolerances::cancellation of its entry in
/// `magnitudes`; without entries a row of zeros has to be zeros. To an lse its
/// scores add `scoreError`. Infinities have to be met exactly.
Bounds boundsOf(const Tensor &expected, const Precision &precision,
                llvm::ArrayRef<double> magnitudes = {}, double scoreError = 0);

/// Whether a compiled layer multiplies f32 in tf32, by the choices it was
/// compiled with.
bool isInTF32(const ptx::Artifact &artifact);

/// The bounds of result `index` of a layer run on `inputs`, all of whose
/// results on the reference are `expected`. Magnitudes are those of the value
/// rows that the row's head may read; they count where there is an exclusion,
/// and not in rows that see no key, as far as an lse tells. `isTF32` when f32
/// is multiplied in tf32. Fails where the result's type is no parameter type.
llvm::Expected<Bounds> boundsOf(mlir::func::FuncOp function, unsigned index,
                                llvm::ArrayRef<Tensor> inputs,
                                llvm::ArrayRef<Tensor> expected,
                                bool isTF32 = false);

/// How far an output is from the reference's.
struct Comparison {
  /// ‖x − r‖₂ / ‖r‖₂ over all elements. Equal infinities count as equal; a NaN
  /// or an infinity on one side only makes it infinite.
  double relativeL2 = 0;
  double maxAbs = 0;
  /// Bounds::relativeL2.
  double tolerance = 0;
  /// The row (or the element of an lse) that is off by most of its bound.
  llvm::SmallVector<int64_t> worstRow;
  double worstRowError = 0;
  double worstRowBound = 0;
  bool isWithin = false;
};

/// Compares tensors of one shape.
Comparison compare(const Tensor &actual, const Tensor &expected,
                   const Bounds &bounds);

} // namespace goat::runtime

#endif // GOAT_RUNTIME_COMPARISON_H
