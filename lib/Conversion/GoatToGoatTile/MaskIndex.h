//===- MaskIndex.h - the key tiles of each block, found before --*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the keys a block of queries sees are no single interval, or are not
// known without evaluating the mask, kernels launched before the main one sort
// the key tiles of every block into partial and full ones and leave out those
// nobody sees. The main kernel works through the two lists.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_CONVERSION_GOATTOGOATTILE_MASKINDEX_H
#define GOAT_CONVERSION_GOATTOGOATTILE_MASKINDEX_H

#include "KeySets.h"

namespace goat::tile {

/// The lists of one block, as the main kernel reads them.
struct TileList {
  /// Numbers of tiles, i32: first the partial ones, rising; from the end back
  /// the full ones, rising.
  mlir::Value entries;
  /// i32: entries there are, of partial tiles, of partial and full ones.
  mlir::Value numEntries, numPartial, numTiles;
};

/// The attribute of the function's argument that holds the class of every tile,
/// array<i64: rows, keys> of a tile. The argument is of i8 and of shape
/// (1 or B, 1 or Hq, ⌈Lq / rows⌉, ⌈Lk / keys⌉): 0 where no query sees a key, 2
/// where each sees all, 1 elsewhere.
inline constexpr llvm::StringLiteral maskIndexAttrName = "goat.mask_index";

/// An index that the caller gives; null without one. Emits an error at one of
/// another shape than it has to have.
struct GivenIndex {
  mlir::BlockArgument classes;
  int64_t rows, keys;
};
mlir::FailureOr<std::optional<GivenIndex>>
findGivenIndex(AttentionOp attention);

/// Builds the kernels that write the index and, in `kernel`, what finds the
/// lists of the block whose first row is `firstQuery`. With `evaluates`, the
/// mask is evaluated where the sets of keys do not tell; otherwise they, or the
/// classes that the caller gives, are all that is asked.
mlir::FailureOr<TileList>
buildMaskIndex(AttentionOp attention, ScheduleAttr schedule,
               KernelBuilder &kernel, TileBuilder &tiles,
               const AttentionContext &context, mlir::Value firstQuery,
               bool evaluates);

/// The value a mask region yields.
mlir::Value maskOf(AttentionOp attention);

} // namespace goat::tile

#endif // GOAT_CONVERSION_GOATTOGOATTILE_MASKINDEX_H
