//===- ScoreTile.h - how priors reach the score tile ------------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One tile of scores with its priors. Where the scale permits, terms that are
// added to the score, divided by the scale, are what the accumulator of Q·Kᵀ
// starts from, so adding them costs nothing after the multiply; functions of
// the distance or the key are brought into shared memory ahead of their tile.
// What the region does with that sum is evaluated element by element.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_CONVERSION_GOATTOGOATTILE_SCORETILE_H
#define GOAT_CONVERSION_GOATTOGOATTILE_SCORETILE_H

#include "HeldValues.h"
#include "KeyVector.h"

namespace goat::tile {

class ScoreTile {
public:
  /// Chooses the realisation, allocates the rings for generated priors, and
  /// evaluates what does not vary along the keys. `type` is the score tile's
  /// type; `query` the vector of query rows, which exist where `queryExists`.
  /// `tilesJump`: the block's key tiles need not be consecutive.
  static mlir::FailureOr<ScoreTile>
  create(AttentionOp attention, ScheduleAttr schedule, KernelBuilder &kernel,
         TileBuilder &tiles, const AttentionContext &context,
         mlir::RankedTensorType type, mlir::Value firstQuery, mlir::Value query,
         mlir::Value queryExists, bool tilesJump);

  /// Whether any prior is generated in the kernel, tile after tile.
  bool generatesTiles() const {
    return held.generatesTiles() ||
           (strip && schedule.getStrip() == StripSource::tile) ||
           (keyVector && schedule.getKeySource() == KeySource::tile);
  }
  /// Before the first tile: generates what the schedule wants generated for all
  /// tiles in [begin, end).
  mlir::LogicalResult generateAll(TileBuilder &tiles, mlir::Value begin,
                                  mlir::Value end);
  /// Starts the copies of what the scores of a tile read from tables, if they
  /// do; `isFirst` before any other tile. Returns their tokens.
  llvm::SmallVector<mlir::Value> copy(TileBuilder &tiles, KeyTile tile,
                                      const KeyTiles &keyTiles, bool isFirst);

  /// The same for what is held ready for the region, with all tokens.
  llvm::SmallVector<mlir::Value> copyHeld(TileBuilder &tiles, KeyTile tile,
                                          mlir::Value isWanted, bool isFirst) {
    return held.copy(tiles, tile.number, tile.ordinal, isWanted, isFirst);
  }

  /// Generates the priors of a key tile; `isFirst` when it is the block's
  /// first. Tiles come in order, and a barrier must stand between this and
  /// `build` for the same tile.
  mlir::LogicalResult generate(TileBuilder &tiles, KeyTile tile, bool isFirst);

  /// The tile of scores of a key tile: query · keyᵀ with everything the score
  /// region adds. `coordinates` are those of the tile.
  mlir::FailureOr<mlir::Value> build(TileBuilder &tiles, KeyTile tile,
                                     const Coordinates &coordinates,
                                     mlir::Value query, mlir::Value key);

  /// A score x of `build` stands for the logit x · getLogitScale().
  double getLogitScale() const { return yieldsSum() ? logitScale : 1.0; }

private:
  ScoreTile(AttentionOp attention, ScheduleAttr schedule, KernelBuilder &kernel,
            const AttentionContext &context, mlir::RankedTensorType type)
      : attention(attention), schedule(schedule), kernel(kernel),
        context(context), type(type), held(schedule.getStrip()) {}

  int64_t numThreads() const { return 32 * schedule.getWarps(); }
  /// Where a tile's values lie in the strip.
  mlir::Value stripOrdinal(TileBuilder &tiles, KeyTile tile);
  /// Whether the region yields the sum of the score and the terms, which the
  /// multiply adds up.
  bool yieldsSum() const { return terms && terms->isWhole; }
  void recordChoices();
  mlir::LogicalResult hold(TileBuilder &tiles, const ScoreTerms &parts,
                           const Coordinates &at, mlir::Value firstQuery,
                           bool tilesJump);

  AttentionOp attention;
  ScheduleAttr schedule;
  KernelBuilder &kernel;
  AttentionContext context;
  mlir::RankedTensorType type;
  /// The terms, when they start the accumulator.
  std::optional<ScoreTerms> terms;
  std::optional<DistanceStrip> strip;
  /// The first tile of a strip over all distances.
  mlir::Value firstGenerated;
  HeldValues held;
  std::optional<KeyVector> keyVector;
  KeyTerms keyTerms = KeyTerms::add;
  /// The terms that vary along the queries only, as a vector or scalar.
  mlir::Value queryTerm;
  double logitScale = 1.0;
};

} // namespace goat::tile

#endif // GOAT_CONVERSION_GOATTOGOATTILE_SCORETILE_H
