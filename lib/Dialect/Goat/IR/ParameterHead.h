//===- ParameterHead.h - the heads of a parameter ---------------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_DIALECT_GOAT_IR_PARAMETERHEAD_H
#define GOAT_LIB_DIALECT_GOAT_IR_PARAMETERHEAD_H

#include "goat/Dialect/Goat/IR/GoatDialect.h"

namespace goat {

/// Where query head `head` finds its value in a parameter with `heads` of them:
/// h·H'/Hq.
mlir::Value parameterHead(mlir::OpBuilder &builder, mlir::Location loc,
                          AttentionOp attention, int64_t heads,
                          mlir::Value head);

} // namespace goat

#endif // GOAT_LIB_DIALECT_GOAT_IR_PARAMETERHEAD_H
