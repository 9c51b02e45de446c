//===- HeldValues.h - values that wait for an expression --------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inside of what is evaluated element by element, a value that depends on the
// distance or the query alone is evaluated once for each distance (in a strip)
// or query (before the loop), and told to the evaluator of each tile.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_CONVERSION_GOATTOGOATTILE_HELDVALUES_H
#define GOAT_CONVERSION_GOATTOGOATTILE_HELDVALUES_H

#include "DistanceStrip.h"
#include "ScoreTerms.h"

namespace goat::tile {

class HeldValues {
public:
  explicit HeldValues(StripSource source) : source(source) {}

  /// Holds a function of the distance in `strip`, of the source given above.
  mlir::LogicalResult add(TileBuilder &tiles, mlir::Value value,
                          DistanceStrip strip);
  /// Holds a function of the query, which is `evaluated`.
  void add(mlir::Value value, mlir::Value evaluated) {
    values.emplace_back(value, evaluated);
  }

  bool generatesTiles() const {
    return !strips.empty() && source == StripSource::tile;
  }
  bool generatesBlocks() const {
    return !strips.empty() && source == StripSource::block;
  }
  /// As of DistanceStrip, for all strips.
  mlir::LogicalResult generate(TileBuilder &tiles, mlir::Value number,
                               mlir::Value ordinal, bool isFirst);
  llvm::SmallVector<mlir::Value> copy(TileBuilder &tiles, mlir::Value number,
                                      mlir::Value ordinal, mlir::Value isWanted,
                                      bool isFirst);
  /// Tells the evaluator of the tile that is the `ordinal`-th of the block.
  void bind(TileBuilder &tiles, RegionEvaluator &evaluator,
            mlir::Value ordinal);

private:
  StripSource source;
  std::vector<std::pair<mlir::Value, DistanceStrip>> strips;
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>> values;
};

} // namespace goat::tile

#endif // GOAT_CONVERSION_GOATTOGOATTILE_HELDVALUES_H
