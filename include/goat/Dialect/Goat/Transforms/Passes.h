//===- Passes.h - passes on attention ---------------------------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_DIALECT_GOAT_TRANSFORMS_PASSES_H
#define GOAT_DIALECT_GOAT_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace goat {

#define GEN_PASS_DECL
#include "goat/Dialect/Goat/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "goat/Dialect/Goat/Transforms/Passes.h.inc"

} // namespace goat

#endif // GOAT_DIALECT_GOAT_TRANSFORMS_PASSES_H
