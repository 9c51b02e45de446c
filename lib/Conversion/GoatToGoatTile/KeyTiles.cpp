//===- KeyTiles.cpp - which tiles of keys a block of queries sees ---------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeyTiles.h"

using namespace mlir;
using namespace goat;
using namespace goat::tile;

Value tile::stageOf(TileBuilder &tiles, Value ring, Value slot) {
  auto type = cast<BufferType>(ring.getType());
  Value index =
      tiles.create<arith::RemUIOp>(slot, tiles.i32(type.getShape().front()));
  return StageOp::create(tiles.builder, tiles.loc, type.getStageType(), ring,
                         index);
}

Value KeyTiles::listed(TileBuilder &tiles, Value ordinal, bool isFull) const {
  // The first full tile is the last entry.
  Value entry = tiles.create<arith::SubIOp>(
      tiles.create<arith::AddIOp>(
          list->numPartial,
          tiles.create<arith::SubIOp>(list->numEntries, tiles.i32(1))),
      ordinal);
  if (!isFull)
    entry = tiles.create<arith::SelectOp>(
        tiles.compare(arith::CmpIPredicate::slt, ordinal, list->numPartial),
        ordinal, entry);
  Value exists =
      tiles.compare(arith::CmpIPredicate::slt, ordinal, list->numTiles);
  Value number =
      LoadOp::create(tiles.builder, tiles.loc, tiles.builder.getI32Type(),
                     list->entries, entry, exists);
  return tiles.create<arith::SelectOp>(exists, number, end);
}

QueryRows tile::blockRows(AttentionOp attention, TileBuilder &tiles,
                          const AttentionContext &context, Value firstQuery,
                          int64_t numRows) {
  QueryRows rows{firstQuery, tiles.create<arith::MinSIOp>(
                                 tiles.create<arith::AddIOp>(
                                     firstQuery, tiles.i32(numRows)),
                                 context.queryLength)};
  if (attention.getQLengths())
    rows.end = tiles.create<arith::MaxSIOp>(
        rows.end, tiles.create<arith::AddIOp>(firstQuery, tiles.i32(1)));
  return rows;
}

KeyTiles tile::tilesOf(TileBuilder &tiles, const AttentionContext &context,
                       const KeySets &sets, int64_t tileKeys) {
  Value keyLength = context.keyLength;

  // Rows that are there, [0, keyLength].
  Value zero = tiles.i32(0), size = tiles.i32(tileKeys),
        sizeMinusOne = tiles.i32(tileKeys - 1);
  auto toRow = [&](Value row) -> Value {
    row = tiles.create<arith::MaxSIOp>(row, tiles.i64(0));
    row = tiles.create<arith::MinSIOp>(row, tiles.widen(keyLength));
    return tiles.builder.createOrFold<arith::TruncIOp>(
        tiles.loc, tiles.builder.getI32Type(), row);
  };
  // Rows are not negative here, so unsigned division rounds down.
  auto tileOf = [&](Value row) -> Value {
    return tiles.create<arith::DivUIOp>(row, size);
  };
  auto tileAfter = [&](Value row) -> Value {
    return tileOf(tiles.create<arith::AddIOp>(row, sizeMinusOne));
  };
  auto atLeast = [&](Value value, Value bound) -> Value {
    return tiles.create<arith::MaxSIOp>(value, bound);
  };
  auto atMost = [&](Value value, Value bound) -> Value {
    return tiles.create<arith::MinSIOp>(value, bound);
  };

  KeyInterval visible, full;
  if (sets.visible.empty())
    visible.end = tiles.i64(0);
  else
    visible = hullOf(tiles, sets.visible);
  bool knowsFull = !sets.full.empty();
  if (knowsFull)
    full = sets.full.front();

  KeyTiles result;
  result.begin = visible.begin ? tileOf(toRow(visible.begin)) : zero;
  result.rowEnd = visible.end ? toRow(visible.end) : keyLength;
  result.end = tileAfter(result.rowEnd);
  result.end = atLeast(result.end, result.begin);
  result.noFull = !knowsFull;
  if (result.noFull) {
    result.fullBegin = result.fullEnd = result.begin;
    return result;
  }
  result.noPartialBefore = !visible.begin && !full.begin;
  result.fullBegin =
      full.begin ? atMost(atLeast(tileAfter(toRow(full.begin)), result.begin),
                          result.end)
                 : result.begin;
  Value fullEnd = tileOf(full.end ? toRow(full.end) : keyLength);
  result.fullEnd = atMost(atLeast(fullEnd, result.fullBegin), result.end);
  return result;
}

/// Whether the tiles come from an index; says why not where that is slow.
static bool wantsIndex(AttentionOp attention, ScheduleAttr schedule,
                       const KeySets &sets) {
  if (attention.getMask().empty() ||
      schedule.getMaskIndex() == MaskIndexUse::never)
    return false;
  if (schedule.getMaskIndex() == MaskIndexUse::always ||
      schedule.getMaskIndex() == MaskIndexUse::given)
    return true;
  bool isInterval = sets.visible.size() <= 1 && sets.full.size() <= 1;
  if (isInterval && !sets.isVague)
    return false;
  // The whole index costs more than is left out of so few tiles.
  constexpr int64_t fewTiles = 4;
  int64_t keys = attention.getKeyLength();
  if (!ShapedType::isDynamic(keys) && keys <= fewTiles * schedule.getKeys())
    return false;
  // The index evaluates the mask once for all heads that share it. Where none
  // do, that doubles the work, for a gain that is not known.
  return !sets.isVague ||
         !variesBy(attention, maskOf(attention), Dependence::Head);
}

FailureOr<KeyTiles>
tile::findKeyTiles(AttentionOp attention, ScheduleAttr schedule,
                   KernelBuilder &kernel, TileBuilder &tiles,
                   const AttentionContext &context, Value firstQuery) {
  QueryRows rows =
      blockRows(attention, tiles, context, firstQuery, schedule.getRows());
  KeySets sets = findKeySets(attention, kernel, tiles, context, rows);
  KeyTiles result = tilesOf(tiles, context, sets, schedule.getKeys());
  bool usesIndex = wantsIndex(attention, schedule, sets);
  bool isGiven = schedule.getMaskIndex() == MaskIndexUse::given;
  StringRef choice =
      usesIndex && isGiven
          ? "lists of partial and full tiles, by the classes in goat.mask_index"
      : usesIndex
          ? "lists of partial and full tiles from an index that a kernel "
            "before writes"
      : sets.isVague
          ? "evaluated on every tile that may see a key"
          : "tiles from an interval of keys, evaluated on partial ones";
  if (!attention.getMask().empty())
    kernel.recordChoice("mask", tiles.builder.getStringAttr(choice));
  if (!usesIndex) {
    if (sets.isVague)
      attention.emitRemark(
          "evaluates the mask on every tile that may see a key, as a part of "
          "it "
          "does not say which tiles are empty or full; --mask-index=always "
          "finds them before, at the cost of one more evaluation");
    return result;
  }
  FailureOr<TileList> list = buildMaskIndex(attention, schedule, kernel, tiles,
                                            context, firstQuery, sets.isVague);
  if (failed(list))
    return failure();
  result.list = *list;
  return result;
}
