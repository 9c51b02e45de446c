//===- Tensors.h - host tensors and what is done with them ------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All runners take and give the reference's tensors, whose doubles hold every
// value of every parameter type exactly. Here they become the bytes of a
// parameter and come back, and are compared.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_RUNTIME_TENSORS_H
#define GOAT_RUNTIME_TENSORS_H

#include "goat/Reference/Reference.h"
#include "goat/Target/PTX/Artifact.h"

namespace goat::runtime {

using ptx::DType;
using reference::Tensor;

/// The most elements a tensor may have here; more would be a mistake, and the
/// host's memory would not do.
inline constexpr int64_t maxElements = int64_t(1) << 31;

/// Whether all sizes are at least 0 and their product is at most maxElements.
bool isReasonable(llvm::ArrayRef<int64_t> shape);

/// "2x12x128x64", or "scalar".
std::string shapeString(llvm::ArrayRef<int64_t> shape);

/// `value` as a parameter of this type holds it: rounded to nearest, ties to
/// even. Integers are truncated and wrap at 32 bits.
double roundTo(DType dtype, double value);

/// The little-endian bytes of `tensor` with elements of type `dtype`.
std::vector<uint8_t> pack(const Tensor &tensor, DType dtype);

/// The inverse of `pack`.
Tensor unpack(llvm::ArrayRef<uint8_t> bytes, DType dtype,
              llvm::ArrayRef<int64_t> shape);

/// How far an output is from the reference's.
struct Comparison {
  /// ‖x − r‖₂ / ‖r‖₂ over all elements. Equal infinities count as equal; a NaN
  /// or an infinity on one side only makes it infinite.
  double relativeL2 = 0;
  double maxAbs = 0;
  /// The bound on relativeL2 for this dtype, from Tolerances.h.
  double tolerance = 0;
  bool isWithin = false;
};

/// Compares tensors of one shape. `magnitude` is the largest finite magnitude
/// among the inputs, which an output of pure cancellation is measured by.
Comparison compare(const Tensor &actual, const Tensor &expected, DType dtype,
                   double magnitude);

} // namespace goat::runtime

#endif // GOAT_RUNTIME_TENSORS_H
