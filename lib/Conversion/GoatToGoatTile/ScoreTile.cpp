//===- ScoreTile.cpp - how priors reach the score tile --------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScoreTile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace goat;
using namespace goat::tile;

/// Whether more than one group of terms may reach the clamp, so that their sum
/// has to be clamped too.
static bool sumNeedsClamp(const ScoreTerms &terms) {
  unsigned groups = 0;
  for (ArrayRef<Value> group :
       {ArrayRef(terms.relative), ArrayRef(terms.key), ArrayRef(terms.query),
        ArrayRef(terms.elementwise)})
    groups += !llvm::all_of(group, isBounded);
  return groups > 1;
}

FailureOr<ScoreTile> ScoreTile::create(
    AttentionOp attention, ScheduleAttr schedule, KernelBuilder &kernel,
    TileBuilder &tiles, const AttentionContext &context, RankedTensorType type,
    Value firstQuery, Value query, Value queryExists, bool tilesJump) {
  ScoreTile score(attention, schedule, kernel, context, type);
  ScoreTerms parts = splitScore(attention);
  if (parts.startAccumulator)
    score.terms = parts;
  // A sum that has to be clamped is added up before the multiply.
  if (score.terms && !sumNeedsClamp(*score.terms))
    score.keyTerms = schedule.getKeyTerms();
  score.recordChoices();
  Coordinates queries = coordinatesOf(context);
  queries.query = query;
  queries.queryExists = queryExists;
  if (failed(score.hold(tiles, parts, queries, firstQuery, tilesJump)))
    return failure();
  if (!score.terms)
    return score;

  score.logitScale = *attention.getConstantScale();
  if (!score.terms->relative.empty()) {
    score.strip.emplace(
        attention, kernel, context, type, score.terms->relative,
        score.logitScale, schedule.getStrip(), score.numThreads(),
        schedule.getStages() - 1,
        llvm::divideCeil(attention.getKeyLength(), schedule.getKeys()),
        firstQuery, tilesJump);
    if (failed(score.strip->prepare(tiles)))
      return failure();
  }
  if (!score.terms->key.empty()) {
    score.keyVector.emplace(attention, schedule, kernel, context, type,
                            score.terms->key, score.logitScale, score.keyTerms);
    if (failed(score.keyVector->prepare(tiles)))
      return failure();
  }
  if (!score.terms->query.empty()) {
    RegionEvaluator evaluator(attention, kernel, tiles, queries);
    FailureOr<Value> term =
        sumOf(evaluator, tiles, score.terms->query, score.logitScale);
    if (failed(term))
      return failure();
    score.queryTerm = *term;
  }
  return score;
}

/// Holds ready what the region needs in an expression.
LogicalResult ScoreTile::hold(TileBuilder &tiles, const ScoreTerms &parts,
                              const Coordinates &at, Value firstQuery,
                              bool tilesJump) {
  int64_t numKeyTiles =
      llvm::divideCeil(attention.getKeyLength(), schedule.getKeys());
  for (Value value : parts.heldRelative)
    if (failed(held.add(tiles, value,
                        DistanceStrip(attention, kernel, context, type, value,
                                      /*logitScale=*/1.0, schedule.getStrip(),
                                      numThreads(), schedule.getStages() - 1,
                                      numKeyTiles, firstQuery, tilesJump))))
      return failure();
  RegionEvaluator evaluator(attention, kernel, tiles, at);
  for (Value value : parts.heldQuery) {
    FailureOr<Value> evaluated = evaluator.evaluate(value);
    if (failed(evaluated))
      return failure();
    held.add(value, *evaluated);
  }
  Builder builder(attention.getContext());
  auto record = [&](StringRef name, size_t count, const char *how) {
    if (count != 0)
      kernel.recordChoice(name,
                          builder.getStringAttr(std::to_string(count) + how));
  };
  record("held_over_distance", parts.heldRelative.size(), " as strips");
  record("held_over_queries", parts.heldQuery.size(), " as vectors");
  return success();
}

void ScoreTile::recordChoices() {
  Builder builder(attention.getContext());
  auto record = [&](StringRef name, StringRef value) {
    kernel.recordChoice(name, builder.getStringAttr(value));
  };
  if (!yieldsSum()) {
    record("score", "region evaluated element by element");
    if (!attention.getScore().empty())
      attention.emitRemark("evaluates the score region element by element, as "
                           "it is not the score plus terms, or the scale is "
                           "not a constant between 1e-5 and 1e5; a sum starts "
                           "the accumulator of the multiply instead");
  }
  if (!terms)
    return;
  auto stripFrom = [&]() -> StringRef {
    switch (schedule.getStrip()) {
    case StripSource::tile:
      return "strip over the distance, its new part generated per tile, "
             "accumulator start";
    case StripSource::block:
      return "strip over all distances, generated once per block, accumulator "
             "start";
    case StripSource::table:
      return "strip over the distance, copied from a table that a kernel "
             "before writes, accumulator start in quads";
    }
    llvm_unreachable("all sources are named");
  };
  if (!terms->relative.empty())
    record("relative_terms", stripFrom());
  if (!terms->key.empty()) {
    std::string how =
        keyTerms == KeyTerms::add
            ? "vector over the keys, added in f32, accumulator start"
            : "vector over the keys in bf16 parts, added by the multiply";
    if (schedule.getKeySource() == KeySource::table)
      how += ", copied from a table that a kernel before writes";
    record("key_terms", how);
  }
  if (!terms->query.empty())
    record("query_terms", "vector over the queries, accumulator start");
  for (Value term : terms->elementwise)
    emitRemark(term.getLoc(),
               "evaluates this term of the score element by element, as it "
               "varies with query and key other than by their distance");
  if (!terms->elementwise.empty())
    record("other_terms", "element by element, accumulator start");
}

