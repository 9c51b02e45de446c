//===- Tools.h - the command lines of goatc and goat-run --------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tools themselves are mains that call these.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_DRIVER_TOOLS_H
#define GOAT_DRIVER_TOOLS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace goat {

// `dialects` is what a file may use: registerAllDialects, and dialects of
// plug-ins from elsewhere.

/// goatc: compiles a file. Returns 0, or 1 after an error message.
int goatcMain(int argc, char **argv, const mlir::DialectRegistry &dialects);

/// goat-run: runs a layer. Returns 0; 1 after an error message; 2 when the
/// outputs are beyond the tolerance or there are findings.
int goatRunMain(int argc, char **argv, const mlir::DialectRegistry &dialects);

} // namespace goat

#endif // GOAT_DRIVER_TOOLS_H
