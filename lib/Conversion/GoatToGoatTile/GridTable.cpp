//===- GridTable.cpp - functions of differences on a grid, for a tile -----===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With o the coordinate along the outermost axis, x_k that along an inner one
// of modulus m_k, and s_k the number of tuples of differences along the axes
// after it, the value of query i and key j lies at
//
//   (o_i − o_j − d)·S + Σ (x_i,k − x_j,k + m_k − 1)·s_k
//
// where S values belong to one difference along the outermost axis and d is the
// least of these: of the block's first query and the tile's last key.
//
//===----------------------------------------------------------------------===//

#include "GridTable.h"

#include "TermTable.h"

using namespace mlir;
using namespace goat;
using namespace goat::tile;

GridTable::GridTable(AttentionOp attention, ScheduleAttr schedule,
                     KernelBuilder &kernel, const AttentionContext &context,
                     RankedTensorType type, const Grid &grid,
                     ArrayRef<Value> terms, double logitScale, Value firstQuery)
    : attention(attention), schedule(schedule), kernel(kernel),
      context(context), type(type), grid(grid), terms(terms),
      logitScale(logitScale), firstQuery(firstQuery),
      numRows(grid.numRows(type.getDimSize(0), type.getDimSize(1))),
      rowLength(grid.rowLength()) {}

RankedTensorType GridTable::vectorOf(int64_t length) {
  MLIRContext *mlir = type.getContext();
  return RankedTensorType::get({length}, IntegerType::get(mlir, 32),
                               LinearAttr::get(mlir, numThreads()));
}

/// The coordinates along the outermost axis; 0 where there is none.
Value GridTable::outermost(TileBuilder &tiles, Value row) {
  if (!grid.hasOutermost())
    return tiles.i32(0);
  return tiles.create<arith::DivUIOp>(row,
                                      tiles.i32(grid.axes.front().divisor));
}

/// Σ x_k·s_k.
Value GridTable::inner(TileBuilder &tiles, Value row) {
  Value sum = tiles.i32(0);
  for (const GridAxis &axis : grid.innerAxes()) {
    Value coordinate = tiles.create<arith::RemUIOp>(
        tiles.create<arith::DivUIOp>(row, tiles.i32(axis.divisor)),
        tiles.i32(axis.modulus));
    sum = tiles.create<arith::AddIOp>(
        tiles.create<arith::MulIOp>(sum, tiles.i32(axis.numDifferences())),
        coordinate);
  }
  return sum;
}

LogicalResult GridTable::prepare(TileBuilder &tiles, Value query) {
  auto alloc = [&](ArrayRef<int64_t> shape, Type element) -> Value {
    return AllocOp::create(
        tiles.builder, tiles.loc,
        BufferType::get(type.getContext(), shape, element, false),
        IntegerAttr());
  };
  // Generated values are one tile ahead, copied ones as far as the keys.
  Type f32 = tiles.builder.getF32Type();
  values = isFromTable()
               ? alloc({schedule.getStages(), numRows, rowLength}, f32)
               : alloc({2, numRows * rowLength}, f32);
  keyNumbers = alloc({2, numKeys()}, tiles.builder.getI32Type());
  Value difference = tiles.create<arith::SubIOp>(outermost(tiles, query),
                                                 outermost(tiles, firstQuery));
  queryNumbers = tiles.create<arith::AddIOp>(
      tiles.create<arith::MulIOp>(difference, tiles.i32(rowLength)),
      inner(tiles, query));
  return isFromTable() ? prepareTable(tiles) : success();
}

Value GridTable::outermostOfLastKey(TileBuilder &tiles, KeyTile tile) {
  return outermost(
      tiles, tiles.create<arith::AddIOp>(
                 tiles.create<arith::MulIOp>(tile.number, tiles.i32(numKeys())),
                 tiles.i32(numKeys() - 1)));
}

/// The terms at `place`s in a table that begins with `firstDifference` along
/// the outermost axis, i32.
FailureOr<Value> GridTable::evaluate(TileBuilder &tiles, KernelBuilder &kernel,
                                     const AttentionContext &context,
                                     Value place, Value firstDifference) {
  RegionEvaluator evaluator(attention, kernel, tiles, coordinatesOf(context));
  auto differenceAlong = [&](GridAxis axis) -> Value {
    if (axis.modulus == 0)
      return tiles.create<arith::AddIOp>(
          tiles.create<arith::DivUIOp>(place, tiles.i32(rowLength)),
          firstDifference);
    int64_t stride = 1;
    for (const GridAxis &other : llvm::reverse(grid.innerAxes())) {
      if (other == axis)
        break;
      stride *= other.numDifferences();
    }
    Value rest = tiles.create<arith::RemUIOp>(place, tiles.i32(rowLength));
    Value shifted = tiles.create<arith::RemUIOp>(
        tiles.create<arith::DivUIOp>(rest, tiles.i32(stride)),
        tiles.i32(axis.numDifferences()));
    return tiles.create<arith::SubIOp>(shifted, tiles.i32(axis.modulus - 1));
  };
  for (const Grid::Difference &difference : grid.differences) {
    Value value = differenceAlong(difference.axis);
    if (difference.isReversed)
      value = tiles.create<arith::SubIOp>(tiles.i32(0), value);
    unsigned width = difference.value.getType().isIndex()
                         ? 32
                         : difference.value.getType().getIntOrFloatBitWidth();
    if (width == 64)
      value = tiles.widen(value);
    evaluator.bind(difference.value, value);
  }
  FailureOr<Value> sum = sumOf(evaluator, tiles, terms, logitScale);
  if (failed(sum))
    return failure();
  return tiles.promote(*sum, cast<RankedTensorType>(place.getType()));
}

