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

/// Only masks give −∞: anything a score region yields is at least this.
static constexpr double leastScore = -1e25;
/// Scales for which a prior divided by the scale stays well inside f32 (and
/// above the start of the running maximum) start the accumulator.
static constexpr double leastFoldedScale = 1e-5, greatestFoldedScale = 1e5;

// The strip. A tile needs the values at rows + keys − 1 distances, in ascending
// order; the next tile needs the same ones `keys` further on, and `keys` new
// ones before them. So the strip is a ring: tile after tile begins `keys`
// elements earlier, writes only the new ones, and begins at the ring's end
// again after its start. What lies at the ring's start stands once more behind
// its end, so that a tile's values are consecutive wherever it begins. The ring
// is long enough for the new elements to be written while others still read the
// tile before.

/// Tiles until the ring begins again.
static int64_t ringTiles(int64_t rows, int64_t keys) {
  return llvm::divideCeil(rows + 2 * keys - 1, keys);
}
/// The elements that stand twice: those a tile reaches from the last beginning.
static int64_t ringOverlap(int64_t rows, int64_t keys) {
  return keys * llvm::divideCeil(rows - 1, keys);
}

/// max(x, least) that keeps a NaN.
static Value clamped(TileBuilder &tiles, Value value, double least) {
  return tiles.create<arith::MaximumFOp>(value, tiles.f32(least));
}

static bool isBounded(Value term) {
  auto prior = term.getDefiningOp<PriorOpInterface>();
  return prior && prior.isBounded();
}

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

FailureOr<Value> ScoreTile::sum(RegionEvaluator &evaluator, TileBuilder &tiles,
                                ArrayRef<Value> values) {
  Value total;
  for (Value value : values) {
    FailureOr<Value> term = evaluator.evaluate(value);
    if (failed(term))
      return failure();
    total = total ? tiles.create<arith::AddFOp>(total, *term) : *term;
  }
  if (!llvm::all_of(values, isBounded))
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
  auto alloc = [&](ArrayRef<int64_t> shape) -> Value {
    return AllocOp::create(
        tiles.builder, tiles.loc,
        BufferType::get(type.getContext(), shape, f32, false), IntegerAttr());
  };
  if (!score.terms->relative.empty())
    score.strip =
        alloc({keys * ringTiles(rows, keys) + ringOverlap(rows, keys)});
  if (!score.terms->key.empty())
    score.keyVectors = alloc({2, keys});
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
    record("relative_terms", "strip over the distance, its new part generated "
                             "per tile, accumulator start");
  if (!terms->key.empty())
    record("key_terms",
           "vector over the keys, added in f32, accumulator start");
  if (!terms->query.empty())
    record("query_terms", "vector over the queries, accumulator start");
  if (!terms->elementwise.empty())
    record("other_terms", "element by element, accumulator start");
}

Value ScoreTile::stripWindow(TileBuilder &tiles, Value start, int64_t length) {
  auto window = BufferType::get(type.getContext(), {length},
                                tiles.builder.getF32Type(), false);
  return WindowOp::create(tiles.builder, tiles.loc, window, strip, start);
}

/// Where the tile's values begin in the strip.
Value ScoreTile::stripStart(TileBuilder &tiles, Value ordinal) {
  int64_t keys = type.getDimSize(1);
  int64_t count = ringTiles(type.getDimSize(0), keys);
  Value place = tiles.create<arith::SubIOp>(
      tiles.i32(count - 1),
      tiles.create<arith::RemUIOp>(ordinal, tiles.i32(count)));
  return tiles.create<arith::MulIOp>(place, tiles.i32(keys));
}

/// The terms at the first `length` distances of a tile: element p belongs to
/// row − column = p − (keys − 1).
FailureOr<Value> ScoreTile::evaluateStrip(TileBuilder &tiles, Value number,
                                          int64_t length) {
  int64_t keys = type.getDimSize(1);
  auto vector =
      RankedTensorType::get({length}, tiles.builder.getI32Type(),
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
  return tiles.promote(*values, vector);
}

LogicalResult ScoreTile::generateStrip(TileBuilder &tiles, Value number,
                                       Value ordinal, bool isFirst) {
  int64_t rows = type.getDimSize(0), keys = type.getDimSize(1);
  int64_t length = isFirst ? rows + keys - 1 : keys;
  FailureOr<Value> values = evaluateStrip(tiles, number, length);
  if (failed(values))
    return failure();
  Value start = stripStart(tiles, ordinal);
  WriteOp::create(tiles.builder, tiles.loc, *values,
                  stripWindow(tiles, start, length));
  // The first tile begins where nothing stands twice.
  if (isFirst)
    return success();
  Value standsTwice = tiles.compare(arith::CmpIPredicate::slt, start,
                                    tiles.i32(ringOverlap(rows, keys)));
  auto branch = scf::IfOp::create(tiles.builder, tiles.loc, standsTwice,
                                  /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(tiles.builder);
  tiles.builder.setInsertionPointToStart(branch.thenBlock());
  Value copy = tiles.create<arith::AddIOp>(
      start, tiles.i32(keys * ringTiles(rows, keys)));
  WriteOp::create(tiles.builder, tiles.loc, *values,
                  stripWindow(tiles, copy, keys));
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

/// Slots of a ring of two alternate.
static Value slotOf(TileBuilder &tiles, Value number) {
  return tiles.create<arith::AndIOp>(number, tiles.i32(1));
}

LogicalResult ScoreTile::generate(TileBuilder &tiles, Value number,
                                  Value ordinal, bool isFirst) {
  if (strip && failed(generateStrip(tiles, number, ordinal, isFirst)))
    return failure();
  if (keyVectors)
    return generateKeyVector(tiles, number, slotOf(tiles, number));
  return success();
}

FailureOr<Value> ScoreTile::build(TileBuilder &tiles, Value number,
                                  Value ordinal, const Coordinates &coordinates,
                                  Value query, Value key) {
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
  if (strip)
    add(ReadDiagonalsOp::create(
        builder, tiles.loc, type,
        stripWindow(tiles, stripStart(tiles, ordinal),
                    type.getDimSize(0) + type.getDimSize(1) - 1)));
  if (keyVectors) {
    Type vector = getSliceType(type, 0, builder.getF32Type());
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
  else if (sumNeedsClamp(*terms))
    start = clamped(tiles, start, leastScore / logitScale);

  Value product = MmaOp::create(builder, tiles.loc, type, query, key, start,
                                /*b_transposed=*/true);
  if (terms)
    return product;

  Value scale = attention.getScale();
  scale = scale ? kernel.input(cast<BlockArgument>(scale))
                : tiles.f32(*attention.getConstantScale());
  Value score = tiles.create<arith::MulFOp>(product, scale);
  if (attention.getScore().empty())
    return clamped(tiles, score, leastScore);
  evaluator.bind(attention.getScore().getArgument(0), score);
  FailureOr<Value> result = evaluator.evaluate(
      cast<YieldOp>(attention.getScore().front().getTerminator()).getValue());
  if (failed(result))
    return failure();
  return clamped(tiles, tiles.promote(*result, type), leastScore);
}
