//===- Tensors.h - host tensors and what is done with them ------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All runners take and give the reference's tensors, whose doubles hold every
// value of every parameter type exactly. Here they become the bytes of a
// parameter and come back.
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

} // namespace goat::runtime

#endif // GOAT_RUNTIME_TENSORS_H
