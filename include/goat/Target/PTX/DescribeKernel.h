//===- DescribeKernel.h - kernel.json from a compiled module ----*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A schedule writes on its kernel, as goat_tile attributes, what a launcher has
// to know. They survive down to the llvm.func, and are read off here.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_TARGET_PTX_DESCRIBEKERNEL_H
#define GOAT_TARGET_PTX_DESCRIBEKERNEL_H

#include "goat/Target/PTX/Artifact.h"
#include "goat/Target/PTX/Chips.h"
#include "mlir/Support/LLVM.h"

#include <optional>

namespace mlir {
class Operation;
class Type;
} // namespace mlir

namespace goat::ptx {

/// The kind of a tensor's elements; none where no kernel can take them.
std::optional<DType> dtypeOf(mlir::Type element);

/// The description of what `module`, a gpu.module, launches: its kernels
/// (llvm.func, or gpu.func before lowering) in order. Errors, at a kernel: the
/// module is no sequence of launches (Launches.h), an attribute is missing or
/// of the wrong kind, or more shared memory or blocks are asked for than `chip`
/// has.
mlir::FailureOr<Kernel> describeKernel(mlir::Operation *module,
                                       const ChipDescription &chip);

} // namespace goat::ptx

#endif // GOAT_TARGET_PTX_DESCRIBEKERNEL_H
