//===- ScoreTile.h - how priors reach the score tile ------------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One tile of scores with its priors. Where the scale permits, terms that are
// added to the score, divided by the scale, are what the accumulator of Q·Kᵀ
// starts from, so adding them costs nothing after the multiply. What the region
// does with that sum is evaluated element by element, and terms that it adds to
// the result are added then.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_CONVERSION_GOATTOGOATTILE_SCORETILE_H
#define GOAT_CONVERSION_GOATTOGOATTILE_SCORETILE_H

#include "AddedTerms.h"
#include "HeldValues.h"

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
    return held.generatesTiles() || (before && before->generatesTiles()) ||
           (after && after->generatesTiles());
  }
  /// Before the first tile: generates what the schedule wants generated for all
  /// tiles in [begin, end).
  mlir::LogicalResult generateAll(TileBuilder &tiles, mlir::Value begin,
                                  mlir::Value end);
  /// Starts the copies of what the scores of a tile read from tables, if they
  /// do; `isFirst` before any other tile. Returns their tokens.
  llvm::SmallVector<mlir::Value> copy(TileBuilder &tiles, KeyTile tile,
                                      const KeyTiles &keyTiles, bool isFirst);

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
  double getLogitScale() const { return isWhole() ? logitScale : 1.0; }

private:
  ScoreTile(AttentionOp attention, ScheduleAttr schedule, KernelBuilder &kernel,
            mlir::RankedTensorType type, ScoreTerms terms)
      : attention(attention), schedule(schedule), kernel(kernel), type(type),
        terms(std::move(terms)), held(schedule) {}

  /// Where a tile's values lie in a strip.
  mlir::Value stripOrdinal(TileBuilder &tiles, KeyTile tile);
  /// Whether the region yields the sum of the score and the terms, which the
  /// multiply adds up.
  bool isWhole() const { return terms.startAccumulator && terms.isWhole(); }
  mlir::LogicalResult hold(TileBuilder &tiles, const TermPlace &place,
                           const Coordinates &queries);
  void recordChoices();
  mlir::FailureOr<mlir::Value> finish(TileBuilder &tiles,
                                      RegionEvaluator &evaluator,
                                      mlir::Value product, KeyTile tile);

  AttentionOp attention;
  ScheduleAttr schedule;
  KernelBuilder &kernel;
  mlir::RankedTensorType type;
  ScoreTerms terms;
  /// What starts the accumulator, and what is added to the region's function of
  /// the sum.
  std::optional<AddedTerms> before, after;
  HeldValues held;
  /// The first tile of a strip over all distances.
  mlir::Value firstGenerated;
  double logitScale = 1.0;
};

} // namespace goat::tile

#endif // GOAT_CONVERSION_GOATTOGOATTILE_SCORETILE_H
