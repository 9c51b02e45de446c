//===- RowRegion.cpp - rows read at any column ----------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of RegionEvaluator for ops that move the elements of a row. A tile
// of rows is spread over threads, and moving its elements would take shuffles.
// Instead what the row was computed from is evaluated once more at the other
// columns, down to memory, which can be read in any order: the row of a load
// region, and captured vectors. Reductions of a row are the same at all columns
// and are kept.
//
//===----------------------------------------------------------------------===//

#include "RegionEvaluator.h"

using namespace mlir;
using namespace goat;
using namespace goat::tile;

Value RegionEvaluator::columns() {
  if (!at.column)
    at.column =
        IotaOp::create(tiles.builder, tiles.loc,
                       getSliceType(at.rowType, 0, tiles.builder.getI32Type()));
  return at.column;
}

Value RegionEvaluator::gatherCaptured(Location loc, BlockArgument source,
                                      Value column) {
  Value exists =
      tiles.compare(arith::CmpIPredicate::ult, column, kernel.dim(source, 0));
  Type type = tiles.builder.getF32Type();
  if (auto shape = dyn_cast<RankedTensorType>(column.getType()))
    type = withElementType(shape, type);
  return LoadOp::create(tiles.builder, loc, type, kernel.input(source), column,
                        exists);
}

FailureOr<Value> RegionEvaluator::buildGather(GatherRowOp op) {
  FailureOr<Value> column = evaluate(op.getColumns());
  if (failed(column))
    return failure();
  Value source = op.getSource();
  auto argument = dyn_cast<BlockArgument>(source);
  if (argument && isa<func::FuncOp>(argument.getOwner()->getParentOp()))
    return gatherCaptured(op.getLoc(), argument, *column);
  if (rows.empty()) {
    op.emitError("expected goat.gather_row of a captured vector, or in a load "
                 "region; the row of an exclusion is in registers and has no "
                 "other order");
    return failure();
  }
  if (auto shape = dyn_cast<RankedTensorType>(column->getType());
      !shape || shape.getRank() != 1) {
    op.emitError("expected columns that are the same for every row; gather a "
                 "captured vector instead");
    return failure();
  }

  // Reductions in what the row is computed from are over whole rows.
  if (failed(evaluate(source)))
    return failure();
  RegionEvaluator moved(attention, kernel, tiles, at);
  moved.at.column = *column;
  moved.isMoved = true;
  moved.rows = rows;
  moved.expansions = expansions;
  for (auto [value, built] : known)
    if (!isa<RankedTensorType>(value.getType()))
      moved.known[value] = built;
  // A column outside of the row reads 0, whatever is computed of it.
  FailureOr<Value> result = moved.evaluate(source);
  if (failed(result))
    return failure();
  int64_t width = cast<RankedTensorType>(source.getType()).getDimSize(0);
  Value exists =
      tiles.compare(arith::CmpIPredicate::ult, *column, tiles.i32(width));
  return tiles.create<arith::SelectOp>(tiles.promote(exists, at.rowType),
                                       tiles.promote(*result, at.rowType),
                                       tiles.f32(0.0));
}
