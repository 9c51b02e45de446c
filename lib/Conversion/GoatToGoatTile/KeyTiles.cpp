//===- KeyTiles.cpp - which tiles of keys a block of queries sees ---------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeyTiles.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace goat;
using namespace goat::tile;

namespace {

/// Key positions as a mask value answers them; `knowsFull` is false when
/// nothing may be taken for full.
struct PositionRange {
  Value visibleBegin, visibleEnd, fullBegin, fullEnd;
  bool knowsFull = true;
};

class RangeFinder {
public:
  RangeFinder(TileBuilder &tiles, const QueryBlock &block)
      : tiles(tiles), block(block) {}

  PositionRange of(Value mask) {
    Operation *op = mask.getDefiningOp();
    if (auto both = dyn_cast_or_null<arith::AndIOp>(op))
      return intersect(of(both.getLhs()), of(both.getRhs()));
    if (matchPattern(mask, m_One()))
      return PositionRange();
    auto plugin = dyn_cast_or_null<MaskOpInterface>(op);
    if (!plugin)
      return unknown();
    KeyRange answer = plugin.buildKeyRange(tiles.builder, block);
    PositionRange range{answer.visibleBegin, answer.visibleEnd,
                        answer.fullBegin, answer.fullEnd};
    range.knowsFull = (answer.fullBegin || answer.fullFromStart) &&
                      (answer.fullEnd || answer.fullToEnd);
    return range;
  }

private:
  static PositionRange unknown() {
    PositionRange range;
    range.knowsFull = false;
    return range;
  }
  template <typename OpT> Value meet(Value a, Value b) {
    return a && b ? tiles.create<OpT>(a, b) : a ? a : b;
  }
  PositionRange intersect(PositionRange a, PositionRange b) {
    PositionRange both;
    both.visibleBegin = meet<arith::MaxSIOp>(a.visibleBegin, b.visibleBegin);
    both.visibleEnd = meet<arith::MinSIOp>(a.visibleEnd, b.visibleEnd);
    both.fullBegin = meet<arith::MaxSIOp>(a.fullBegin, b.fullBegin);
    both.fullEnd = meet<arith::MinSIOp>(a.fullEnd, b.fullEnd);
    both.knowsFull = a.knowsFull && b.knowsFull;
    return both;
  }

  TileBuilder &tiles;
  const QueryBlock &block;
};

} // namespace

KeyTiles tile::findKeyTiles(AttentionOp attention, KernelBuilder &kernel,
                            TileBuilder &tiles, QueryBlock block,
                            Value keyOffset, Value keyLength,
                            int64_t tileKeys) {
  // 64 bits, so that no width or offset a mask adds to a position wraps.
  auto wide = [&](Value value) -> Value {
    return value.getType().isInteger(32) ? tiles.widen(value) : value;
  };
  auto lookup = [&](Value value) -> Value {
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)))
      return tiles.i64(constant.getSExtValue());
    if (auto argument = dyn_cast<BlockArgument>(value))
      if (isa<func::FuncOp>(argument.getOwner()->getParentOp()))
        return wide(kernel.input(argument));
    if (Operation *cast = value.getDefiningOp();
        isa_and_nonnull<arith::IndexCastOp>(cast))
      return block.lookup(cast->getOperand(0));
    return nullptr;
  };
  block.lookup = lookup;
  for (Value *value :
       {&block.batch, &block.head, &block.positionBegin, &block.positionEnd})
    *value = wide(*value);
  PositionRange range;
  if (Region &mask = attention.getMask(); !mask.empty()) {
    block.coordinates = mask.getArguments();
    range = RangeFinder(tiles, block)
                .of(cast<YieldOp>(mask.front().getTerminator()).getValue());
  }

  // Positions to rows of key, kept inside [0, keyLength].
  Value zero = tiles.i32(0), size = tiles.i32(tileKeys),
        sizeMinusOne = tiles.i32(tileKeys - 1);
  auto toRow = [&](Value position) -> Value {
    Value row = tiles.create<arith::SubIOp>(position, wide(keyOffset));
    row = tiles.create<arith::MaxSIOp>(row, tiles.i64(0));
    row = tiles.create<arith::MinSIOp>(row, wide(keyLength));
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

  KeyTiles result;
  result.begin = range.visibleBegin ? tileOf(toRow(range.visibleBegin)) : zero;
  result.rowEnd = range.visibleEnd ? toRow(range.visibleEnd) : keyLength;
  result.end = tileAfter(result.rowEnd);
  result.end = atLeast(result.end, result.begin);
  result.noFull = !range.knowsFull;
  if (result.noFull) {
    result.fullBegin = result.fullEnd = result.begin;
    return result;
  }
  result.noPartialBefore = !range.visibleBegin && !range.fullBegin;
  result.fullBegin =
      range.fullBegin
          ? atMost(atLeast(tileAfter(toRow(range.fullBegin)), result.begin),
                   result.end)
          : result.begin;
  Value fullEnd = tileOf(range.fullEnd ? toRow(range.fullEnd) : keyLength);
  result.fullEnd = atMost(atLeast(fullEnd, result.fullBegin), result.end);
  return result;
}
