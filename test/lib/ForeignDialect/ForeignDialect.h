//===- ForeignDialect.h - plug-ins of somebody else -------------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dialect outside of goat whose ops implement goat's interfaces.
//
//===----------------------------------------------------------------------===//

#ifndef FOREIGN_FOREIGNDIALECT_H
#define FOREIGN_FOREIGNDIALECT_H

#include "goat/Dialect/Goat/IR/GoatInterfaces.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ForeignDialect.h.inc"

#define GET_OP_CLASSES
#include "ForeignOps.h.inc"

#endif // FOREIGN_FOREIGNDIALECT_H
