//===- TileCopies.cpp - how tiles reach shared memory ---------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileCopies.h"

#include "LoadPass.h"

using namespace mlir;
using namespace goat;
using namespace goat::tile;

TileCopies::TileCopies(FlashBlock &block)
    : block(block),
      isRounded(isTF32(f32ProductOf(block.attention, block.schedule))),
      keyMatrix(block.keyMatrix()), valueMatrix(block.valueMatrix()) {
  AttentionOp attention = block.attention;
  ScheduleAttr schedule = block.schedule;
  auto alloc = [&](ArrayRef<int64_t> shape) -> Value {
    return AllocOp::create(block.builder, block.tiles.loc,
                           BufferType::get(block.builder.getContext(), shape,
                                           block.elementType(), true),
                           IntegerAttr());
  };
  Type element = block.elementType();
  int64_t headDim = paddedHeadDim(attention.getHeadDim(), element);
  queryBuffer = alloc({schedule.getRows(), headDim});
  keyRing = alloc({schedule.getStages(), schedule.getKeys(), headDim});
  valueRing = alloc({schedule.getStages(), schedule.getKeys(),
                     paddedValueColumns(attention.getValueDim(), element,
                                        schedule.getF32Product())});
}

/// One group, together with `extraToken` when there is one.
Value TileCopies::copy(KeyTile tile, const KeyTiles &keyTiles,
                       ScoreTile &scores, Value extraToken, bool isFirst) {
  TileBuilder &tiles = block.tiles;
  Value firstKey = tiles.create<arith::MulIOp>(
      tile.number, tiles.i32(block.schedule.getKeys()));
  SmallVector<Value> tokens;
  if (extraToken)
    tokens.push_back(extraToken);
  tokens.push_back(keyMatrix.copy(tiles, firstKey, keyTiles.rowEnd, key(tile)));
  tokens.push_back(
      valueMatrix.copy(tiles, firstKey, keyTiles.rowEnd, value(tile)));
  llvm::append_range(tokens, scores.copy(tiles, tile, keyTiles, isFirst));
  return CommitOp::create(tiles.builder, tiles.loc,
                          GroupType::get(tiles.builder.getContext()), tokens);
}

/// 16 rows of each warp at a time, which leaves registers for their transform.
LogicalResult TileCopies::loadQuery() {
  TileBuilder &tiles = block.tiles;
  int64_t warps = block.schedule.getWarps(), numRows = 16 * warps;
  auto buffer = cast<BufferType>(queryBuffer.getType());
  auto type = RankedTensorType::get(
      {numRows, buffer.getShape()[1]}, tiles.builder.getF32Type(),
      MmaAttr::get(tiles.builder.getContext(), warps));
  Value number =
      IotaOp::create(tiles.builder, tiles.loc,
                     getSliceType(type, 1, tiles.builder.getI32Type()));
  for (int64_t first = 0; first < buffer.getShape()[0]; first += numRows) {
    Value row = tiles.create<arith::AddIOp>(
        number,
        tiles.create<arith::AddIOp>(block.firstQuery, tiles.i32(first)));
    Value exists = tiles.compare(arith::CmpIPredicate::slt, row,
                                 block.context.queryLength);
    FailureOr<Value> rows =
        buildLoadedRows(block.attention, block.kernel, tiles, block.context,
                        /*isQuery=*/true, type, row, exists);
    if (failed(rows))
      return failure();
    auto narrow = cast<RankedTensorType>(rows->getType());
    Value zero = tiles.filled(
        tiles.builder.getFloatAttr(narrow.getElementType(), 0.0), narrow);
    Value written = tiles.create<arith::SelectOp>(tiles.promote(exists, narrow),
                                                  *rows, zero);
    WriteRowsOp::create(tiles.builder, tiles.loc, written, queryBuffer, first);
  }
  return success();
}

FailureOr<SmallVector<Value>> TileCopies::start(ArrayRef<KeyTile> first,
                                                const KeyTiles &keyTiles,
                                                ScoreTile &scores) {
  TileBuilder &tiles = block.tiles;
  Value queryToken;
  if (!block.loadsQuery())
    queryToken = block.queryMatrix().copy(
        tiles, block.firstQuery, block.context.queryLength, queryBuffer);
  SmallVector<Value> groups;
  for (auto [ahead, tile] : llvm::enumerate(first))
    groups.push_back(copy(tile, keyTiles, scores,
                          ahead == 0 ? queryToken : Value(),
                          /*isFirst=*/ahead == 0));
  // While the first tiles are under way.
  if (block.loadsQuery() && failed(loadQuery()))
    return failure();
  return groups;
}

void TileCopies::roundTile(KeyTile tile) {
  if (!isRounded)
    return;
  for (Value buffer : {key(tile), value(tile)})
    RoundTF32Op::create(block.builder, block.tiles.loc, buffer);
}

void TileCopies::roundQuery(Value group) {
  if (!isRounded)
    return;
  // What others wrote.
  if (block.loadsQuery())
    BarrierOp::create(block.builder, block.tiles.loc);
  // Of the groups that `start` began, those after the first may be under way.
  WaitOp::create(
      block.builder, block.tiles.loc, group,
      block.builder.getI32IntegerAttr(block.schedule.getStages() - 2));
  RoundTF32Op::create(block.builder, block.tiles.loc, queryBuffer);
}
