//===- ScoreTile.cpp - how priors reach the score tile --------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScoreTile.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace goat;
using namespace goat::tile;

FailureOr<ScoreTile> ScoreTile::create(
    AttentionOp attention, ScheduleAttr schedule, KernelBuilder &kernel,
    TileBuilder &tiles, const AttentionContext &context, RankedTensorType type,
    Value firstQuery, Value query, Value queryExists, bool tilesJump) {
  ScoreTile score(attention, schedule, kernel, type, splitScore(attention));
  TermPlace place{attention, schedule,   kernel,   context,
                  type,      firstQuery, tilesJump};
  Coordinates queries = coordinatesOf(context);
  queries.query = query;
  queries.queryExists = queryExists;
  if (score.terms.startAccumulator)
    score.logitScale = *attention.getConstantScale();
  auto add = [&](std::optional<AddedTerms> &added, const TermGroup &group,
                 double scale, bool startsProduct) -> LogicalResult {
    if (group.empty())
      return success();
    FailureOr<AddedTerms> terms =
        AddedTerms::create(tiles, place, group, scale, startsProduct, queries);
    if (failed(terms))
      return failure();
    added.emplace(std::move(*terms));
    return success();
  };
  if (failed(add(score.before, score.terms.before, score.logitScale,
                 /*startsProduct=*/true)) ||
      failed(add(score.after, score.terms.after, /*scale=*/1.0,
                 /*startsProduct=*/false)) ||
      failed(score.hold(tiles, place, queries)))
    return failure();
  score.recordChoices();
  return score;
}

/// Holds ready what the region needs in an expression.
LogicalResult ScoreTile::hold(TileBuilder &tiles, const TermPlace &place,
                              const Coordinates &queries) {
  for (Value value : terms.heldRelative)
    if (failed(held.add(tiles, value, place.strip(value, /*logitScale=*/1.0))))
      return failure();
  for (Value value : terms.heldKey)
    if (failed(held.add(
            tiles, value,
            place.keyVector(value, /*logitScale=*/1.0, KeyTerms::add))))
      return failure();
  RegionEvaluator evaluator(attention, kernel, tiles, queries);
  for (Value value : terms.heldQuery) {
    FailureOr<Value> evaluated = evaluator.evaluate(value);
    if (failed(evaluated))
      return failure();
    held.add(value, *evaluated);
  }
  return success();
}

void ScoreTile::recordChoices() {
  Builder builder(attention.getContext());
  auto record = [&](StringRef name, const Twine &value) {
    kernel.recordChoice(name, builder.getStringAttr(value));
  };
  auto recordHeld = [&](StringRef name, size_t count, const char *how) {
    if (count != 0)
      record(name, Twine(count) + how);
  };
  recordHeld("held_over_distance", terms.heldRelative.size(), " as strips");
  recordHeld("held_over_keys", terms.heldKey.size(), " as vectors");
  recordHeld("held_over_queries", terms.heldQuery.size(), " as vectors");
  if (!isWhole()) {
    bool isScaled = terms.function == terms.sum;
    record("score", Twine(isScaled ? "multiplied by the scale"
                                   : "region evaluated element by element") +
                        (after ? ", then terms are added" : ""));
    if (!isScaled)
      attention.emitRemark("evaluates the score region element by element, as "
                           "it is not the score plus terms; such a sum starts "
                           "the accumulator of the multiply instead");
    else if (after)
      attention.emitRemark("adds the score's terms after the multiply, as the "
                           "scale is not a constant between 1e-5 and 1e5; "
                           "with one they start its accumulator");
  }
  if (before)
    before->recordChoices(kernel, "accumulator start", "");
  if (after)
    after->recordChoices(kernel, "added after the multiply", "_after");
}

/// A strip over all distances lies as the tiles do, the others as they come.
Value ScoreTile::stripOrdinal(TileBuilder &tiles, KeyTile tile) {
  return firstGenerated
             ? tiles.create<arith::SubIOp>(tile.number, firstGenerated)
             : tile.ordinal;
}

LogicalResult ScoreTile::generate(TileBuilder &tiles, KeyTile tile,
                                  bool isFirst) {
  for (auto *added : {&before, &after})
    if (*added && failed((*added)->generate(tiles, tile, isFirst)))
      return failure();
  return held.generate(tiles, tile, isFirst);
}

