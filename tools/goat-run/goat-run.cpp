//===- goat-run.cpp - run a layer on the reference or the simulator -----===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry point of goat-run.
//
//===----------------------------------------------------------------------===//

#include "goat/Driver/Registration.h"
#include "goat/Driver/Tools.h"

#include "mlir/IR/DialectRegistry.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry dialects;
  goat::registerAllDialects(dialects);
  return goat::goatRunMain(argc, argv, dialects);
}
