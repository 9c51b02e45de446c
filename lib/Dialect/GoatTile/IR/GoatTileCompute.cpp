//===- GoatTileCompute.cpp - constraints of arithmetic on tiles -----------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The constraint labels (C1), (C2), … are those of GoatTileCompute.td.
//
//===----------------------------------------------------------------------===//

#include "goat/Dialect/GoatTile/IR/GoatTileDialect.h"

using namespace mlir;
using namespace goat::tile;

/// Whether the axis of a reduction or of its inverse is 0 or 1.
static LogicalResult verifyAxis(Operation *op, int64_t axis) {
  if (axis == 0 || axis == 1)
    return success();
  return op->emitOpError("(C1) expected axis 0 or 1 but got ") << axis;
}

static bool isTile(RankedTensorType type, int64_t rank) {
  return type.getRank() == rank && getTileLayout(type);
}

//===----------------------------------------------------------------------===//
// goat_tile.mma
//===----------------------------------------------------------------------===//

static LogicalResult verifyOperandA(MmaOp op, RankedTensorType accumulator,
                                    Type &element, int64_t &depth) {
  int64_t rows = accumulator.getDimSize(0);
  ArrayRef<int64_t> shape;
  if (auto buffer = dyn_cast<BufferType>(op.getA().getType())) {
    shape = buffer.getShape();
    element = buffer.getElementType();
  } else if (auto tile = dyn_cast<RankedTensorType>(op.getA().getType())) {
    shape = tile.getShape();
    element = tile.getElementType();
    auto encoding = cast<MmaAttr>(accumulator.getEncoding());
    Attribute expected = encoding;
    if (!element.isF32())
      expected = MmaOperandAttr::get(op.getContext(), encoding.getWarps());
    if (tile.getEncoding() != expected)
      return op.emitOpError("(C2) expected a tile a to be in ")
             << expected << " but got " << tile
             << "; convert it with goat_tile.convert_layout";
  } else {
    return op.emitOpError("(C2) expected a to be a buffer or a tile but got ")
           << op.getA().getType();
  }
  if (shape.size() != 2 || shape[0] != rows)
    return op.emitOpError("(C2) expected a to have rank 2 and the "
                          "accumulator's ")
           << rows << " rows but got " << op.getA().getType();
  depth = shape[1];
  return success();
}

LogicalResult MmaOp::verify() {
  auto accumulator = cast<RankedTensorType>(getAccumulator().getType());
  if (!accumulator.getElementType().isF32() ||
      !isa_and_nonnull<MmaAttr>(accumulator.getEncoding()))
    return emitOpError("(C1) expected the accumulator to be an f32 tile in "
                       "#goat_tile.mma but got ")
           << accumulator;
  Type element;
  int64_t depth;
  if (failed(verifyOperandA(*this, accumulator, element, depth)))
    return failure();

  BufferType b = getB().getType();
  int64_t columns = accumulator.getDimSize(1);
  SmallVector<int64_t> expected = {depth, columns};
  if (getBTransposed())
    std::swap(expected[0], expected[1]);
  ArrayRef<int64_t> shape = b.getShape();
  bool fits =
      shape.size() == 2 && shape[0] == expected[0] &&
      (getBTransposed() ? shape[1] == expected[1] : shape[1] >= expected[1]);
  if (b.getElementType() != element || !fits)
    return emitOpError("(C3) expected b to be a buffer of ")
           << expected[0] << "x" << expected[1] << "x" << element << " but got "
           << b;
  if (!element.isBF16() && !element.isF16() && !element.isF32())
    return emitOpError("(C4) expected bf16, f16 or f32 elements but got ")
           << element;
  int64_t step = element.isF32() ? 8 : 16;
  if (depth % step != 0)
    return emitOpError("(C4) expected K to be a multiple of ")
           << step << " but got " << depth << "; pad with zeros";
  if (element.isF32() && !getF32Product())
    return emitOpError("(C5) expected f32_product, exact or tf32, for f32 "
                       "elements but got none");
  if (!element.isF32() && getF32Product())
    return emitOpError("(C5) expected f32_product for f32 elements only but "
                       "got it for ")
           << element;
  if (getRounded() && getF32Product() != F32Product::tf32)
    return emitOpError("(C6) expected rounded with f32_product = tf32 only");
  return success();
}

//===----------------------------------------------------------------------===//
// goat_tile.mma_row_sum
//===----------------------------------------------------------------------===//

LogicalResult MmaRowSumOp::verify() {
  auto accumulator = cast<RankedTensorType>(getAccumulator().getType());
  auto encoding = dyn_cast_or_null<MmaAttr>(accumulator.getEncoding());
  if (!accumulator.getElementType().isF32() || !encoding ||
      accumulator.getDimSize(1) != 8)
    return emitOpError("(C1) expected the accumulator to be an f32 tile of 8 "
                       "columns in #goat_tile.mma but got ")
           << accumulator;
  auto a = cast<RankedTensorType>(getA().getType());
  auto operand = dyn_cast_or_null<MmaOperandAttr>(a.getEncoding());
  Type element = a.getElementType();
  if (!operand || operand.getWarps() != encoding.getWarps() ||
      a.getDimSize(0) != accumulator.getDimSize(0) ||
      !(element.isBF16() || element.isF16()))
    return emitOpError("(C2) expected a to be a bf16 or f16 tile of ")
           << accumulator.getDimSize(0)
           << " rows in #goat_tile.mma_operand<warps = " << encoding.getWarps()
           << "> but got " << a;
  return success();
}

