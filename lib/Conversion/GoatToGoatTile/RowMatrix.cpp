//===- RowMatrix.cpp - the rows of one head in global memory --------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowMatrix.h"

using namespace mlir;
using namespace goat;
using namespace goat::tile;

int64_t tile::rowAlignmentBytes(int64_t columns, Type element) {
  int64_t bytes = columns * element.getIntOrFloatBitWidth() / 8;
  return std::min(bytes & -bytes, fastAlignmentBytes);
}

IntegerAttr RowMatrix::columnsIn(TileBuilder &tiles, int64_t width) const {
  return columns == width ? IntegerAttr()
                          : tiles.builder.getI64IntegerAttr(columns);
}

Value RowMatrix::copy(TileBuilder &tiles, Value firstRow, Value rows,
                      Value buffer) const {
  int64_t width = cast<BufferType>(buffer.getType()).getShape().back();
  return CopyAsyncOp::create(
      tiles.builder, tiles.loc, TokenType::get(tiles.builder.getContext()),
      pointer, firstRow, rows, stride, buffer, columnStride,
      /*condition=*/Value(), columnsIn(tiles, width),
      static_cast<uint64_t>(alignment));
}

Value RowMatrix::load(TileBuilder &tiles, RankedTensorType type, Value row,
                      Value exists) const {
  return LoadRowsOp::create(tiles.builder, tiles.loc, type, pointer, row,
                            exists, stride, columnStride,
                            columnsIn(tiles, type.getDimSize(1)),
                            static_cast<uint64_t>(alignment));
}

Value RowMatrix::gather(TileBuilder &tiles, RankedTensorType type, Value row,
                        Value column, Value exists) const {
  Value along = tiles.widen(column);
  if (columnStride)
    along = tiles.create<arith::MulIOp>(along, columnStride);
  Value offset = tiles.create<arith::AddIOp>(
      tiles.create<arith::MulIOp>(tiles.widen(row), stride), along);
  Value isThere =
      tiles.conjunction(exists, tiles.compare(arith::CmpIPredicate::ult, column,
                                              tiles.i32(columns)));
  return LoadOp::create(tiles.builder, tiles.loc, type, pointer, offset,
                        isThere);
}

void RowMatrix::store(TileBuilder &tiles, Value value, Value row,
                      Value exists) const {
  int64_t width = cast<RankedTensorType>(value.getType()).getDimSize(1);
  StoreRowsOp::create(tiles.builder, tiles.loc, value, pointer, row, exists,
                      stride, columnStride, columnsIn(tiles, width),
                      static_cast<uint64_t>(alignment));
}