LogicalResult GridTable::generate(TileBuilder &tiles, KeyTile tile) {
  Value last = outermostOfLastKey(tiles, tile);
  Value key = tiles.create<arith::AddIOp>(
      IotaOp::create(tiles.builder, tiles.loc, vectorOf(numKeys())),
      tiles.create<arith::MulIOp>(tile.number, tiles.i32(numKeys())));
  // What is left of a score's place; Σ (m_k − 1)·s_k is the greatest `inner`.
  int64_t greatest = 0;
  for (const GridAxis &axis : grid.innerAxes())
    greatest = greatest * axis.numDifferences() + axis.modulus - 1;
  Value number = tiles.create<arith::SubIOp>(
      tiles.create<arith::MulIOp>(
          tiles.create<arith::SubIOp>(last, outermost(tiles, key)),
          tiles.i32(rowLength)),
      inner(tiles, key));
  number = tiles.create<arith::AddIOp>(number, tiles.i32(greatest));
  WriteOp::create(tiles.builder, tiles.loc, number,
                  stageOf(tiles, keyNumbers, tile.slot));
  if (isFromTable())
    return success();
  Value place =
      IotaOp::create(tiles.builder, tiles.loc, vectorOf(numRows * rowLength));
  FailureOr<Value> generated =
      evaluate(tiles, kernel, context, place,
               tiles.create<arith::SubIOp>(outermost(tiles, firstQuery), last));
  if (failed(generated))
    return failure();
  WriteOp::create(tiles.builder, tiles.loc, *generated,
                  stageOf(tiles, values, tile.slot));
  return success();
}

// The table of a head holds, in row n of S values, the difference
// n − (coordinates of the padded keys − 1) along the outermost axis.

LogicalResult GridTable::prepareTable(TileBuilder &tiles) {
  int64_t quads = rowLength / 4;
  int64_t divisor = grid.hasOutermost() ? grid.axes.front().divisor : 0;
  auto evaluateQuad =
      [&](const TermTable::Place &at) -> FailureOr<SmallVector<Value>> {
    Value firstDifference = at.tiles.create<arith::SubIOp>(
        at.tiles.i32(0), zeroRowOf(at.tiles, at.context));
    SmallVector<Value> quad;
    for (int64_t element = 0; element < 4; ++element) {
      Value place = at.tiles.create<arith::AddIOp>(
          at.tiles.create<arith::MulIOp>(at.row, at.tiles.i32(4)),
          at.tiles.i32(element));
      FailureOr<Value> value =
          evaluate(at.tiles, at.kernel, at.context, place, firstDifference);
      if (failed(value))
        return failure();
      quad.push_back(*value);
    }
    return quad;
  };
  FailureOr<TermTable> shared =
      TermTable::create(attention, kernel, "grid_table",
                        {type.getDimSize(0), numKeys(), divisor, quads},
                        TermTable::Format::Values, numThreads(), evaluateQuad);
  if (failed(shared))
    return failure();
  Value numQuads = shared->numRows(tiles, context);
  table = shared->pointer(tiles, kernel, context, numQuads);
  numTableRows = tiles.create<arith::DivUIOp>(numQuads, tiles.i32(quads));
  zeroRow = zeroRowOf(tiles, context);
  return success();
}

/// The row of the table that holds difference 0 along the outermost axis.
Value GridTable::zeroRowOf(TileBuilder &tiles,
                           const AttentionContext &context) {
  if (!grid.hasOutermost())
    return tiles.i32(0);
  Value keys = padded(tiles, context.keyRows, numKeys());
  Value last = tiles.create<arith::SubIOp>(keys, tiles.i32(1));
  // Without keys nothing is read.
  last = tiles.create<arith::MaxSIOp>(last, tiles.i32(0));
  return outermost(tiles, last);
}

Value GridTable::copy(TileBuilder &tiles, KeyTile tile,
                      const KeyTiles &keyTiles) {
  if (!isFromTable())
    return {};
  Value isWanted =
      tiles.compare(arith::CmpIPredicate::slt, tile.number, keyTiles.end);
  Value row = tiles.create<arith::AddIOp>(
      tiles.create<arith::SubIOp>(outermost(tiles, firstQuery),
                                  outermostOfLastKey(tiles, tile)),
      zeroRow);
  Value zero = tiles.i32(0);
  row = tiles.create<arith::SelectOp>(isWanted, row, zero);
  Value end = tiles.create<arith::SelectOp>(isWanted, numTableRows, zero);
  return CopyAsyncOp::create(tiles.builder, tiles.loc,
                             TokenType::get(type.getContext()), table, row, end,
                             tiles.i64(rowLength),
                             stageOf(tiles, values, tile.slot), IntegerAttr());
}

Value GridTable::read(TileBuilder &tiles, KeyTile tile) {
  Type i32 = tiles.builder.getI32Type();
  Value keys =
      ReadOp::create(tiles.builder, tiles.loc, getSliceType(type, 0, i32),
                     stageOf(tiles, keyNumbers, tile.slot));
  Value place =
      tiles.promote(tiles.create<arith::AddIOp>(queryNumbers, keys), type);
  return ReadAtOp::create(tiles.builder, tiles.loc, type,
                          stageOf(tiles, values, tile.slot), place);
}
