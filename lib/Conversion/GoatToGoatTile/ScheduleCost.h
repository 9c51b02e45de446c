//===- ScheduleCost.h - what a schedule costs on a chip ---------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A prediction from counts, to choose tile sizes by. No time was measured.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_CONVERSION_GOATTOGOATTILE_SCHEDULECOST_H
#define GOAT_CONVERSION_GOATTOGOATTILE_SCHEDULECOST_H

#include "goat/Dialect/GoatTile/IR/GoatTileDialect.h"
#include "goat/Target/PTX/Chips.h"

#include "GridTerms.h"

#include <optional>

namespace goat::tile {

/// The attention as far as its cost depends on it; lengths are 0 when unknown.
struct AttentionShape {
  /// Columns of the tiles of query and key, and of value; and of value as it is
  /// stored in shared memory.
  int64_t headDim, valueDim, storedValueDim;
  /// How f32 is multiplied; nothing for 16-bit elements.
  std::optional<F32Product> f32Product;
  int64_t queryLength, keyLength;
  /// Batch entries times heads, or 0 when unknown.
  int64_t matrices;
  /// Strips over the distance and vectors over the keys that the score needs.
  int64_t numStrips, numKeyVectors;
  /// The grids that it has tables of.
  llvm::SmallVector<Grid> grids;
};

struct TileSizes {
  int64_t rows, keys, warps, stages;
};

/// Clocks of one multiprocessor per score, by what is busy, and what they add
/// up to.
struct ScheduleCost {
  double tensor, shared, issue, arithmetic, special;
  /// Blocks of one multiprocessor at a time, and of the launch; the latter 0
  /// when unknown.
  int64_t residentBlocks, gridBlocks;
  int64_t sharedBytes;
  /// The share of the multiprocessors' time in which they have work that is
  /// not padding, 1 when unknown.
  double utilisation;
  /// Clocks per score of the whole.
  double total;
};

/// Registers of one thread: accumulators and what is alive beside them.
int64_t estimateRegisters(const AttentionShape &shape, const TileSizes &sizes);

/// What the schedule costs, or nothing where it does not fit the chip.
std::optional<ScheduleCost> estimateCost(const AttentionShape &shape,
                                         const TileSizes &sizes,
                                         const ptx::ChipDescription &chip);

} // namespace goat::tile

#endif // GOAT_CONVERSION_GOATTOGOATTILE_SCHEDULECOST_H
