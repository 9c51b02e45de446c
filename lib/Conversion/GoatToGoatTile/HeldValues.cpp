//===- HeldValues.cpp - values that wait for an expression ----------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HeldValues.h"

using namespace mlir;
using namespace goat;
using namespace goat::tile;

LogicalResult HeldValues::add(TileBuilder &tiles, Value value,
                              DistanceStrip strip) {
  strips.emplace_back(value, std::move(strip));
  return strips.back().second.prepare(tiles);
}

LogicalResult HeldValues::add(TileBuilder &tiles, Value value,
                              KeyVector vector) {
  vectors.emplace_back(value, std::move(vector));
  return vectors.back().second.prepare(tiles);
}

LogicalResult HeldValues::generate(TileBuilder &tiles, KeyTile tile,
                                   bool isFirst) {
  if (schedule.getStrip() == StripSource::tile)
    for (auto &[value, strip] : strips)
      if (failed(strip.generate(tiles, tile.number, tile.ordinal, isFirst)))
        return failure();
  if (schedule.getKeySource() == KeySource::tile)
    for (auto &[value, vector] : vectors)
      if (failed(vector.generate(tiles, tile)))
        return failure();
  return success();
}

LogicalResult HeldValues::generateForBlock(TileBuilder &tiles, Value number,
                                           Value ordinal, bool isFirst) {
  for (auto &[value, strip] : strips)
    if (failed(strip.generate(tiles, number, ordinal, isFirst)))
      return failure();
  return success();
}

void HeldValues::copy(TileBuilder &tiles, KeyTile tile,
                      const KeyTiles &keyTiles, bool isFirst,
                      SmallVectorImpl<Value> &tokens) {
  if (schedule.getStrip() == StripSource::table && !strips.empty()) {
    Value isWanted =
        tiles.compare(arith::CmpIPredicate::slt, tile.number, keyTiles.end);
    for (auto &[value, strip] : strips)
      tokens.push_back(
          strip.copy(tiles, tile.number, tile.ordinal, isWanted, isFirst));
  }
  if (schedule.getKeySource() == KeySource::table)
    for (auto &[value, vector] : vectors)
      tokens.push_back(vector.copy(tiles, tile, keyTiles));
}

void HeldValues::bind(TileBuilder &tiles, RegionEvaluator &evaluator,
                      KeyTile tile, Value stripOrdinal) {
  for (auto &[value, strip] : strips)
    evaluator.bind(value, strip.read(tiles, stripOrdinal));
  for (auto &[value, vector] : vectors)
    evaluator.bind(value, vector.read(tiles, tile));
  for (auto &[value, evaluated] : values)
    evaluator.bind(value, evaluated);
}
