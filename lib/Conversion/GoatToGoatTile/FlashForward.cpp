//===- FlashForward.cpp - the flash_mma schedule --------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One block per tile of query rows of one head, and a loop over the key tiles
// it sees (FlashAttention, arXiv 2205.14135, 2307.08691). What is particular to
// a prior, mask or exclusion is asked through its interface.
//
// The loop over key tiles is cut in up to three, so that only tiles a mask
// calls partial evaluate it; or there is one for each of the two lists of an
// index.
//
//===----------------------------------------------------------------------===//

#include "FlashForward.h"

#include "FlashEpilogue.h"
#include "OnlineSoftmax.h"
#include "TileCopies.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <limits>

using namespace mlir;
using namespace goat;
using namespace goat::tile;

namespace {

constexpr double log2e = 1.4426950408889634;

/// What a step of the loop hands to the next: the accumulated output, the state
/// of the normaliser, the copies under way, and of listed tiles the numbers of
/// this one and of as many after it as the ring has stages.
struct Carried {
  Value output;
  OnlineSoftmax::State rows;
  SmallVector<Value> groups, numbers;

  SmallVector<Value> flatten() const {
    SmallVector<Value> values = {output, rows.reference};
    if (rows.sum)
      values.append({rows.sum, rows.isFar});
    values.append(groups);
    values.append(numbers);
    return values;
  }
  /// The inverse, for values that stand for those of `like`.
  static Carried unflatten(ValueRange values, const Carried &like) {
    Carried carried;
    carried.output = values[0];
    carried.rows.reference = values[1];
    values = values.drop_front(2);
    if (like.rows.sum) {
      carried.rows.sum = values[0];
      carried.rows.isFar = values[1];
      values = values.drop_front(2);
    }
    values = values.drop_back(like.numbers.size());
    carried.groups.assign(values.begin(), values.end());
    carried.numbers.assign(values.end(), values.end() + like.numbers.size());
    return carried;
  }
};

class FlashForward {
public:
  FlashForward(AttentionOp attention, ScheduleAttr schedule,
               KernelBuilder &kernel, OpBuilder &builder)
      : block(attention, schedule, kernel, builder), attention(attention),
        builder(builder), tiles(block.tiles) {}

  LogicalResult build();

private:
  KeyTile tileAt(Value place, int64_t ahead, const Carried &carried);
  LogicalResult generateNext(KeyTile tile);
  LogicalResult step(Value place, bool isPartial, Carried &carried);
  LogicalResult loop(Value begin, Value end, bool isPartial, Carried &carried);
  Value raisedMaximum(Value score, Value maximum);
  Value sigmoidWeights(Value score);
  FailureOr<Value> applyMask(Value score, const Coordinates &at);

