//===- Layer.h - a function that can be compiled ----------------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a function to be compiled may hold: the contract of level 0, which
// `--goat-verify-goat` checks and the schedules start from.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_DIALECT_GOAT_TRANSFORMS_LAYER_H
#define GOAT_DIALECT_GOAT_TRANSFORMS_LAYER_H

#include "goat/Dialect/Goat/IR/GoatDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace goat {

/// The one attention of a function whose results it returns, or an error at
/// what breaks (V2) to (V6) of `--goat-verify-goat`.
mlir::FailureOr<AttentionOp> findLayer(mlir::func::FuncOp function);

} // namespace goat

#endif // GOAT_DIALECT_GOAT_TRANSFORMS_LAYER_H
