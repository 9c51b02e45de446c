//===- AddedTerms.h - terms added up in one place, for a tile ---*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sum of a group of terms on a tile of scores. Functions of the distance or
// the key are brought into shared memory ahead of their tile, those of the
// query are evaluated before the loop, and everything else element by element.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_CONVERSION_GOATTOGOATTILE_ADDEDTERMS_H
#define GOAT_CONVERSION_GOATTOGOATTILE_ADDEDTERMS_H

#include "DistanceStrip.h"
#include "GridTable.h"
#include "KeyVector.h"
#include "ScoreTerms.h"

namespace goat::tile {

/// What the terms of one block have in common.
struct TermPlace {
  AttentionOp attention;
  ScheduleAttr schedule;
  KernelBuilder &kernel;
  const AttentionContext &context;
  /// Of a tile of scores.
  mlir::RankedTensorType type;
  mlir::Value firstQuery;
  /// Key tiles need not be consecutive.
  bool tilesJump;

  DistanceStrip strip(mlir::ArrayRef<mlir::Value> terms,
                      double logitScale) const;
  KeyVector keyVector(mlir::ArrayRef<mlir::Value> terms, double logitScale,
                      KeyTerms how) const;
};

class AddedTerms {
public:
  /// The terms of `group` divided by `logitScale`. Allocates what they need and
  /// evaluates those of the query, at `queries`. With `startsProduct` the sum
  /// starts a multiply's accumulator, which may add functions of the key.
  static mlir::FailureOr<AddedTerms>
  create(TileBuilder &tiles, const TermPlace &place, const TermGroup &group,
         double logitScale, bool startsProduct, const Coordinates &queries);

  /// Says in the kernel's choices how each kind of term is added, ending in
  /// `where`, under the kind's name and `suffix`.
  void recordChoices(KernelBuilder &kernel, mlir::StringRef where,
                     mlir::StringRef suffix) const;

  bool generatesTiles() const {
    return !gridTables.empty() ||
           (strip && schedule.getStrip() == StripSource::tile) ||
           (keyVector && schedule.getKeySource() == KeySource::tile);
  }
  bool generatesBlocks() const {
    return strip && schedule.getStrip() == StripSource::block;
  }
  /// As of DistanceStrip and KeyVector, for a tile.
  mlir::LogicalResult generate(TileBuilder &tiles, KeyTile tile, bool isFirst);
  /// As of DistanceStrip, for StripSource::block.
  mlir::LogicalResult generateForBlock(TileBuilder &tiles, mlir::Value number,
                                       mlir::Value ordinal, bool isFirst);
  void copy(TileBuilder &tiles, KeyTile tile, const KeyTiles &keyTiles,
            bool isFirst, llvm::SmallVectorImpl<mlir::Value> &tokens);

  /// The sum on a tile, at least `leastScore` divided by the scale, and without
  /// what `addByProduct` adds; null when nothing is left. `evaluator` is that
  /// of the tile, whose values in the strip are the `stripOrdinal`-th.
  mlir::FailureOr<mlir::Value> sum(TileBuilder &tiles, KeyTile tile,
                                   mlir::Value stripOrdinal,
                                   RegionEvaluator &evaluator);
  /// Adds functions of the key by the multiply, where that was chosen.
  mlir::Value addByProduct(TileBuilder &tiles, KeyTile tile, mlir::Value start);

private:
  mlir::LogicalResult evaluateGates(TileBuilder &tiles, const TermPlace &place,
                                    const Coordinates &queries);
  mlir::FailureOr<mlir::Value> elementwiseSum(TileBuilder &tiles,
                                              RegionEvaluator &evaluator);

  /// An elementwise term that is a product with a function of the query: that,
  /// evaluated and divided by the scale, and the other factor.
  struct Gated {
    mlir::Value gate, gated;
  };

  AddedTerms(const TermPlace &place, const TermGroup &group, double logitScale,
             bool startsProduct)
      : schedule(place.schedule), type(place.type), group(group),
        logitScale(logitScale), startsProduct(startsProduct) {}

  ScheduleAttr schedule;
  mlir::RankedTensorType type;
  TermGroup group;
  double logitScale;
  /// Whether a multiply takes the sum as its accumulator.
  bool startsProduct;
  std::optional<DistanceStrip> strip;
  std::optional<KeyVector> keyVector;
  std::vector<GridTable> gridTables;
  KeyTerms keyTerms = KeyTerms::add;
  /// The terms that vary along the queries only, as a vector or scalar.
  mlir::Value queryTerm;
  llvm::SmallVector<Gated> gatedTerms;
  /// The other elementwise terms.
  llvm::SmallVector<mlir::Value> otherTerms;
};

} // namespace goat::tile

#endif // GOAT_CONVERSION_GOATTOGOATTILE_ADDEDTERMS_H
