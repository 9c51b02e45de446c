//===- Registration.h - all dialects, passes and translations ---*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one list of what every tool knows.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_DRIVER_REGISTRATION_H
#define GOAT_DRIVER_REGISTRATION_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace goat {

/// Every dialect a file may use, with the interfaces conversion to the LLVM
/// dialect and translation to LLVM IR need.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Every pass and pipeline, by its command-line name.
void registerAllPasses();

/// The translations of goat-translate.
void registerAllTranslations();

} // namespace goat

#endif // GOAT_DRIVER_REGISTRATION_H
