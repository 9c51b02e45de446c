//===- ScoreTile.cpp - how priors reach the score tile --------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScoreTile.h"

using namespace mlir;
using namespace goat;
using namespace goat::tile;

/// Only masks give −∞: anything a score region yields is at least this.
static constexpr double leastScore = -1e25;
/// Scales for which a prior divided by the scale stays well inside f32 (and
/// above the start of the running maximum) start the accumulator.
static constexpr double leastFoldedScale = 1e-5, greatestFoldedScale = 1e5;

/// max(x, least) that keeps a NaN.
static Value clamped(TileBuilder &tiles, Value value, double least) {
  return tiles.create<arith::MaximumFOp>(value, tiles.f32(least));
}

FailureOr<Value> ScoreTile::sum(RegionEvaluator &evaluator, TileBuilder &tiles,
                                ArrayRef<Value> values) {
  Value total;
  for (Value value : values) {
    FailureOr<Value> term = evaluator.evaluate(value);
    if (failed(term))
      return failure();
    total = total ? tiles.create<arith::AddFOp>(total, *term) : *term;
  }
  total = clamped(tiles, total, leastScore);
  return tiles.create<arith::MulFOp>(total, tiles.f32(1.0 / logitScale));
}

FailureOr<ScoreTile>
ScoreTile::create(AttentionOp attention, KernelBuilder &kernel,
                  TileBuilder &tiles, const AttentionContext &context,
                  RankedTensorType type, int64_t numThreads, Value firstQuery,
                  Value query, Value queryExists) {
  ScoreTile score(attention, kernel, context, type);
  score.numThreads = numThreads;
  score.firstQuery = firstQuery;
  std::optional<double> scale = attention.getConstantScale();
  if (scale && *scale >= leastFoldedScale && *scale <= greatestFoldedScale)
    score.terms = splitScore(attention);
  score.recordChoices();
  if (!score.terms)
    return score;

  score.logitScale = *scale;
  Type f32 = tiles.builder.getF32Type();
  int64_t rows = type.getDimSize(0), keys = type.getDimSize(1);
  auto ring = [&](int64_t length) -> Value {
    return AllocOp::create(
        tiles.builder, tiles.loc,
        BufferType::get(type.getContext(), {2, length}, f32, false),
        IntegerAttr());
  };
  if (!score.terms->relative.empty())
    score.strips = ring(rows + keys - 1);
  if (!score.terms->key.empty())
    score.keyVectors = ring(keys);
  if (!score.terms->query.empty()) {
    Coordinates at;
    at.batch = context.batch;
    at.head = context.head;
    at.query = query;
    at.queryExists = queryExists;
    at.queryOffset = context.queryOffset;
    at.keyOffset = context.keyOffset;
    RegionEvaluator evaluator(attention, kernel, tiles, at);
    FailureOr<Value> term = score.sum(evaluator, tiles, score.terms->query);
    if (failed(term))
      return failure();
    score.queryTerm = *term;
  }
  return score;
}

void ScoreTile::recordChoices() {
  Builder builder(attention.getContext());
  auto record = [&](StringRef name, StringRef value) {
    kernel.recordChoice(name, builder.getStringAttr(value));
  };
  if (!terms) {
    record("score", "region evaluated element by element");
    return;
  }
  if (!terms->relative.empty())
    record("relative_terms",
           "strip over the distance, generated per tile, accumulator start");
  if (!terms->key.empty())
    record("key_terms",
           "vector over the keys, added in f32, accumulator start");
  if (!terms->query.empty())
    record("query_terms", "vector over the queries, accumulator start");
  if (!terms->elementwise.empty())
    record("other_terms", "element by element, accumulator start");
}

/// strip[p] belongs to row − column = p − (keys − 1).
LogicalResult ScoreTile::generateStrip(TileBuilder &tiles, Value number,
                                       Value slot) {
  int64_t rows = type.getDimSize(0), keys = type.getDimSize(1);
  auto vector =
      RankedTensorType::get({rows + keys - 1}, tiles.builder.getI32Type(),
                            LinearAttr::get(type.getContext(), numThreads));
  Value firstKey = tiles.create<arith::MulIOp>(number, tiles.i32(keys));
  Value origin = tiles.create<arith::SubIOp>(
      tiles.create<arith::AddIOp>(firstQuery, context.queryOffset),
      tiles.create<arith::AddIOp>(firstKey, context.keyOffset));
  origin = tiles.create<arith::SubIOp>(origin, tiles.i32(keys - 1));
  Value iota = IotaOp::create(tiles.builder, tiles.loc, vector);

  Coordinates at;
  at.batch = context.batch;
  at.head = context.head;
  at.queryOffset = context.queryOffset;
  at.keyOffset = context.keyOffset;
  at.distance = tiles.create<arith::AddIOp>(iota, origin);
  // The distances of rows and keys that exist.
  Value zero =
      tiles.create<arith::SubIOp>(context.queryOffset, context.keyOffset);
  Value least = tiles.create<arith::SubIOp>(zero, context.keyRows);
  Value greatest = tiles.create<arith::AddIOp>(zero, context.queryRows);
  at.distanceExists = tiles.conjunction(
      tiles.compare(arith::CmpIPredicate::sgt, at.distance, least),
      tiles.compare(arith::CmpIPredicate::slt, at.distance, greatest));
  RegionEvaluator evaluator(attention, kernel, tiles, at);
  FailureOr<Value> values = sum(evaluator, tiles, terms->relative);
  if (failed(values))
    return failure();
  auto ring = cast<BufferType>(strips.getType());
  Value stage = StageOp::create(tiles.builder, tiles.loc, ring.getStageType(),
                                strips, slot);
  WriteOp::create(tiles.builder, tiles.loc, tiles.promote(*values, vector),
                  stage);
  return success();
}

