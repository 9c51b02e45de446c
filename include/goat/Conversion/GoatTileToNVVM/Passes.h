//===- Passes.h - from goat_tile to threads ---------------------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_CONVERSION_GOATTILETONVVM_PASSES_H
#define GOAT_CONVERSION_GOATTILETONVVM_PASSES_H

#include "mlir/Pass/Pass.h"

namespace goat {

#define GEN_PASS_DECL
#include "goat/Conversion/GoatTileToNVVM/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "goat/Conversion/GoatTileToNVVM/Passes.h.inc"

} // namespace goat

#endif // GOAT_CONVERSION_GOATTILETONVVM_PASSES_H
