//===- goat-test-opt.cpp - goat-opt with a dialect from outside -----------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// goat-opt, the foreign dialect and the test passes.
//
//===----------------------------------------------------------------------===//

#include "../Analysis/TestDependence.h"
#include "../Dialect/GoatTile/TestPlantFault.h"
#include "ForeignDialect.h"
#include "goat/Driver/Registration.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  goat::registerAllDialects(registry);
  registry.insert<foreign::ForeignDialect>();
  goat::registerAllPasses();
  goat::test::registerTestDependencePass();
  goat::test::registerTestPlantFaultPass();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "goat-test-opt\n", registry));
}
