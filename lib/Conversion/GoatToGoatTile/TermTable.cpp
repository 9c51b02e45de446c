//===- TermTable.cpp - score terms that a kernel before writes ------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TermTable.h"

using namespace mlir;
using namespace goat;
using namespace goat::tile;

Value tile::padded(TileBuilder &tiles, Value length, int64_t tile) {
  Value count = tiles.create<arith::DivUIOp>(
      tiles.create<arith::AddIOp>(length, tiles.i32(tile - 1)),
      tiles.i32(tile));
  return tiles.create<arith::MulIOp>(count, tiles.i32(tile));
}

/// Whether `values` are computed from `source`, directly or not.
static bool computedFrom(ArrayRef<Value> values, Value source) {
  SmallVector<Value> worklist(values);
  llvm::DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (value == source)
      return true;
    Operation *op = value.getDefiningOp();
    if (op && seen.insert(value).second)
      op->walk([&](Operation *part) {
        llvm::append_range(worklist, part->getOperands());
      });
  }
  return false;
}

/// The rows over the sizes of query and key.
static AffineExpr numRowsOf(TermTable::Rows rows, MLIRContext *context) {
  auto rowsOf = [&](unsigned size, int64_t tile) {
    AffineExpr padded = getAffineSymbolExpr(size, context).ceilDiv(tile) * tile;
    return padded.ceilDiv(rows.divisor) * rows.factor;
  };
  if (rows.divisor == 0)
    return getAffineConstantExpr(rows.factor, context);
  AffineExpr keys = rowsOf(1, rows.keyTile);
  return rows.queryTile == 0 ? keys : rowsOf(0, rows.queryTile) + keys;
}

Type TermTable::elementType(MLIRContext *context) const {
  return format == Format::Parts ? Type(BFloat16Type::get(context))
                                 : Type(Float32Type::get(context));
}

/// Stores a row; `exists` tells the threads that have one.
static void storeRow(TileBuilder &tiles, ArrayRef<Value> values,
                     TermTable::Format format, Value table, Value row,
                     Value exists) {
  if (format == TermTable::Format::Parts) {
    StorePartsOp::create(tiles.builder, tiles.loc, values.front(), table, row,
                         exists);
    return;
  }
  for (auto [column, value] : llvm::enumerate(values)) {
    // Four times a row is beyond 32 bits where twice a length is.
    Value element = tiles.create<arith::AddIOp>(
        tiles.create<arith::MulIOp>(tiles.widen(row), tiles.i64(values.size())),
        tiles.i64(column));
    StoreOp::create(tiles.builder, tiles.loc, value, table, element, exists);
  }
}

FailureOr<TermTable> TermTable::create(AttentionOp attention,
                                       KernelBuilder &kernel, StringRef suffix,
                                       Rows rows, Format format,
                                       int64_t numThreads, Evaluate evaluate) {
  MLIRContext *mlir = attention.getContext();
  KernelBuilder writer = kernel.createBefore(suffix);
  OpBuilder builder =
      OpBuilder::atBlockEnd(&writer.getKernel().getBody().front());
  TileBuilder tiles(builder, attention.getLoc());
  Value batch = BlockIndexOp::create(builder, tiles.loc, 2),
        head = BlockIndexOp::create(builder, tiles.loc, 1);
  AttentionContext context =
      buildContext(attention, writer, tiles, batch, head);
  auto vector = RankedTensorType::get({numThreads}, builder.getI32Type(),
                                      LinearAttr::get(mlir, numThreads));
  Value row = tiles.create<arith::AddIOp>(
      IotaOp::create(builder, tiles.loc, vector),
      tiles.create<arith::MulIOp>(BlockIndexOp::create(builder, tiles.loc, 0),
                                  tiles.i32(numThreads)));
  FailureOr<SmallVector<Value>> values =
      evaluate({writer, tiles, context, row});
  if (failed(values))
    return failure();
  for (Value &value : *values)
    value = tiles.promote(value, vector);

  TermTable table;
  table.rows = rows;
  table.format = format;
  table.width = format == Format::Parts ? partColumns : values->size();
  table.byBatch = computedFrom(*values, batch);
  table.heads = computedFrom(*values, head) ? attention.getNumQueryHeads() : 1;
  Attribute sizes[] = {
      kernel.dimAttr(attention.getQuery(), attention.getLengthAxis()),
      kernel.dimAttr(attention.getKey(), attention.getLengthAxis()),
      kernel.dimAttr(attention.getQuery(), 0)};
  AffineExpr numBatches = table.byBatch ? getAffineSymbolExpr(2, mlir)
                                        : getAffineConstantExpr(1, mlir);
  AffineExpr numRows = numRowsOf(rows, mlir);
  int64_t rowBytes =
      table.width * table.elementType(mlir).getIntOrFloatBitWidth() / 8;
  table.region = kernel.addWorkspace(
      AffineMap::get(0, 3, numRows * (table.heads * rowBytes) * numBatches),
      sizes);

  Value count = table.numRows(tiles, context);
  storeRow(tiles, *values, format, table.pointer(tiles, writer, context, count),
           row, tiles.compare(arith::CmpIPredicate::slt, row, count));
  gpu::ReturnOp::create(builder, tiles.loc);
  writer.setGrid(
      AffineMap::get(0, 3,
                     {numRows.ceilDiv(numThreads),
                      getAffineConstantExpr(table.heads, mlir), numBatches},
                     mlir),
      sizes);
  writer.finishBefore(kernel, numThreads);
  return table;
}

Value TermTable::numRows(TileBuilder &tiles,
                         const AttentionContext &context) const {
  auto rowsOf = [&](Value length, int64_t tile) {
    return tiles.create<arith::MulIOp>(
        tiles.create<arith::CeilDivUIOp>(padded(tiles, length, tile),
                                         tiles.i32(rows.divisor)),
        tiles.i32(rows.factor));
  };
  if (rows.divisor == 0)
    return tiles.i32(rows.factor);
  Value keys = rowsOf(context.keyRows, rows.keyTile);
  if (rows.queryTile == 0)
    return keys;
  return tiles.create<arith::AddIOp>(rowsOf(context.queryRows, rows.queryTile),
                                     keys);
}

Value TermTable::pointer(TileBuilder &tiles, KernelBuilder &in,
                         const AttentionContext &context, Value numRows) const {
  return matrixOf(
      tiles, in.workspace(region, elementType(tiles.builder.getContext())),
      byBatch ? context.batch : tiles.i32(0),
      heads > 1 ? context.head : tiles.i32(0), heads, numRows, width);
}
