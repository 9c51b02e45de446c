//===- EmitPTX.h - PTX text from the LLVM dialect ---------------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last step of compilation: a module of llvm and nvvm ops becomes PTX text
// through LLVM's NVPTX backend, in this process.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_TARGET_PTX_EMITPTX_H
#define GOAT_TARGET_PTX_EMITPTX_H

#include "goat/Target/PTX/Chips.h"
#include "mlir/Support/LLVM.h"

#include <string>

namespace mlir {
class DialectRegistry;
class Operation;
} // namespace mlir

namespace goat::ptx {

/// Makes the builtin, gpu, llvm and nvvm dialects translatable to LLVM IR.
void registerLLVMTranslations(mlir::DialectRegistry &registry);

/// Returns `module`, a `gpu.module` or `builtin.module` of llvm and nvvm ops,
/// as optimised LLVM IR for `chip`. Errors are reported at `module`.
mlir::FailureOr<std::string> emitLLVMIR(mlir::Operation *module,
                                        const ChipDescription &chip);

/// Returns the same module as PTX text.
mlir::FailureOr<std::string> emitPTX(mlir::Operation *module,
                                     const ChipDescription &chip);

/// The same text with .loc directives, which say which line of its file the
/// location of each operation names.
mlir::FailureOr<std::string> emitPTXWithLines(mlir::Operation *module,
                                              const ChipDescription &chip);

} // namespace goat::ptx

#endif // GOAT_TARGET_PTX_EMITPTX_H
