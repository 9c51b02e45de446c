//===- GoatInterfaces.cpp - the plug points of attention ------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "goat/Dialect/Goat/IR/GoatInterfaces.h"

using namespace mlir;

#include "goat/Dialect/Goat/IR/GoatInterfaces.cpp.inc"

goat::Dependence goat::uniteDependence(llvm::ArrayRef<Dependence> operands) {
  Dependence all = Dependence::None;
  for (Dependence operand : operands)
    all = all | operand;
  return all;
}
