//===- GoatTileDialect.cpp - registration of the goat_tile dialect --------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the dialect's encodings, types and ops.
//
//===----------------------------------------------------------------------===//

#include "goat/Dialect/GoatTile/IR/GoatTileDialect.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace goat::tile;

#include "goat/Dialect/GoatTile/IR/GoatTileDialect.cpp.inc"
#include "goat/Dialect/GoatTile/IR/GoatTileEnums.cpp.inc"

// The generated parsers and printers of the dialect are static, so the
// definitions they call stay in this file.
#define GET_ATTRDEF_CLASSES
#include "goat/Dialect/GoatTile/IR/GoatTileAttributes.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "goat/Dialect/GoatTile/IR/GoatTileTypes.cpp.inc"

#define GET_OP_CLASSES
#include "goat/Dialect/GoatTile/IR/GoatTileOps.cpp.inc"

void GoatTileDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "goat/Dialect/GoatTile/IR/GoatTileAttributes.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "goat/Dialect/GoatTile/IR/GoatTileTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "goat/Dialect/GoatTile/IR/GoatTileOps.cpp.inc"
      >();
}
