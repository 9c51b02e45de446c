//===- DistanceStrip.cpp - functions of the distance, for a tile ----------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile needs the values at rows + keys − 1 distances, in ascending order; the
// next tile needs the same ones `keys` further on, and `keys` new ones before
// them. So the strip is a ring: tile after tile begins `keys` elements earlier,
// gets only the new ones, and begins at the ring's end again after its start.
// What lies at the ring's start stands once more behind its end, so that a
// tile's values are consecutive wherever it begins. The ring is long enough for
// the new elements of tiles ahead to be written while others still read the
// tile before. With StripSource::block the ring holds all tiles and never
// begins again. Where tiles jump, each has a whole strip.
//
//===----------------------------------------------------------------------===//

#include "DistanceStrip.h"

#include "TermTable.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace goat;
using namespace goat::tile;

DistanceStrip::DistanceStrip(AttentionOp attention, KernelBuilder &kernel,
                             const AttentionContext &context,
                             RankedTensorType type, ArrayRef<Value> terms,
                             double logitScale, StripSource source,
                             int64_t numThreads, int64_t ahead,
                             int64_t numKeyTiles, Value firstQuery,
                             bool tilesJump)
    : attention(attention), kernel(kernel), context(context), type(type),
      terms(terms), logitScale(logitScale), source(source),
      numThreads(numThreads), rows(type.getDimSize(0)),
      keys(type.getDimSize(1)), firstQuery(firstQuery), tilesJump(tilesJump) {
  if (standsAlone()) {
    ringTiles = ahead + 1;
    overlap = 0;
    return;
  }
  // A layer without keys has no tile, but the loop that would read one.
  ringTiles = source == StripSource::block
                  ? std::max<int64_t>(numKeyTiles, 1)
                  : llvm::divideCeil(rows + (ahead + 1) * keys - 1, keys);
  // What a tile reaches from the last beginning.
  overlap = keys * llvm::divideCeil(rows - 1, keys);
}

LogicalResult DistanceStrip::prepare(TileBuilder &tiles) {
  SmallVector<int64_t> shape = {standsAlone() ? (rows + keys) * ringTiles
                                              : keys * ringTiles + overlap};
  if (source == StripSource::table)
    shape.push_back(4);
  auto buffer = BufferType::get(type.getContext(), shape,
                                tiles.builder.getF32Type(), false);
  strip = AllocOp::create(tiles.builder, tiles.loc, buffer, IntegerAttr());
  return source == StripSource::table ? prepareTable(tiles) : success();
}

Value DistanceStrip::window(TileBuilder &tiles, Value start, int64_t length) {
  SmallVector<int64_t> shape(cast<BufferType>(strip.getType()).getShape());
  shape[0] = length;
  auto window = BufferType::get(type.getContext(), shape,
                                tiles.builder.getF32Type(), false);
  return WindowOp::create(tiles.builder, tiles.loc, window, strip, start);
}

/// Where the tile's values begin in the strip.
Value DistanceStrip::start(TileBuilder &tiles, Value ordinal) {
  if (standsAlone())
    return tiles.create<arith::MulIOp>(
        tiles.create<arith::RemUIOp>(ordinal, tiles.i32(ringTiles)),
        tiles.i32(rows + keys));
  Value place = tiles.create<arith::SubIOp>(
      tiles.i32(ringTiles - 1),
      source == StripSource::block
          ? ordinal
          : tiles.create<arith::RemUIOp>(ordinal, tiles.i32(ringTiles)));
  return tiles.create<arith::MulIOp>(place, tiles.i32(keys));
}

/// Whether the part that begins at `begin` has a second place.
Value DistanceStrip::standsTwice(TileBuilder &tiles, Value begin) {
  return tiles.compare(arith::CmpIPredicate::slt, begin, tiles.i32(overlap));
}

/// The second place of the part that begins at `begin`.
Value DistanceStrip::twinOf(TileBuilder &tiles, Value begin) {
  return tiles.create<arith::AddIOp>(begin, tiles.i32(keys * ringTiles));
}

Value DistanceStrip::read(TileBuilder &tiles, Value ordinal) {
  Value values = window(tiles, start(tiles, ordinal), rows + keys - 1);
  if (source == StripSource::table)
    return ReadDiagonalQuadsOp::create(tiles.builder, tiles.loc, type, values);
  return ReadDiagonalsOp::create(tiles.builder, tiles.loc, type, values);
}

/// The terms at distances, a vector of i32.
FailureOr<Value> DistanceStrip::evaluate(TileBuilder &tiles,
                                         KernelBuilder &kernel,
                                         const AttentionContext &context,
                                         Value distance) {
  Coordinates at = coordinatesOf(context);
  at.distance = distance;
  // The distances of rows and keys that exist.
  Value zero =
      tiles.create<arith::SubIOp>(context.queryOffset, context.keyOffset);
  Value least = tiles.create<arith::SubIOp>(zero, context.keyRows);
  Value greatest = tiles.create<arith::AddIOp>(zero, context.queryRows);
  at.distanceExists = tiles.conjunction(
      tiles.compare(arith::CmpIPredicate::sgt, at.distance, least),
      tiles.compare(arith::CmpIPredicate::slt, at.distance, greatest));
  // A pair of rows of that distance, for what computes it in another way than
  // goat.distance.
  at.query = tiles.create<arith::SubIOp>(distance, zero);
  at.key = tiles.i32(0);
  RegionEvaluator evaluator(attention, kernel, tiles, at);
  FailureOr<Value> values = sumOf(evaluator, tiles, terms, logitScale);
  if (failed(values))
    return failure();
  return tiles.promote(*values, cast<RankedTensorType>(distance.getType()));
}

