//===- PerElement.h - a mark on ops of one element --------------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_DIALECT_GOATTILE_IR_PERELEMENT_H
#define GOAT_DIALECT_GOATTILE_IR_PERELEMENT_H

#include "llvm/ADT/StringRef.h"

namespace goat::tile {

/// The attribute of a pure op on a tile, and of the ops on registers it
/// becomes, that is to be evaluated for one element after the other: see
/// --goat-order-elements.
inline constexpr llvm::StringLiteral perElementAttrName =
    "goat_tile.per_element";

} // namespace goat::tile

#endif // GOAT_DIALECT_GOATTILE_IR_PERELEMENT_H
