//===- LinalgToGoat.h - from graphs to attention ----------------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that find attention in graphs of upstream dialects, which is what
// importers translate a framework's graph to.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_CONVERSION_LINALGTOGOAT_LINALGTOGOAT_H
#define GOAT_CONVERSION_LINALGTOGOAT_LINALGTOGOAT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace goat {

#define GEN_PASS_DECL
#include "goat/Conversion/LinalgToGoat/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "goat/Conversion/LinalgToGoat/Passes.h.inc"

} // namespace goat

#endif // GOAT_CONVERSION_LINALGTOGOAT_LINALGTOGOAT_H
