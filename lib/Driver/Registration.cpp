//===- Registration.cpp - all dialects, passes and translations -----------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one list of what every tool knows.
//
//===----------------------------------------------------------------------===//

#include "goat/Driver/Registration.h"

#include "goat/Conversion/GoatTileToNVVM/Passes.h"
#include "goat/Conversion/GoatToGoatTile/GoatToGoatTile.h"
#include "goat/Conversion/LinalgToGoat/LinalgToGoat.h"
#include "goat/Dialect/Goat/IR/GoatDialect.h"
#include "goat/Dialect/Goat/Transforms/Passes.h"
#include "goat/Dialect/GoatTile/IR/GoatTileDialect.h"
#include "goat/Dialect/GoatTile/Transforms/Passes.h"
#include "goat/Pipelines/GoatToPTX.h"
#include "goat/Target/PTX/EmitPTX.h"
#include "goat/Target/PTX/Passes.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"

using namespace mlir;

void goat::registerAllDialects(DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<GoatDialect, tile::GoatTileDialect>();
  ptx::registerLLVMTranslations(registry);
}

void goat::registerAllPasses() {
  mlir::registerAllPasses();
  registerGoatPasses();
  registerGoatTargetPTXPasses();
  registerGoatTilePasses();
  registerGoatTileToNVVMPasses();
  registerGoatToGoatTilePasses();
  registerGoatLinalgToGoatPasses();
  registerGoatPipelines();
}
