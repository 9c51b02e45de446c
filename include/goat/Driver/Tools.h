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

namespace goat {

/// goatc: compiles a file. Returns 0, or 1 after an error message.
int goatcMain(int argc, char **argv);

/// goat-run: runs a layer. Returns 0; 1 after an error message; 2 when the
/// outputs are beyond the tolerance or there are findings.
int goatRunMain(int argc, char **argv);

} // namespace goat

#endif // GOAT_DRIVER_TOOLS_H
