//===- HeldValues.h - values that wait for an expression --------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inside of what is evaluated element by element, a value that depends on the
// distance, the key or the query alone is evaluated once for each distance (in
// a strip), key (in a vector) or query (before the loop), and told to the
// evaluator of each tile.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_CONVERSION_GOATTOGOATTILE_HELDVALUES_H
#define GOAT_CONVERSION_GOATTOGOATTILE_HELDVALUES_H

#include "DistanceStrip.h"
#include "KeyVector.h"

namespace goat::tile {

class HeldValues {
public:
  explicit HeldValues(ScheduleAttr schedule) : schedule(schedule) {}

  /// Holds a function of the distance in `strip`, of the schedule's source.
  mlir::LogicalResult add(TileBuilder &tiles, mlir::Value value,
                          DistanceStrip strip);
  /// Holds a function of the key in `vector`, of the schedule's source.
  mlir::LogicalResult add(TileBuilder &tiles, mlir::Value value,
                          KeyVector vector);
  /// Holds a function of the query, which is `evaluated`.
  void add(mlir::Value value, mlir::Value evaluated) {
    values.emplace_back(value, evaluated);
  }

  bool generatesTiles() const {
    return (!strips.empty() && schedule.getStrip() == StripSource::tile) ||
           (!vectors.empty() && schedule.getKeySource() == KeySource::tile);
  }
  bool generatesBlocks() const {
    return !strips.empty() && schedule.getStrip() == StripSource::block;
  }
  /// As of AddedTerms, for all strips and vectors.
  mlir::LogicalResult generate(TileBuilder &tiles, KeyTile tile, bool isFirst);
  mlir::LogicalResult generateForBlock(TileBuilder &tiles, mlir::Value number,
                                       mlir::Value ordinal, bool isFirst);
  void copy(TileBuilder &tiles, KeyTile tile, const KeyTiles &keyTiles,
            bool isFirst, llvm::SmallVectorImpl<mlir::Value> &tokens);
  /// Tells the evaluator of a tile, whose values in strips are the
  /// `stripOrdinal`-th of the block.
  void bind(TileBuilder &tiles, RegionEvaluator &evaluator, KeyTile tile,
            mlir::Value stripOrdinal);

private:
  ScheduleAttr schedule;
  std::vector<std::pair<mlir::Value, DistanceStrip>> strips;
  std::vector<std::pair<mlir::Value, KeyVector>> vectors;
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>> values;
};

} // namespace goat::tile

#endif // GOAT_CONVERSION_GOATTOGOATTILE_HELDVALUES_H
