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

LogicalResult HeldValues::generate(TileBuilder &tiles, Value number,
                                   Value ordinal, bool isFirst) {
  for (auto &[value, strip] : strips)
    if (failed(strip.generate(tiles, number, ordinal, isFirst)))
      return failure();
  return success();
}

SmallVector<Value> HeldValues::copy(TileBuilder &tiles, Value number,
                                    Value ordinal, Value isWanted,
                                    bool isFirst) {
  SmallVector<Value> tokens;
  if (source == StripSource::table)
    for (auto &[value, strip] : strips)
      tokens.push_back(strip.copy(tiles, number, ordinal, isWanted, isFirst));
  return tokens;
}

void HeldValues::bind(TileBuilder &tiles, RegionEvaluator &evaluator,
                      Value ordinal) {
  for (auto &[value, strip] : strips)
    evaluator.bind(value, strip.read(tiles, ordinal));
  for (auto &[value, evaluated] : values)
    evaluator.bind(value, evaluated);
}