//===----------------------------------------------------------------------===//
// Generated in the kernel
//===----------------------------------------------------------------------===//

LogicalResult DistanceStrip::generate(TileBuilder &tiles, Value number,
                                      Value ordinal, bool isFirst) {
  // Element p of a tile belongs to row − column = p − (keys − 1).
  isFirst |= standsAlone();
  int64_t length = isFirst ? rows + keys - 1 : keys;
  auto vector =
      RankedTensorType::get({length}, tiles.builder.getI32Type(),
                            LinearAttr::get(type.getContext(), numThreads));
  Value firstKey = tiles.create<arith::MulIOp>(number, tiles.i32(keys));
  Value origin = tiles.create<arith::SubIOp>(
      tiles.create<arith::AddIOp>(firstQuery, context.queryOffset),
      tiles.create<arith::AddIOp>(firstKey, context.keyOffset));
  origin = tiles.create<arith::SubIOp>(origin, tiles.i32(keys - 1));
  Value iota = IotaOp::create(tiles.builder, tiles.loc, vector);
  FailureOr<Value> values = evaluate(tiles, kernel, context,
                                     tiles.create<arith::AddIOp>(iota, origin));
  if (failed(values))
    return failure();
  Value begin = start(tiles, ordinal);
  WriteOp::create(tiles.builder, tiles.loc, *values,
                  window(tiles, begin, length));
  // The first tile begins where nothing stands twice.
  if (isFirst || source == StripSource::block)
    return success();
  auto branch =
      scf::IfOp::create(tiles.builder, tiles.loc, standsTwice(tiles, begin),
                        /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(tiles.builder);
  tiles.builder.setInsertionPointToStart(branch.thenBlock());
  WriteOp::create(tiles.builder, tiles.loc, *values,
                  window(tiles, twinOf(tiles, begin), keys));
  return success();
}

//===----------------------------------------------------------------------===//
// From a table
//===----------------------------------------------------------------------===//

// The table of a head holds, in row n, the quad of distance
// n − (keys padded to tiles − 1) + position(0) − position of key 0, for every
// pair of a padded query row and a padded key.

LogicalResult DistanceStrip::prepareTable(TileBuilder &tiles) {
  auto evaluateQuad =
      [&](const TermTable::Place &at) -> FailureOr<SmallVector<Value>> {
    Value lastKey = at.tiles.create<arith::SubIOp>(
        padded(at.tiles, at.context.keyRows, keys), at.tiles.i32(1));
    Value distance = at.tiles.create<arith::AddIOp>(
        at.tiles.create<arith::SubIOp>(at.row, lastKey),
        at.tiles.create<arith::SubIOp>(at.context.queryOffset,
                                       at.context.keyOffset));
    SmallVector<Value> quad;
    for (int64_t shift : {0, -1, 8, 7}) {
      FailureOr<Value> value = evaluate(
          at.tiles, at.kernel, at.context,
          at.tiles.create<arith::AddIOp>(distance, at.tiles.i32(shift)));
      if (failed(value))
        return failure();
      quad.push_back(*value);
    }
    return quad;
  };
  FailureOr<TermTable> shared =
      TermTable::create(attention, kernel, "distance_table", {rows, keys},
                        TermTable::Format::Values, numThreads, evaluateQuad);
  if (failed(shared))
    return failure();
  numTableRows = shared->numRows(tiles, context);
  // The first row of key tile 0; each further tile begins `keys` before.
  firstTableRow = tiles.create<arith::AddIOp>(
      firstQuery, tiles.create<arith::SubIOp>(
                      padded(tiles, context.keyRows, keys), tiles.i32(keys)));
  table = shared->pointer(tiles, kernel, context, numTableRows);
  return success();
}

Value DistanceStrip::copy(TileBuilder &tiles, Value number, Value ordinal,
                          Value isWanted, bool isFirst) {
  isFirst |= standsAlone();
  int64_t length = isFirst ? rows + keys : keys;
  Value row = tiles.create<arith::SubIOp>(
      firstTableRow, tiles.create<arith::MulIOp>(number, tiles.i32(keys)));
  Value zero = tiles.i32(0);
  row = tiles.create<arith::SelectOp>(isWanted, row, zero);
  Value end = tiles.create<arith::SelectOp>(isWanted, numTableRows, zero);
  auto copyTo = [&](Value begin, Value condition) -> Value {
    return CopyAsyncOp::create(
        tiles.builder, tiles.loc, TokenType::get(type.getContext()), table, row,
        end, tiles.i64(4), window(tiles, begin, length),
        /*column_stride=*/Value(), condition, IntegerAttr());
  };
  Value begin = start(tiles, ordinal);
  // In the same group: no commit stands between.
  if (!isFirst)
    copyTo(twinOf(tiles, begin), standsTwice(tiles, begin));
  return copyTo(begin, /*condition=*/Value());
}
