//===- KeySets.h - which keys a block of queries sees -----------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a mask region for a block of queries: mask ops are asked through their
// interface, comparisons of positions are solved for the key, and arith.andi,
// arith.ori and arith.xori combine what is known of their operands.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_CONVERSION_GOATTOGOATTILE_KEYSETS_H
#define GOAT_CONVERSION_GOATTOGOATTILE_KEYSETS_H

#include "AttentionContext.h"

namespace goat::tile {

/// Rows of key, i64: [begin, end), empty where begin ≥ end. A null bound is
/// none.
struct KeyInterval {
  mlir::Value begin, end;
};

/// A union of intervals, which may overlap; empty without any.
using KeyUnion = llvm::SmallVector<KeyInterval, 2>;

struct KeySets {
  /// No query of the block sees a key outside.
  KeyUnion visible;
  /// Every query of the block sees every key inside.
  KeyUnion full;
  /// Whether tiles may be empty, or full, without these sets telling: a part of
  /// the mask says nothing about whole blocks.
  bool isVague = false;
};

/// The query rows of a block, i32: [begin, end), never empty.
struct QueryRows {
  mlir::Value begin, end;
};

/// The sets for the rows of the batch entry and head of `context`. At most
/// `greatestUnion` intervals each.
KeySets findKeySets(AttentionOp attention, KernelBuilder &kernel,
                    TileBuilder &tiles, const AttentionContext &context,
                    QueryRows rows);
constexpr size_t greatestUnion = 3;

/// One interval that holds all of a union of at least one.
KeyInterval hullOf(TileBuilder &tiles, llvm::ArrayRef<KeyInterval> intervals);

/// The sets of "not".
KeySets negationOf(TileBuilder &tiles, const KeySets &sets);

} // namespace goat::tile

#endif // GOAT_CONVERSION_GOATTOGOATTILE_KEYSETS_H
