//===- TileCopies.cpp - how tiles reach shared memory ---------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileCopies.h"

using namespace mlir;
using namespace goat;
using namespace goat::tile;

TileCopies::TileCopies(FlashBlock &block)
    : block(block), keyMatrix(block.matrix(block.attention.getKey())),
      valueMatrix(block.matrix(block.attention.getValue())) {
  AttentionOp attention = block.attention;
  ScheduleAttr schedule = block.schedule;
  auto alloc = [&](ArrayRef<int64_t> shape) -> Value {
    return AllocOp::create(block.builder, block.tiles.loc,
                           BufferType::get(block.builder.getContext(), shape,
                                           block.elementType(), true),
                           IntegerAttr());
  };
  queryBuffer =
      alloc({schedule.getRows(), paddedHeadDim(attention.getHeadDim())});
  keyRing = alloc({schedule.getStages(), schedule.getKeys(),
                   paddedHeadDim(attention.getHeadDim())});
  valueRing = alloc({schedule.getStages(), schedule.getKeys(),
                     paddedHeadDim(attention.getValueDim())});
}

Value TileCopies::stage(Value ring, Value slot) {
  TileBuilder &tiles = block.tiles;
  slot =
      tiles.create<arith::RemUIOp>(slot, tiles.i32(block.schedule.getStages()));
  return StageOp::create(tiles.builder, tiles.loc,
                         cast<BufferType>(ring.getType()).getStageType(), ring,
                         slot);
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
  if (Value strip = scores.copy(
          tiles, tile,
          tiles.compare(arith::CmpIPredicate::slt, tile.number, keyTiles.end),
          isFirst))
    tokens.push_back(strip);
  return CommitOp::create(tiles.builder, tiles.loc,
                          GroupType::get(tiles.builder.getContext()), tokens);
}

SmallVector<Value> TileCopies::start(ArrayRef<KeyTile> first,
                                     const KeyTiles &keyTiles,
                                     ScoreTile &scores) {
  TileBuilder &tiles = block.tiles;
  Value queryToken = block.matrix(block.attention.getQuery())
                         .copy(tiles, block.firstQuery,
                               block.context.queryLength, queryBuffer);
  SmallVector<Value> groups;
  for (auto [ahead, tile] : llvm::enumerate(first))
    groups.push_back(copy(tile, keyTiles, scores,
                          ahead == 0 ? queryToken : Value(),
                          /*isFirst=*/ahead == 0));
  return groups;
}
