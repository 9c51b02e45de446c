//===- F32MultiplyToNVVM.h - products of f32 operands -----------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_CONVERSION_GOATTILETONVVM_F32MULTIPLYTONVVM_H
#define GOAT_LIB_CONVERSION_GOATTILETONVVM_F32MULTIPLYTONVVM_H

#include "ScalarEmitter.h"
#include "goat/Dialect/GoatTile/IR/GoatTileDialect.h"

namespace goat::tile {

/// The registers of a goat_tile.mma with an `f32_product`. `a` is a tile's
/// registers or a buffer's address, `b` a buffer's address.
llvm::SmallVector<mlir::Value> multiplyF32(ScalarEmitter &emitter, MmaOp op,
                                           mlir::ValueRange a, mlir::Value b,
                                           mlir::ValueRange accumulator);

} // namespace goat::tile

#endif // GOAT_LIB_CONVERSION_GOATTILETONVVM_F32MULTIPLYTONVVM_H