LogicalResult ScoreTile::generateKeyVector(TileBuilder &tiles, Value number,
                                           Value slot) {
  int64_t keys = type.getDimSize(1);
  auto vector =
      RankedTensorType::get({keys}, tiles.builder.getI32Type(),
                            LinearAttr::get(type.getContext(), numThreads));
  Value firstKey = tiles.create<arith::MulIOp>(number, tiles.i32(keys));
  Value iota = IotaOp::create(tiles.builder, tiles.loc, vector);
  Coordinates at;
  at.batch = context.batch;
  at.head = context.head;
  at.queryOffset = context.queryOffset;
  at.keyOffset = context.keyOffset;
  at.key = tiles.create<arith::AddIOp>(iota, firstKey);
  at.keyExists =
      tiles.compare(arith::CmpIPredicate::slt, at.key, context.keyLength);
  RegionEvaluator evaluator(attention, kernel, tiles, at);
  FailureOr<Value> values = sum(evaluator, tiles, terms->key);
  if (failed(values))
    return failure();
  auto ring = cast<BufferType>(keyVectors.getType());
  Value stage = StageOp::create(tiles.builder, tiles.loc, ring.getStageType(),
                                keyVectors, slot);
  WriteOp::create(tiles.builder, tiles.loc, tiles.promote(*values, vector),
                  stage);
  return success();
}

/// Slots of the rings alternate.
static Value slotOf(TileBuilder &tiles, Value number) {
  return tiles.create<arith::AndIOp>(number, tiles.i32(1));
}

LogicalResult ScoreTile::generate(TileBuilder &tiles, Value number) {
  if (!generates())
    return success();
  Value slot = slotOf(tiles, number);
  if (strips && failed(generateStrip(tiles, number, slot)))
    return failure();
  if (keyVectors)
    return generateKeyVector(tiles, number, slot);
  return success();
}

FailureOr<Value> ScoreTile::build(TileBuilder &tiles, Value number,
                                  const Coordinates &coordinates, Value query,
                                  Value key) {
  OpBuilder &builder = tiles.builder;
  Value start;
  auto add = [&](Value term) {
    start = start ? tiles.create<arith::AddFOp>(start, term)
                  : tiles.promote(term, type);
  };
  auto stageOf = [&](Value ring) -> Value {
    auto ringType = cast<BufferType>(ring.getType());
    return StageOp::create(builder, tiles.loc, ringType.getStageType(), ring,
                           slotOf(tiles, number));
  };
  if (strips)
    add(ReadDiagonalsOp::create(builder, tiles.loc, type, stageOf(strips)));
  if (keyVectors) {
    Type vector = sliceType(type, 0, builder.getF32Type());
    add(ReadOp::create(builder, tiles.loc, vector, stageOf(keyVectors)));
  }
  if (queryTerm)
    add(queryTerm);
  RegionEvaluator evaluator(attention, kernel, tiles, coordinates);
  if (terms && !terms->elementwise.empty()) {
    FailureOr<Value> rest = sum(evaluator, tiles, terms->elementwise);
    if (failed(rest))
      return failure();
    add(*rest);
  }
  if (!start)
    start = tiles.filledF32(0.0, type);

  Value product = MmaOp::create(builder, tiles.loc, type, query, key, start,
                                /*b_transposed=*/true);
  if (terms)
    return product;

  Value scale = attention.getScale();
  scale = scale ? kernel.input(cast<BlockArgument>(scale))
                : tiles.f32(*attention.getConstantScale());
  Value score = tiles.create<arith::MulFOp>(product, scale);
  if (attention.getScore().empty())
    return score;
  evaluator.bind(attention.getScore().getArgument(0), score);
  FailureOr<Value> result = evaluator.evaluate(
      cast<YieldOp>(attention.getScore().front().getTerminator()).getValue());
  if (failed(result))
    return failure();
  return clamped(tiles, tiles.promote(*result, type), leastScore);
}
