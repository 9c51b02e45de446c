//===- Npy.h - NumPy's array files ------------------------------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading and writing .npy files, as far as inputs and outputs need it.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_RUNTIME_NPY_H
#define GOAT_RUNTIME_NPY_H

#include "goat/Runtime/Tensors.h"

namespace goat::runtime {

/// Reads a little-endian float16, float32, float64, int32 or int64 array in C
/// order, of format version 1, 2 or 3. Errors name the file and what was found.
llvm::Expected<Tensor> readNpy(llvm::StringRef path);

/// Writes float32, or int32 when `dtype` is I32, in format version 1.
llvm::Error writeNpy(llvm::StringRef path, const Tensor &tensor, DType dtype);

} // namespace goat::runtime

#endif // GOAT_RUNTIME_NPY_H