//===----------------------------------------------------------------------===//
// goat_tile.mma_ones
//===----------------------------------------------------------------------===//

LogicalResult MmaOnesOp::verify() {
  auto accumulator = cast<RankedTensorType>(getAccumulator().getType());
  if (!accumulator.getElementType().isF32() ||
      !isa_and_nonnull<MmaAttr>(accumulator.getEncoding()))
    return emitOpError("(C1) expected the accumulator to be an f32 tile in "
                       "#goat_tile.mma but got ")
           << accumulator;
  BufferType b = getB().getType();
  int64_t columns = accumulator.getDimSize(1);
  if (!b.getElementType().isBF16() || b.getSwizzled() ||
      b.getShape() != ArrayRef<int64_t>{columns, 8})
    return emitOpError("(C2) expected b to be a buffer of ")
           << columns << "x8xbf16, not swizzled, but got " << b;
  return success();
}

//===----------------------------------------------------------------------===//
// goat_tile.reduce, goat_tile.expand
//===----------------------------------------------------------------------===//

LogicalResult FoldOp::verify() {
  auto tile = cast<RankedTensorType>(getTile().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  if (!isTile(tile, 2) || !tile.getElementType().isF32())
    return emitOpError("(C1) expected an f32 tile of rank 2 but got ") << tile;
  if (!isTile(result, 2) || !result.getElementType().isF32() ||
      result.getDimSize(0) != tile.getDimSize(0))
    return emitOpError("(C1) expected the result to have the tile's rows and "
                       "element type but got ")
           << result;
  if (!layout::rowGroups(*getTileLayout(tile), *getTileLayout(result)))
    return emitOpError(
               "(C2) expected each thread to hold the same rows in both "
               "and a column of its own in the result but got ")
           << result << "; use #goat_tile.mma_partial for #goat_tile.mma";
  return success();
}

LogicalResult ReduceOp::verify() {
  auto tile = cast<RankedTensorType>(getTile().getType());
  if (failed(verifyAxis(*this, getAxis())))
    return failure();
  if (!isTile(tile, 2) || !tile.getElementType().isF32())
    return emitOpError("(C1) expected an f32 tile of rank 2 but got ") << tile;
  RankedTensorType expected =
      getSliceType(tile, getAxis(), tile.getElementType());
  if (getResult().getType() != expected)
    return emitOpError("(C1) expected the result to be ")
           << expected << " but got " << getResult().getType();
  if (!getTileLayout(tile)->reductionWarpMasks(getAxis()).empty())
    return emitOpError("(C2) expected axis ")
           << getAxis() << " to lie in one warp but " << tile.getEncoding()
           << " spreads it over several; reduce the other axis or use one warp";
  return success();
}

LogicalResult WarpAnyOp::verify() {
  auto tile = cast<RankedTensorType>(getTile().getType());
  if (!getTileLayout(tile) || !tile.getElementType().isInteger(1))
    return emitOpError("(C1) expected an i1 tile with a goat_tile encoding but "
                       "got ")
           << tile;
  return success();
}

LogicalResult ExpandOp::verify() {
  auto result = cast<RankedTensorType>(getResult().getType());
  if (failed(verifyAxis(*this, getAxis())))
    return failure();
  if (!isTile(result, 2))
    return emitOpError("(C1) expected the result to be a tile of rank 2 but "
                       "got ")
           << result;
  RankedTensorType expected =
      getSliceType(result, getAxis(), result.getElementType());
  if (getVector().getType() != expected)
    return emitOpError("(C1) expected the vector to be ")
           << expected << " but got " << getVector().getType();
  return success();
}

//===----------------------------------------------------------------------===//
// goat_tile.iota, goat_tile.convert_layout, goat_tile.splat
//===----------------------------------------------------------------------===//

LogicalResult IotaOp::verify() {
  auto result = cast<RankedTensorType>(getResult().getType());
  if (!isTile(result, 1) || !result.getElementType().isInteger(32))
    return emitOpError("(C1) expected an i32 vector with a goat_tile encoding "
                       "but got ")
           << result;
  return success();
}

LogicalResult ConvertLayoutOp::verify() {
  auto from = cast<RankedTensorType>(getTile().getType());
  auto to = cast<RankedTensorType>(getResult().getType());
  if (from.getShape() != to.getShape() ||
      from.getElementType() != to.getElementType())
    return emitOpError("(C1) expected one shape and element type but got ")
           << from << " and " << to;
  std::optional<layout::TileLayout> source = getTileLayout(from),
                                    target = getTileLayout(to);
  if (!source || !target || !layout::conversion(*source, *target))
    return emitOpError("(C2) expected every element to stay in its thread "
                       "between ")
           << from << " and " << to << "; go through shared memory";
  return success();
}

LogicalResult SplatOp::verify() {
  auto result = cast<RankedTensorType>(getResult().getType());
  if (!getTileLayout(result) || result.getElementType() != getValue().getType())
    return emitOpError("(C1) expected a tile of ")
           << getValue().getType() << " with a goat_tile encoding but got "
           << result;
  return success();
}