/// A strip over all distances lies as the tiles do, the others as they come.
Value ScoreTile::stripOrdinal(TileBuilder &tiles, KeyTile tile) {
  return firstGenerated
             ? tiles.create<arith::SubIOp>(tile.number, firstGenerated)
             : tile.ordinal;
}

LogicalResult ScoreTile::generate(TileBuilder &tiles, KeyTile tile,
                                  bool isFirst) {
  if (strip && schedule.getStrip() == StripSource::tile &&
      failed(strip->generate(tiles, tile.number, tile.ordinal, isFirst)))
    return failure();
  if (held.generatesTiles() &&
      failed(held.generate(tiles, tile.number, tile.ordinal, isFirst)))
    return failure();
  if (keyVector && schedule.getKeySource() == KeySource::tile)
    return keyVector->generate(tiles, tile);
  return success();
}

LogicalResult ScoreTile::generateAll(TileBuilder &tiles, Value begin,
                                     Value end) {
  if (schedule.getStrip() != StripSource::block ||
      !(strip || held.generatesBlocks()))
    return success();
  firstGenerated = begin;
  auto generateTile = [&](Value number, Value ordinal,
                          bool isFirst) -> LogicalResult {
    if (strip && failed(strip->generate(tiles, number, ordinal, isFirst)))
      return failure();
    return held.generate(tiles, number, ordinal, isFirst);
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
  if (strip && schedule.getStrip() == StripSource::table) {
    Value isWanted =
        tiles.compare(arith::CmpIPredicate::slt, tile.number, keyTiles.end);
    tokens.push_back(
        strip->copy(tiles, tile.number, tile.ordinal, isWanted, isFirst));
  }
  if (keyVector && schedule.getKeySource() == KeySource::table)
    tokens.push_back(keyVector->copy(tiles, tile, keyTiles));
  return tokens;
}

FailureOr<Value> ScoreTile::build(TileBuilder &tiles, KeyTile tile,
                                  const Coordinates &coordinates, Value query,
                                  Value key) {
  OpBuilder &builder = tiles.builder;
  Value start;
  auto add = [&](Value term) {
    start = start ? tiles.create<arith::AddFOp>(start, term)
                  : tiles.promote(term, type);
  };
  if (strip)
    add(strip->read(tiles, stripOrdinal(tiles, tile)));
  if (keyVector && keyTerms == KeyTerms::add)
    add(keyVector->read(tiles, tile));
  if (queryTerm)
    add(queryTerm);
  RegionEvaluator evaluator(attention, kernel, tiles, coordinates);
  held.bind(tiles, evaluator, stripOrdinal(tiles, tile));
  if (terms && !terms->elementwise.empty()) {
    FailureOr<Value> rest =
        sumOf(evaluator, tiles, terms->elementwise, logitScale);
    if (failed(rest))
      return failure();
    add(*rest);
  }
  if (!start)
    start = tiles.filledF32(0.0, type);
  else if (sumNeedsClamp(*terms))
    start = clamped(tiles, start, leastScore / logitScale);

  if (keyVector && keyTerms == KeyTerms::product)
    start = keyVector->addByProduct(tiles, tile, start);
  F32ProductAttr f32Product = f32ProductOf(attention, schedule);
  Value product =
      MmaOp::create(builder, tiles.loc, type, query, key, start,
                    /*b_transposed=*/true, f32Product, isTF32(f32Product));
  if (yieldsSum())
    return product;

  Value scale = attention.getScale();
  scale = scale ? kernel.input(cast<BlockArgument>(scale))
                : tiles.f32(*attention.getConstantScale());
  Value score = tiles.create<arith::MulFOp>(product, scale);
  if (attention.getScore().empty())
    return clamped(tiles, score, leastScore);
  evaluator.bind(terms ? terms->sum : attention.getScore().getArgument(0),
                 score);
  FailureOr<Value> result = evaluator.evaluate(
      cast<YieldOp>(attention.getScore().front().getTerminator()).getValue());
  if (failed(result))
    return failure();
  return clamped(tiles, tiles.promote(*result, type), leastScore);
}
