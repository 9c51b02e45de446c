//===- Passes.h - passes on tile kernels ------------------------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_DIALECT_GOATTILE_TRANSFORMS_PASSES_H
#define GOAT_DIALECT_GOATTILE_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace goat {

#define GEN_PASS_DECL
#include "goat/Dialect/GoatTile/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "goat/Dialect/GoatTile/Transforms/Passes.h.inc"

} // namespace goat

#endif // GOAT_DIALECT_GOATTILE_TRANSFORMS_PASSES_H
