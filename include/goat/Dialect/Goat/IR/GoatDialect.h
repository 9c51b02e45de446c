//===- GoatDialect.h - the goat dialect -------------------------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect, its attributes and its operations. What they mean is said in
// the .td files beside this one.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_DIALECT_GOAT_IR_GOATDIALECT_H
#define GOAT_DIALECT_GOAT_IR_GOATDIALECT_H

#include "goat/Dialect/Goat/IR/GoatInterfaces.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "goat/Dialect/Goat/IR/GoatDialect.h.inc"
#include "goat/Dialect/Goat/IR/GoatEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "goat/Dialect/Goat/IR/GoatAttributes.h.inc"

#define GET_OP_CLASSES
#include "goat/Dialect/Goat/IR/GoatOps.h.inc"

#endif // GOAT_DIALECT_GOAT_IR_GOATDIALECT_H
