//===- goat-translate.cpp - translate llvm and nvvm ops to PTX ------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry point of goat-translate.
//
//===----------------------------------------------------------------------===//

#include "goat/Driver/Registration.h"

#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"

int main(int argc, char **argv) {
  goat::registerAllTranslations();
  return failed(mlir::mlirTranslateMain(argc, argv, "goat-translate"));
}
