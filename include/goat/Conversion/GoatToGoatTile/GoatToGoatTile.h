//===- GoatToGoatTile.h - from attention to tiles ---------------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedules: passes that turn goat.attention into a kernel on tiles.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_CONVERSION_GOATTOGOATTILE_GOATTOGOATTILE_H
#define GOAT_CONVERSION_GOATTOGOATTILE_GOATTOGOATTILE_H

#include "goat/Dialect/GoatTile/IR/GoatTileDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace goat {

#define GEN_PASS_DECL
#include "goat/Conversion/GoatToGoatTile/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "goat/Conversion/GoatToGoatTile/Passes.h.inc"

} // namespace goat

#endif // GOAT_CONVERSION_GOATTOGOATTILE_GOATTOGOATTILE_H
