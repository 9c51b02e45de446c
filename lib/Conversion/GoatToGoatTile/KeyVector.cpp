//===- KeyVector.cpp - functions of the key, for a tile -------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeyVector.h"

#include "TermTable.h"

using namespace mlir;
using namespace goat;
using namespace goat::tile;

KeyVector::KeyVector(AttentionOp attention, ScheduleAttr schedule,
                     KernelBuilder &kernel, const AttentionContext &context,
                     RankedTensorType type, ArrayRef<Value> terms,
                     double logitScale, KeyTerms how)
    : attention(attention), schedule(schedule), kernel(kernel),
      context(context), type(type), terms(terms), logitScale(logitScale),
      how(how) {}

LogicalResult KeyVector::prepare(TileBuilder &tiles) {
  Builder &builder = tiles.builder;
  // Generated values are one tile ahead, copied ones as far as the keys.
  SmallVector<int64_t> shape = {isFromTable() ? schedule.getStages() : 2};
  Type element = builder.getF32Type();
  if (how == KeyTerms::product) {
    shape.append({numKeys(), TermTable::partColumns});
    element = builder.getBF16Type();
  } else if (isFromTable()) {
    // A copy is of rows.
    shape.append({1, numKeys()});
  } else {
    shape.push_back(numKeys());
  }
  ring = AllocOp::create(
      tiles.builder, tiles.loc,
      BufferType::get(type.getContext(), shape, element, false), IntegerAttr());
  return isFromTable() ? prepareTable(tiles) : success();
}

FailureOr<Value> KeyVector::evaluate(TileBuilder &tiles, KernelBuilder &kernel,
                                     const AttentionContext &context, Value key,
                                     Value keyExists) {
  Coordinates at = coordinatesOf(context);
  at.key = key;
  at.keyExists = keyExists;
  RegionEvaluator evaluator(attention, kernel, tiles, at);
  FailureOr<Value> values = sumOf(evaluator, tiles, terms, logitScale);
  if (failed(values))
    return failure();
  return tiles.promote(*values, cast<RankedTensorType>(key.getType()));
}

LogicalResult KeyVector::generate(TileBuilder &tiles, KeyTile tile) {
  auto vector =
      RankedTensorType::get({numKeys()}, tiles.builder.getI32Type(),
                            LinearAttr::get(type.getContext(), numThreads()));
  Value firstKey =
      tiles.create<arith::MulIOp>(tile.number, tiles.i32(numKeys()));
  Value iota = IotaOp::create(tiles.builder, tiles.loc, vector);
  Value key = tiles.create<arith::AddIOp>(iota, firstKey);
  FailureOr<Value> values = evaluate(
      tiles, kernel, context, key,
      tiles.compare(arith::CmpIPredicate::slt, key, context.keyLength));
  if (failed(values))
    return failure();
  if (how == KeyTerms::product)
    WritePartsOp::create(tiles.builder, tiles.loc, *values,
                         stageOf(tiles, ring, tile.slot));
  else
    WriteOp::create(tiles.builder, tiles.loc, *values,
                    stageOf(tiles, ring, tile.slot));
  return success();
}

LogicalResult KeyVector::prepareTable(TileBuilder &tiles) {
  auto evaluateKey =
      [&](const TermTable::Place &at) -> FailureOr<SmallVector<Value>> {
    FailureOr<Value> value =
        evaluate(at.tiles, at.kernel, at.context, at.row,
                 at.tiles.compare(arith::CmpIPredicate::slt, at.row,
                                  at.context.keyRows));
    if (failed(value))
      return failure();
    return SmallVector<Value>{*value};
  };
  FailureOr<TermTable> shared = TermTable::create(
      attention, kernel, "key_table", {/*queryTile=*/0, numKeys()},
      how == KeyTerms::product ? TermTable::Format::Parts
                               : TermTable::Format::Values,
      numThreads(), evaluateKey);
  if (failed(shared))
    return failure();
  table =
      shared->pointer(tiles, kernel, context, shared->numRows(tiles, context));
  return success();
}

Value KeyVector::copy(TileBuilder &tiles, KeyTile tile,
                      const KeyTiles &keyTiles) {
  bool hasParts = how == KeyTerms::product;
  Value firstRow =
      hasParts ? tiles.create<arith::MulIOp>(tile.number, tiles.i32(numKeys()))
               : tile.number;
  return CopyAsyncOp::create(
      tiles.builder, tiles.loc, TokenType::get(type.getContext()), table,
      firstRow, hasParts ? keyTiles.rowEnd : keyTiles.end,
      tiles.i64(hasParts ? TermTable::partColumns : numKeys()),
      stageOf(tiles, ring, tile.slot), IntegerAttr());
}

Value KeyVector::read(TileBuilder &tiles, KeyTile tile) {
  Value values = stageOf(tiles, ring, tile.slot);
  auto slotType = cast<BufferType>(values.getType());
  if (isFromTable())
    values = StageOp::create(tiles.builder, tiles.loc, slotType.getStageType(),
                             values, tiles.i32(0));
  return ReadOp::create(tiles.builder, tiles.loc,
                        getSliceType(type, 0, tiles.builder.getF32Type()),
                        values);
}

Value KeyVector::addByProduct(TileBuilder &tiles, KeyTile tile, Value start) {
  return MmaOnesOp::create(tiles.builder, tiles.loc,
                           stageOf(tiles, ring, tile.slot), start);
}
