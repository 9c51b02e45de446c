//===- LoadPass.cpp - what load regions make of rows ----------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoadPass.h"

using namespace mlir;
using namespace goat;
using namespace goat::tile;

namespace {
/// Warps of 16 rows each.
constexpr int64_t numWarps = 4;
constexpr int64_t rowsPerBlock = 16 * numWarps;
} // namespace

FailureOr<Value> tile::buildLoadedRows(AttentionOp attention,
                                       KernelBuilder &kernel,
                                       TileBuilder &tiles,
                                       const AttentionContext &context,
                                       bool isQuery, RankedTensorType type,
                                       Value row, Value exists) {
  Region &region = isQuery ? attention.getLoadQ() : attention.getLoadK();
  Type element = attention.getQueryType().getElementType();
  OpBuilder &builder = tiles.builder;
  RowMatrix matrix = inputMatrixOf(attention, kernel, tiles, context,
                                   isQuery ? Value(attention.getQuery())
                                           : Value(attention.getKey()),
                                   isQuery);

  Coordinates at = coordinatesOf(context);
  (isQuery ? at.query : at.key) = row;
  (isQuery ? at.queryExists : at.keyExists) = exists;
  at.rowType = type;
  RegionEvaluator evaluator(attention, kernel, tiles, at);
  evaluator.bindRow(region.getArgument(0), [&](Value column) -> Value {
    auto narrow = withElementType(type, element);
    Value loaded = column ? matrix.gather(tiles, narrow, row, column, exists)
                          : matrix.load(tiles, narrow, row, exists);
    if (narrow == type)
      return loaded;
    return arith::ExtFOp::create(builder, tiles.loc, type, loaded);
  });
  FailureOr<Value> result = evaluator.evaluate(
      cast<YieldOp>(region.front().getTerminator()).getValue());
  if (failed(result))
    return failure();

  // Columns that only fill the row up multiply each other.
  Value value = tiles.promote(*result, type);
  if (matrix.columns != type.getDimSize(1)) {
    Value column = IotaOp::create(builder, tiles.loc,
                                  getSliceType(type, 0, builder.getI32Type()));
    Value counts = tiles.compare(arith::CmpIPredicate::slt, column,
                                 tiles.i32(matrix.columns));
    value = tiles.create<arith::SelectOp>(tiles.promote(counts, type), value,
                                          tiles.f32(0.0));
  }
  if (element.isF32())
    return value;
  return arith::TruncFOp::create(builder, tiles.loc,
                                 withElementType(type, element), value)
      .getResult();
}

FailureOr<unsigned> tile::buildLoadPass(AttentionOp attention,
                                        KernelBuilder &main, bool isQuery,
                                        int64_t columns) {
  Value tensor = isQuery ? attention.getQuery() : attention.getKey();
  MLIRContext *mlir = attention.getContext();
  Type element = attention.getQueryType().getElementType();
  int64_t heads =
      isQuery ? attention.getNumQueryHeads() : attention.getNumKeyHeads();
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  AffineExpr rowCount = getAffineSymbolExpr(0, mlir),
             batch = getAffineSymbolExpr(1, mlir);
  Attribute sizes[] = {main.dimAttr(tensor, attention.getLengthAxis()),
                       main.dimAttr(tensor, 0)};
  unsigned workspace = main.addWorkspace(
      AffineMap::get(0, 2, rowCount * (heads * columns * bytes) * batch),
      sizes);

  KernelBuilder writer = main.createBefore(isQuery ? "load_query" : "load_key");
  OpBuilder builder =
      OpBuilder::atBlockEnd(&writer.getKernel().getBody().front());
  TileBuilder tiles(builder, attention.getLoc());
  auto blockIndex = [&](int64_t axis) -> Value {
    return BlockIndexOp::create(builder, tiles.loc, axis);
  };
  Value head = blockIndex(1);
  AttentionContext context =
      buildContext(attention, writer, tiles, blockIndex(2), head);
  context.keyHead = head; // of the key, when that is what is loaded

  auto type =
      RankedTensorType::get({rowsPerBlock, columns}, builder.getF32Type(),
                            MmaAttr::get(mlir, numWarps));
  Value number = IotaOp::create(builder, tiles.loc,
                                getSliceType(type, 1, builder.getI32Type()));
  Value row = tiles.create<arith::AddIOp>(
      number,
      tiles.create<arith::MulIOp>(blockIndex(0), tiles.i32(rowsPerBlock)));
  Value exists =
      tiles.compare(arith::CmpIPredicate::slt, row,
                    isQuery ? context.queryLength : context.keyLength);
  FailureOr<Value> rows = buildLoadedRows(attention, writer, tiles, context,
                                          isQuery, type, row, exists);
  if (failed(rows))
    return failure();
  Value target =
      matrixOf(tiles, writer.workspace(workspace, element), context.batch, head,
               heads, isQuery ? context.queryRows : context.keyRows, columns);
  RowMatrix{target, tiles.i64(columns), Value(), columns,
            rowAlignmentBytes(columns, element)}
      .store(tiles, *rows, row, exists);
  gpu::ReturnOp::create(builder, tiles.loc);
  writer.setGrid(AffineMap::get(0, 2,
                                {rowCount.ceilDiv(rowsPerBlock),
                                 getAffineConstantExpr(heads, mlir), batch},
                                mlir),
                 sizes);
  writer.finishBefore(main, 32 * numWarps);
  return workspace;
}