LogicalResult ScoreTile::generateAll(TileBuilder &tiles, Value begin,
                                     Value end) {
  if (!(before && before->generatesBlocks()) &&
      !(after && after->generatesBlocks()) && !held.generatesBlocks())
    return success();
  firstGenerated = begin;
  auto generateTile = [&](Value number, Value ordinal,
                          bool isFirst) -> LogicalResult {
    for (auto *added : {&before, &after})
      if (*added &&
          failed((*added)->generateForBlock(tiles, number, ordinal, isFirst)))
        return failure();
    return held.generateForBlock(tiles, number, ordinal, isFirst);
  };
  if (failed(generateTile(begin, tiles.i32(0), true)))
    return failure();
  Value one = tiles.i32(1);
  auto loop =
      scf::ForOp::create(tiles.builder, tiles.loc,
                         tiles.create<arith::AddIOp>(begin, one), end, one);
  OpBuilder::InsertionGuard guard(tiles.builder);
  tiles.builder.setInsertionPointToStart(loop.getBody());
  Value number = loop.getInductionVar();
  return generateTile(number, tiles.create<arith::SubIOp>(number, begin),
                      false);
}

SmallVector<Value> ScoreTile::copy(TileBuilder &tiles, KeyTile tile,
                                   const KeyTiles &keyTiles, bool isFirst) {
  SmallVector<Value> tokens;
  for (auto *added : {&before, &after})
    if (*added)
      (*added)->copy(tiles, tile, keyTiles, isFirst, tokens);
  held.copy(tiles, tile, keyTiles, isFirst, tokens);
  return tokens;
}

FailureOr<Value> ScoreTile::build(TileBuilder &tiles, KeyTile tile,
                                  const Coordinates &coordinates, Value query,
                                  Value key) {
  RegionEvaluator evaluator(attention, kernel, tiles, coordinates);
  held.bind(tiles, evaluator, tile, stripOrdinal(tiles, tile));
  Value start;
  if (before) {
    FailureOr<Value> sum =
        before->sum(tiles, tile, stripOrdinal(tiles, tile), evaluator);
    if (failed(sum))
      return failure();
    start = *sum;
  }
  start = start ? tiles.promote(start, type) : tiles.filledF32(0.0, type);
  if (before)
    start = before->addByProduct(tiles, tile, start);
  F32ProductAttr f32Product = f32ProductOf(attention, schedule);
  Value product =
      MmaOp::create(tiles.builder, tiles.loc, type, query, key, start,
                    /*b_transposed=*/true, f32Product, isTF32(f32Product));
  if (isWhole())
    return product;
  return finish(tiles, evaluator, product, tile);
}

/// a + b, in one instruction where a is a product.
static Value addTo(TileBuilder &tiles, Value a, Value b) {
  if (auto product = a.getDefiningOp<arith::MulFOp>())
    return tiles.create<math::FmaOp>(product.getLhs(), product.getRhs(), b);
  return tiles.create<arith::AddFOp>(a, b);
}

/// What the region makes of the product.
FailureOr<Value> ScoreTile::finish(TileBuilder &tiles,
                                   RegionEvaluator &evaluator, Value product,
                                   KeyTile tile) {
  Value scale = attention.getScale();
  scale = scale ? kernel.input(cast<BlockArgument>(scale))
                : tiles.f32(*attention.getConstantScale());
  Value score = perElement(tiles.create<arith::MulFOp>(product, scale));
  if (attention.getScore().empty())
    return perElement(clamped(tiles, score, leastScore));
  evaluator.bind(terms.sum, score);
  FailureOr<Value> function = evaluator.evaluate(terms.function);
  if (failed(function))
    return failure();
  Value result = tiles.promote(*function, type);
  bool isFunctionBounded =
      terms.function != terms.sum && isBounded(terms.function);
  if (after) {
    FailureOr<Value> sum =
        after->sum(tiles, tile, stripOrdinal(tiles, tile), evaluator);
    if (failed(sum))
      return failure();
    result = perElement(addTo(tiles, result, *sum));
  }
  // A group of terms is clamped already.
  return isFunctionBounded ? result
                           : perElement(clamped(tiles, result, leastScore));
}
