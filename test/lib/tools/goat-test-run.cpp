//===- goat-test-run.cpp - goat-run with a dialect from outside -----------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// goat-run and the foreign dialect.
//
//===----------------------------------------------------------------------===//

#include "ForeignDialect.h"
#include "goat/Driver/Registration.h"
#include "goat/Driver/Tools.h"

#include "mlir/IR/DialectRegistry.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry dialects;
  goat::registerAllDialects(dialects);
  dialects.insert<foreign::ForeignDialect>();
  return goat::goatRunMain(argc, argv, dialects);
}
