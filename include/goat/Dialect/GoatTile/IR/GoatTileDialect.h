//===- GoatTileDialect.h - the goat_tile dialect ----------------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect, its encodings, types and operations. What they mean is said in
// the .td files beside this one.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_DIALECT_GOATTILE_IR_GOATTILEDIALECT_H
#define GOAT_DIALECT_GOATTILE_IR_GOATTILEDIALECT_H

#include "goat/Layout/TileLayout.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>
#include <string>

#include "goat/Dialect/GoatTile/IR/GoatTileDialect.h.inc"
#include "goat/Dialect/GoatTile/IR/GoatTileEnums.h.inc"

#include "goat/Dialect/GoatTile/IR/GoatTileInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "goat/Dialect/GoatTile/IR/GoatTileAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "goat/Dialect/GoatTile/IR/GoatTileTypes.h.inc"

#define GET_OP_CLASSES
#include "goat/Dialect/GoatTile/IR/GoatTileOps.h.inc"

namespace goat::tile {

/// The layout of a tile, or nullopt, with the reason in `reason` when that is
/// given, when its type has no goat_tile encoding.
std::optional<layout::TileLayout> getTileLayout(mlir::RankedTensorType type,
                                                std::string *reason = nullptr);

/// The type of a tile of rank 2 without `axis`, in the slice of its encoding.
mlir::RankedTensorType getSliceType(mlir::RankedTensorType tile, int64_t axis,
                                    mlir::Type elementType);

} // namespace goat::tile

#endif // GOAT_DIALECT_GOATTILE_IR_GOATTILEDIALECT_H