  FlashBlock block;
  AttentionOp attention;
  OpBuilder &builder;
  TileBuilder &tiles;
  std::optional<TileCopies> copies;
  KeyTiles keyTiles;
  std::optional<ScoreTile> scores;
  /// Logit of a score in units of log2.
  double exponentScale = 1.0;
  std::optional<OnlineSoftmax> softmax;
};

/// The running maximum joined by a tile's.
Value FlashForward::raisedMaximum(Value score, Value maximum) {
  Value rowMaximum = ReduceOp::create(builder, tiles.loc, block.rowType,
                                      Reduction::max, score, 1);
  return tiles.create<arith::MaxNumFOp>(maximum, rowMaximum);
}

/// σ(t) = 1 / (1 + 2^(−t·log2e)); a masked score, −∞, has weight 0. The
/// approximate quotient is right to 2 ulp.
Value FlashForward::sigmoidWeights(Value score) {
  Value exponent =
      tiles.create<arith::MulFOp>(score, tiles.f32(-exponentScale));
  Value denominator = tiles.create<arith::AddFOp>(
      math::Exp2Op::create(builder, tiles.loc, exponent).getResult(),
      tiles.f32(1.0));
  return arith::DivFOp::create(builder, tiles.loc,
                               tiles.filledF32(1.0, block.scoreType),
                               denominator, arith::FastMathFlags::afn);
}

FailureOr<Value> FlashForward::applyMask(Value score, const Coordinates &at) {
  Value allowed = tiles.promote(at.keyExists, block.scoreType);
  if (!attention.getMask().empty()) {
    RegionEvaluator evaluator(attention, block.kernel, tiles, at);
    FailureOr<Value> mask = evaluator.evaluate(
        cast<YieldOp>(attention.getMask().front().getTerminator()).getValue());
    if (failed(mask))
      return failure();
    allowed = tiles.create<arith::AndIOp>(allowed, *mask);
  }
  Value never = tiles.filledF32(-std::numeric_limits<double>::infinity(),
                                block.scoreType);
  return arith::SelectOp::create(builder, tiles.loc, allowed, score, never)
      .getResult();
}

/// Generates the priors of a tile if the block gets to it. The branch also
/// keeps the registers of this work apart from those of the product that
/// follows.
LogicalResult FlashForward::generateNext(KeyTile tile) {
  if (!scores->generatesTiles())
    return success();
  Value isWanted =
      tiles.compare(arith::CmpIPredicate::slt, tile.number, keyTiles.end);
  auto branch = scf::IfOp::create(builder, tiles.loc, isWanted,
                                  /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  return scores->generate(tiles, tile, false);
}

/// The tile `ahead` tiles after the one at `place` of the loop: its number, or
/// its ordinal where tiles are listed.
KeyTile FlashForward::tileAt(Value place, int64_t ahead,
                             const Carried &carried) {
  Value there = tiles.create<arith::AddIOp>(place, tiles.i32(ahead));
  if (!keyTiles.list)
    return keyTiles.consecutive(tiles, there);
  return {carried.numbers[ahead], there, there};
}

LogicalResult FlashForward::step(Value place, bool isPartial,
                                 Carried &carried) {
  int64_t stages = block.schedule.getStages();
  WaitOp::create(builder, tiles.loc, carried.groups.front(),
                 builder.getI32IntegerAttr(stages - 2));
  KeyTile tile = tileAt(place, 0, carried);
  copies->roundTile(tile);
  // Now this tile is in place, and every thread has left the slot the next
  // copies and priors go to.
  BarrierOp::create(builder, tiles.loc);
  carried.groups.erase(carried.groups.begin());
  carried.groups.push_back(
      copies->copyNext(tileAt(place, stages - 1, carried), keyTiles, *scores));
  if (failed(generateNext(tileAt(place, 1, carried))))
    return failure();
  if (keyTiles.list) {
    carried.numbers.erase(carried.numbers.begin());
    carried.numbers.push_back(keyTiles.listed(
        tiles, tiles.create<arith::AddIOp>(place, tiles.i32(stages)),
        !isPartial));
  }

  Coordinates at = block.coordinates();
  Value iota =
      IotaOp::create(builder, tiles.loc,
                     getSliceType(block.scoreType, 0, builder.getI32Type()));
  at.key = tiles.create<arith::AddIOp>(
      iota, tiles.create<arith::MulIOp>(tile.number,
                                        tiles.i32(block.schedule.getKeys())));
  at.keyExists =
      tiles.compare(arith::CmpIPredicate::slt, at.key, block.context.keyLength);

  FailureOr<Value> score =
      scores->build(tiles, tile, at, copies->query(), copies->key(tile));
  if (failed(score))
    return failure();
  if (isPartial)
    score = applyMask(*score, at);
  if (failed(score))
    return failure();

  Value weights = block.isSoftmax()
                      ? softmax->weights(*score, carried.rows, carried.output)
                      : sigmoidWeights(*score);
  // Without a sum, the maximum tells the exclusion whether a row saw a key.
  if (!block.isSoftmax() && !attention.getExclude().empty())
    carried.rows.reference = raisedMaximum(*score, carried.rows.reference);

  Value operand = block.narrow(weights);
  // A product takes f32 as another product left it.
  F32ProductAttr f32Product = f32ProductOf(attention, block.schedule);
  if (!f32Product) {
    auto type = RankedTensorType::get(
        block.scoreType.getShape(), block.elementType(),
        MmaOperandAttr::get(builder.getContext(), block.schedule.getWarps()));
    operand = ConvertLayoutOp::create(builder, tiles.loc, type, operand);
  }
  carried.output =
      MmaOp::create(builder, tiles.loc, block.outputType, operand,
                    copies->value(tile), carried.output,
                    /*b_transposed=*/false, f32Product, isTF32(f32Product));
  if (block.isSoftmax())
    softmax->addRounded(operand, carried.rows);
  return success();
}

LogicalResult FlashForward::loop(Value begin, Value end, bool isPartial,
                                 Carried &carried) {
  auto loop = scf::ForOp::create(builder, tiles.loc, begin, end, tiles.i32(1),
                                 carried.flatten());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Carried inside = Carried::unflatten(loop.getRegionIterArgs(), carried);
  if (failed(step(loop.getInductionVar(), isPartial, inside)))
    return failure();
  scf::YieldOp::create(builder, tiles.loc, inside.flatten());
  carried = Carried::unflatten(loop.getResults(), carried);
  return success();
}

LogicalResult FlashForward::build() {
  block.locate();
  if (failed(block.buildLoads()))
    return failure();
  copies.emplace(block);
  FailureOr<KeyTiles> found =
      findKeyTiles(attention, block.schedule, block.kernel, tiles,
                   block.context, block.firstQuery);
  if (failed(found))
    return failure();
  keyTiles = std::move(*found);

  FailureOr<ScoreTile> score = ScoreTile::create(
      attention, block.schedule, block.kernel, tiles, block.context,
      block.scoreType, block.firstQuery, block.query, block.queryExists,
      /*tilesJump=*/keyTiles.list.has_value());
  if (failed(score))
    return failure();
  scores.emplace(std::move(*score));
  exponentScale = scores->getLogitScale() * log2e;
  if (block.isSoftmax())
    // Sums by the multiply are of 16-bit weights.
    softmax.emplace(tiles, block.scoreType, exponentScale,
                    attention.getLse() || block.elementType().isF32()
                        ? RowSum::Exact
                        : RowSum::Product);

  Carried carried;
  if (keyTiles.list)
    for (int64_t ahead = 0; ahead < block.schedule.getStages(); ++ahead)
      carried.numbers.push_back(
          keyTiles.listed(tiles, tiles.i32(ahead), /*isFull=*/false));
  Value start = keyTiles.list ? tiles.i32(0) : keyTiles.begin;
  SmallVector<KeyTile> first;
  for (int64_t ahead = 0; ahead < block.schedule.getStages() - 1; ++ahead)
    first.push_back(tileAt(start, ahead, carried));
  FailureOr<SmallVector<Value>> groups =
      copies->start(first, keyTiles, *scores);
  if (failed(groups))
    return failure();
  carried.groups = std::move(*groups);
  if (failed(scores->generateAll(tiles, keyTiles.begin, keyTiles.end)) ||
      failed(scores->generate(tiles, first.front(), true)))
    return failure();
  copies->roundQuery(carried.groups.front());
  carried.output = tiles.filledF32(0.0, block.outputType);
  if (block.isSoftmax())
    carried.rows = softmax->start();
  else
    carried.rows.reference = tiles.filledF32(startOfMaximum, block.rowType);

  if (keyTiles.list) {
    if (failed(loop(start, keyTiles.list->numPartial, true, carried)) ||
        failed(loop(keyTiles.list->numPartial, keyTiles.list->numTiles, false,
                    carried)))
      return failure();
    return buildFlashEpilogue(block, carried.output,
                              softmax ? &*softmax : nullptr, carried.rows);
  }
  if (!keyTiles.noFull) {
    if (!keyTiles.noPartialBefore &&
        failed(loop(keyTiles.begin, keyTiles.fullBegin, true, carried)))
      return failure();
    if (failed(loop(keyTiles.fullBegin, keyTiles.fullEnd, false, carried)))
      return failure();
  }
  if (failed(loop(keyTiles.fullEnd, keyTiles.end, true, carried)))
    return failure();
  return buildFlashEpilogue(block, carried.output,
                            softmax ? &*softmax : nullptr, carried.rows);
}

} // namespace

LogicalResult tile::buildFlashForward(AttentionOp attention,
                                      ScheduleAttr schedule,
                                      KernelBuilder &kernel) {
  OpBuilder builder =
      OpBuilder::atBlockEnd(&kernel.getKernel().getBody().front());
  if (failed(FlashForward(attention, schedule, kernel, builder).build()))
    return failure();
  gpu::ReturnOp::create(builder, attention.getLoc());

  MLIRContext *context = builder.getContext();
  AffineExpr rows = getAffineSymbolExpr(0, context),
             batch = getAffineSymbolExpr(1, context);
  AffineMap grid = AffineMap::get(
      0, 2,
      {getAffineConstantExpr(attention.getNumQueryHeads(), context),
       rows.ceilDiv(schedule.getRows()), batch},
      context);
  kernel.setGrid(
      grid, {kernel.dimAttr(attention.getQuery(), attention.getLengthAxis()),
             kernel.dimAttr(attention.getQuery(), 0)});
  return success();
}
