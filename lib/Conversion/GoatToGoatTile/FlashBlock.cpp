//===- FlashBlock.cpp - the query rows a block works on -------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlashBlock.h"

#include "LoadPass.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace goat;
using namespace goat::tile;

int64_t tile::paddedHeadDim(int64_t dim, Type element) {
  return dim <= greatestHeadDim ? llvm::alignTo(dim, element.isF32() ? 8 : 16)
                                : 0;
}

int64_t tile::paddedValueColumns(int64_t dim, Type element,
                                 F32Product product) {
  constexpr int64_t columnsOf128Bytes = 32;
  if (element.isF32() && product == F32Product::tf32)
    return llvm::alignTo(dim, columnsOf128Bytes);
  return paddedHeadDim(dim, element);
}

FlashBlock::FlashBlock(AttentionOp attention, ScheduleAttr schedule,
                       KernelBuilder &kernel, OpBuilder &builder)
    : attention(attention), schedule(schedule), kernel(kernel),
      builder(builder), tiles(builder, attention.getLoc()) {
  auto encoding = MmaAttr::get(builder.getContext(), schedule.getWarps());
  Type f32 = builder.getF32Type();
  scoreType = RankedTensorType::get({schedule.getRows(), schedule.getKeys()},
                                    f32, encoding);
  outputType = RankedTensorType::get(
      {schedule.getRows(),
       paddedHeadDim(attention.getValueDim(), elementType())},
      f32, encoding);
  rowType = getSliceType(scoreType, 1, f32);
}

void FlashBlock::locate() {
  auto blockIndex = [&](int64_t axis) -> Value {
    return BlockIndexOp::create(builder, tiles.loc, axis);
  };
  // The last rows of all heads first: under a causal mask they see the most
  // keys, and short blocks fill what long ones leave at the end.
  Value block = tiles.create<arith::SubIOp>(
      tiles.create<arith::DivUIOp>(
          tiles.create<arith::AddIOp>(
              kernel.dim(attention.getQuery(), attention.getLengthAxis()),
              tiles.i32(schedule.getRows() - 1)),
          tiles.i32(schedule.getRows())),
      tiles.create<arith::AddIOp>(blockIndex(1), tiles.i32(1)));
  context =
      buildContext(attention, kernel, tiles, blockIndex(2), blockIndex(0));
  firstQuery =
      tiles.create<arith::MulIOp>(block, tiles.i32(schedule.getRows()));
  rowNumber = IotaOp::create(builder, tiles.loc,
                             withElementType(rowType, builder.getI32Type()));
  query = tiles.create<arith::AddIOp>(rowNumber, firstQuery);
  queryExists =
      tiles.compare(arith::CmpIPredicate::slt, query, context.queryRows);
  queryCounts =
      tiles.compare(arith::CmpIPredicate::slt, query, context.queryLength);
}

LogicalResult FlashBlock::buildLoads() {
  for (bool isQuery : {true, false}) {
    if ((isQuery ? attention.getLoadQ() : attention.getLoadK()).empty())
      continue;
    bool isHere = isQuery && loadsQuery();
    kernel.recordChoice(
        isQuery ? "load_q" : "load_k",
        builder.getStringAttr(
            isHere ? "by each block for its own rows, before the first tile"
                   : "by a kernel before, which writes the rows"));
    if (isHere)
      continue;
    FailureOr<unsigned> workspace =
        buildLoadPass(attention, kernel, isQuery,
                      paddedHeadDim(attention.getHeadDim(), elementType()));
    if (failed(workspace))
      return failure();
    (isQuery ? loadedQuery : loadedKey) =
        kernel.workspace(*workspace, elementType());
  }
  return success();
}

RowMatrix FlashBlock::matrix(bool isQuery) {
  Value loaded = isQuery ? loadedQuery : loadedKey;
  if (!loaded)
    return inputMatrixOf(attention, kernel, tiles, context,
                         isQuery ? Value(attention.getQuery())
                                 : Value(attention.getKey()),
                         isQuery);
  int64_t width = paddedHeadDim(attention.getHeadDim(), elementType());
  return {matrixOf(tiles, loaded, context.batch,
                   isQuery ? context.head : context.keyHead,
                   isQuery ? attention.getNumQueryHeads()
                           : attention.getNumKeyHeads(),
                   isQuery ? context.queryRows : context.keyRows, width),
          tiles.i64(width), Value(), width,
          rowAlignmentBytes(width, elementType())};
}

Value FlashBlock::narrow(Value tile) {
  Type type =
      withElementType(cast<RankedTensorType>(tile.getType()), elementType());
  if (type == tile.getType())
    return tile;
  return arith::TruncFOp::create(builder, tiles.loc, type, tile);
}

Value FlashBlock::widen(Value tile) {
  Type type = withElementType(cast<RankedTensorType>(tile.getType()),
                              builder.getF32Type());
  if (type == tile.getType())
    return tile;
  return arith::ExtFOp::create(builder, tiles.loc, type, tile);
}

Coordinates FlashBlock::coordinates() const {
  Coordinates at = coordinatesOf(context);
  at.query = query;
  at.queryExists = queryExists;
  return at;
}
