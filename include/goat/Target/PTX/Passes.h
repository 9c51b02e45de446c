//===- Passes.h - what PTX may be emitted from ------------------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_TARGET_PTX_PASSES_H
#define GOAT_TARGET_PTX_PASSES_H

#include "mlir/Pass/Pass.h"

namespace goat {

#define GEN_PASS_DECL
#include "goat/Target/PTX/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "goat/Target/PTX/Passes.h.inc"

} // namespace goat

#endif // GOAT_TARGET_PTX_PASSES_H
