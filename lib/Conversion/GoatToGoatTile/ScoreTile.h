//===- ScoreTile.h - how priors reach the score tile ------------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One tile of scores with its priors. Where the score region is `s + terms`
// and the scale permits, the terms (divided by the scale) are what the
// accumulator of Q·Kᵀ starts from, so adding them costs nothing after the
// multiply; functions of the distance or the key are generated into shared
// memory one tile ahead. Otherwise the region is evaluated element by element.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_CONVERSION_GOATTOGOATTILE_SCORETILE_H
#define GOAT_CONVERSION_GOATTOGOATTILE_SCORETILE_H

#include "AttentionContext.h"
#include "RegionEvaluator.h"
#include "ScoreTerms.h"

namespace goat::tile {

class ScoreTile {
public:
  /// Chooses the realisation, allocates the rings for generated priors, and
  /// evaluates what does not vary along the keys. `type` is the score tile's
  /// type; `query` the vector of query rows, which exist where `queryExists`.
  static mlir::FailureOr<ScoreTile>
  create(AttentionOp attention, KernelBuilder &kernel, TileBuilder &tiles,
         const AttentionContext &context, mlir::RankedTensorType type,
         int64_t numThreads, mlir::Value firstQuery, mlir::Value query,
         mlir::Value queryExists);

  /// Whether any prior is generated into shared memory.
  bool generates() const { return strip || keyVectors; }

  /// Generates the priors of key tile `number`, the `ordinal`-th the block gets
  /// to; `isFirst` when that is 0. Tiles come in order, and a barrier must
  /// stand between this and `build` for the same tile.
  mlir::LogicalResult generate(TileBuilder &tiles, mlir::Value number,
                               mlir::Value ordinal, bool isFirst);

  /// The tile of scores of key tile `number`: query · keyᵀ with everything the
  /// score region adds. `coordinates` are those of the tile.
  mlir::FailureOr<mlir::Value> build(TileBuilder &tiles, mlir::Value number,
                                     mlir::Value ordinal,
                                     const Coordinates &coordinates,
                                     mlir::Value query, mlir::Value key);

  /// A score x of `build` stands for the logit x · getLogitScale().
  double getLogitScale() const { return logitScale; }

private:
  ScoreTile(AttentionOp attention, KernelBuilder &kernel,
            const AttentionContext &context, mlir::RankedTensorType type)
      : attention(attention), kernel(kernel), context(context), type(type) {}

  mlir::FailureOr<mlir::Value> sum(RegionEvaluator &evaluator,
                                   TileBuilder &tiles,
                                   llvm::ArrayRef<mlir::Value> terms);
  mlir::FailureOr<mlir::Value>
  evaluateStrip(TileBuilder &tiles, mlir::Value number, int64_t length);
  mlir::LogicalResult generateStrip(TileBuilder &tiles, mlir::Value number,
                                    mlir::Value ordinal, bool isFirst);
  mlir::Value stripWindow(TileBuilder &tiles, mlir::Value start,
                          int64_t length);
  mlir::Value stripStart(TileBuilder &tiles, mlir::Value ordinal);
  mlir::LogicalResult generateKeyVector(TileBuilder &tiles, mlir::Value number,
                                        mlir::Value slot);
  void recordChoices();

  AttentionOp attention;
  KernelBuilder &kernel;
  AttentionContext context;
  mlir::RankedTensorType type;
  int64_t numThreads = 0;
  mlir::Value firstQuery;
  /// The terms, when they start the accumulator.
  std::optional<ScoreTerms> terms;
  /// The values over the distance of two tiles in a row, as a ring; a ring of
  /// two vectors over the keys.
  mlir::Value strip, keyVectors;
  /// The terms that vary along the queries only, as a vector or scalar.
  mlir::Value queryTerm;
  double logitScale = 1.0;
};

} // namespace goat::tile

#endif // GOAT_CONVERSION_GOATTOGOATTILE_SCORETILE_H
