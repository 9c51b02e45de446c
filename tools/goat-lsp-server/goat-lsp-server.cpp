//===- goat-lsp-server.cpp - goat text in an editor -----------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry point of the language server.
//
//===----------------------------------------------------------------------===//

#include "goat/Driver/Registration.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  goat::registerAllDialects(registry);
  return failed(mlir::MlirLspServerMain(argc, argv, registry));
}
