//===- Uniformity.h - scalars that differ between warps ---------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_DIALECT_GOATTILE_TRANSFORMS_UNIFORMITY_H
#define GOAT_LIB_DIALECT_GOATTILE_TRANSFORMS_UNIFORMITY_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace goat::tile {

/// Scalars are the same in every thread of a block, but for those that follow
/// from goat_tile.warp_any. An error, behind `label`, where one of these
/// decides about work of the whole block: a memory access, a copy, a barrier, a
/// loop.
mlir::LogicalResult verifyUniformity(mlir::gpu::GPUFuncOp kernel,
                                     llvm::StringRef label);

} // namespace goat::tile

#endif // GOAT_LIB_DIALECT_GOATTILE_TRANSFORMS_UNIFORMITY_H
