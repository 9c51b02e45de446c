//===- GoatTileMemory.cpp - constraints of memory operations --------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The constraint labels (C1), (C2), … are those of GoatTileMemory.td.
//
//===----------------------------------------------------------------------===//

#include "goat/Dialect/GoatTile/IR/GoatTileDialect.h"

using namespace mlir;
using namespace goat::tile;

//===----------------------------------------------------------------------===//
// goat_tile.load, goat_tile.store
//===----------------------------------------------------------------------===//

/// The type with `offset`'s shape and encoding and the given elements, or null
/// when offset is neither an integer nor a tile of them.
static Type typeLike(Type offset, Type element) {
  auto isOffset = [](Type type) {
    return type.isInteger(32) || type.isInteger(64);
  };
  auto tile = dyn_cast<RankedTensorType>(offset);
  if (!tile)
    return isOffset(offset) ? element : Type();
  if (!isOffset(tile.getElementType()) || !getTileLayout(tile))
    return {};
  return tile.clone(element);
}

/// Constraints (C1) and (C2) of load and store; `value` is what is read or
/// written and `name` what it is called.
static LogicalResult verifyElements(Operation *op, StringRef name,
                                    Value pointer, Value offset, Value mask,
                                    Value value) {
  Type element = cast<PointerType>(pointer.getType()).getElementType();
  Type expected = typeLike(offset.getType(), element);
  if (!expected)
    return op->emitOpError("(C1) expected the offset to be i32, i64 or a tile "
                           "of them but got ")
           << offset.getType();
  if (value.getType() != expected)
    return op->emitOpError("(C1) expected ")
           << name << " to be " << expected << " but got " << value.getType();
  if (!mask)
    return success();
  Type expectedMask =
      typeLike(offset.getType(), IntegerType::get(op->getContext(), 1));
  if (mask.getType() != expectedMask)
    return op->emitOpError("(C2) expected the mask to be ")
           << expectedMask << " but got " << mask.getType();
  return success();
}

LogicalResult LoadOp::verify() {
  return verifyElements(*this, "the result", getPointer(), getOffset(),
                        getMask(), getResult());
}

LogicalResult StoreOp::verify() {
  return verifyElements(*this, "the value", getPointer(), getOffset(),
                        getMask(), getValue());
}

//===----------------------------------------------------------------------===//
// goat_tile.load_rows, goat_tile.store_rows
//===----------------------------------------------------------------------===//

/// Constraint (C4) of ops that access rows.
static LogicalResult verifyAlignment(Operation *op, Type element,
                                     uint64_t alignment, bool hasColumnStride) {
  uint64_t bytes = element.getIntOrFloatBitWidth() / 8;
  if (!llvm::isPowerOf2_64(alignment) || alignment < bytes || alignment > 16)
    return op->emitOpError("(C4) expected an alignment of a power of two from ")
           << bytes << " to 16 bytes but got "
           << static_cast<int64_t>(alignment);
  if (hasColumnStride && alignment != bytes)
    return op->emitOpError("(C4) expected an alignment of ")
           << bytes << " bytes with a column_stride, one element, but got "
           << static_cast<int64_t>(alignment);
  return success();
}

static LogicalResult verifyRows(Operation *op, StringRef name, Value pointer,
                                Value row, Value mask, Value value,
                                std::optional<uint64_t> columns) {
  auto tile = cast<RankedTensorType>(value.getType());
  Type element = cast<PointerType>(pointer.getType()).getElementType();
  if (tile.getRank() != 2 || !getTileLayout(tile) ||
      tile.getElementType() != element)
    return op->emitOpError("(C1) expected ")
           << name << " to be a tile of rank 2 of " << element << " but got "
           << tile;
  MLIRContext *context = op->getContext();
  for (auto [part, operand, bits] :
       {std::tuple{"row", row, 32}, std::tuple{"mask", mask, 1}}) {
    Type expected = getSliceType(tile, 1, IntegerType::get(context, bits));
    if (operand.getType() != expected)
      return op->emitOpError("(C2) expected ")
             << part << " to be " << expected << " but got "
             << operand.getType();
  }
  if (columns &&
      (*columns < 1 || *columns > static_cast<uint64_t>(tile.getDimSize(1))))
    return op->emitOpError("(C3) expected 1 to ")
           << tile.getDimSize(1) << " columns but got "
           << static_cast<int64_t>(*columns);
  return success();
}

LogicalResult LoadRowsOp::verify() {
  if (failed(verifyRows(*this, "the result", getPointer(), getRow(), getMask(),
                        getResult(), getColumns())))
    return failure();
  return verifyAlignment(*this, getPointer().getType().getElementType(),
                         getAlignment(), bool(getColumnStride()));
}

LogicalResult StoreRowsOp::verify() {
  if (failed(verifyRows(*this, "the value", getPointer(), getRow(), getMask(),
                        getValue(), getColumns())))
    return failure();
  return verifyAlignment(*this, getPointer().getType().getElementType(),
                         getAlignment(), bool(getColumnStride()));
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

LogicalResult WindowOp::verify() {
  BufferType buffer = getBuffer().getType(), window = getResult().getType();
  auto isPlain = [](BufferType type) {
    return type.getRank() <= 2 && !type.getSwizzled();
  };
  if (!isPlain(buffer) || !isPlain(window) ||
      buffer.getElementType() != window.getElementType() ||
      buffer.getShape().drop_front() != window.getShape().drop_front())
    return emitOpError("(C1) expected vectors, or matrices of equal rows and "
                       "not swizzled, of one element type but got ")
           << buffer << " and " << window;
  if (window.getShape()[0] > buffer.getShape()[0])
    return emitOpError("(C2) expected a window of at most ")
           << buffer.getShape()[0] << " elements or rows but got "
           << window.getShape()[0];
  return success();
}

LogicalResult StageOp::verify() {
  BufferType ring = getBuffer().getType();
  if (!ring.isRing())
    return emitOpError("(C1) expected a ring of buffers but got ") << ring;
  if (getResult().getType() != ring.getStageType())
    return emitOpError("(C1) expected the result to be ")
           << ring.getStageType() << " but got " << getResult().getType();
  return success();
}

/// Constraint (C1) of read and write.
static LogicalResult verifyVector(Operation *op, Value vector, Value buffer) {
  auto tile = cast<RankedTensorType>(vector.getType());
  auto type = cast<BufferType>(buffer.getType());
  if (tile.getRank() != 1 || !getTileLayout(tile) ||
      tile.getShape() != type.getShape() ||
      tile.getElementType() != type.getElementType())
    return op->emitOpError("(C1) expected a vector with a goat_tile encoding "
                           "and a buffer of its shape and element type but "
                           "got ")
           << tile << " and " << type;
  return success();
}

LogicalResult WriteOp::verify() {
  return verifyVector(*this, getValue(), getBuffer());
}

LogicalResult ReadOp::verify() {
  return verifyVector(*this, getResult(), getBuffer());
}

LogicalResult WriteRowsOp::verify() {
  auto tile = cast<RankedTensorType>(getValue().getType());
  BufferType buffer = getBuffer().getType();
  if (tile.getRank() != 2 || buffer.getRank() != 2 || !getTileLayout(tile) ||
      tile.getElementType() != buffer.getElementType() ||
      tile.getDimSize(1) != buffer.getShape()[1])
    return emitOpError("(C1) expected a tile of ")
           << buffer.getElementType() << " with an encoding and the columns of "
           << buffer << " but got " << tile;
  auto first = static_cast<int64_t>(getFirstRow());
  if (first < 0 || first % tile.getDimSize(0) != 0 ||
      first + tile.getDimSize(0) > buffer.getShape()[0])
    return emitOpError("(C2) expected first_row to be a multiple of ")
           << tile.getDimSize(0) << " that leaves as many rows of " << buffer
           << " but got " << first;
  return success();
}

/// Constraint (C1) of store_parts and write_parts.
static LogicalResult verifyParted(Operation *op, RankedTensorType vector) {
  if (vector.getRank() != 1 || !getTileLayout(vector) ||
      !vector.getElementType().isF32())
    return op->emitOpError("(C1) expected an f32 vector with a goat_tile "
                           "encoding but got ")
           << vector;
  return success();
}

LogicalResult StorePartsOp::verify() {
  auto vector = cast<RankedTensorType>(getValue().getType());
  if (failed(verifyParted(*this, vector)))
    return failure();
  if (!getPointer().getType().getElementType().isBF16())
    return emitOpError("(C2) expected a pointer to bf16 but got ")
           << getPointer().getType();
  Builder builder(getContext());
  for (auto [value, element] : {std::pair(getRow(), builder.getI32Type()),
                                std::pair(getMask(), builder.getI1Type())}) {
    auto expected = vector.clone(element);
    if (value.getType() != expected)
      return emitOpError("(C3) expected row and mask of ")
             << expected << " but got " << value.getType();
  }
  return success();
}

LogicalResult WritePartsOp::verify() {
  auto vector = cast<RankedTensorType>(getValue().getType());
  if (failed(verifyParted(*this, vector)))
    return failure();
  BufferType buffer = getBuffer().getType();
  if (!buffer.getElementType().isBF16() || buffer.getSwizzled() ||
      buffer.getShape() != ArrayRef<int64_t>{vector.getDimSize(0), 8})
    return emitOpError("(C2) expected a buffer of ")
           << vector.getDimSize(0) << "x8xbf16, not swizzled, but got "
           << buffer;
  return success();
}

LogicalResult ReadDiagonalQuadsOp::verify() {
  auto tile = cast<RankedTensorType>(getResult().getType());
  if (!isa_and_nonnull<MmaAttr>(tile.getEncoding()) ||
      !tile.getElementType().isF32())
    return emitOpError("(C1) expected the result to be an f32 tile in "
                       "#goat_tile.mma but got ")
           << tile;
  BufferType strip = getStrip().getType();
  int64_t needed = tile.getDimSize(0) + tile.getDimSize(1) - 1;
  if (!strip.getElementType().isF32() || strip.getSwizzled() ||
      strip.getRank() != 2 || strip.getShape()[1] != 4 ||
      strip.getShape()[0] < needed)
    return emitOpError("(C2) expected a strip of at least ")
           << needed << "x4xf32, not swizzled, but got " << strip;
  return success();
}

LogicalResult ReadAtOp::verify() {
  auto tile = cast<RankedTensorType>(getResult().getType());
  auto offset = cast<RankedTensorType>(getOffset().getType());
  BufferType buffer = getBuffer().getType();
  if (buffer.getRank() > 2 || buffer.getSwizzled() ||
      tile.getElementType() != buffer.getElementType())
    return emitOpError("(C1) expected a buffer of rank 1 or 2 of ")
           << tile.getElementType() << ", not swizzled, but got " << buffer;
  if (!getTileLayout(tile) || !offset.getElementType().isInteger(32) ||
      offset.getShape() != tile.getShape() ||
      offset.getEncoding() != tile.getEncoding())
    return emitOpError("(C2) expected offsets of i32 in the shape and encoding "
                       "of ")
           << tile << " but got " << offset;
  return success();
}

LogicalResult ReadDiagonalsOp::verify() {
  auto tile = cast<RankedTensorType>(getResult().getType());
  BufferType strip = getStrip().getType();
  if (tile.getRank() != 2 || !getTileLayout(tile) ||
      tile.getElementType() != strip.getElementType())
    return emitOpError("(C1) expected the result to be a tile of rank 2 of ")
           << strip.getElementType() << " but got " << tile;
  int64_t needed = tile.getDimSize(0) + tile.getDimSize(1) - 1;
  if (strip.getRank() != 1 || strip.getShape()[0] < needed)
    return emitOpError("(C2) expected a strip of rank 1 of at least ")
           << needed << " elements but got " << strip;
  return success();
}

//===----------------------------------------------------------------------===//
// goat_tile.copy_async, goat_tile.round_tf32
//===----------------------------------------------------------------------===//

LogicalResult RoundTF32Op::verify() {
  BufferType buffer = getBuffer().getType();
  if (buffer.getRank() != 2 || !buffer.getElementType().isF32())
    return emitOpError("(C1) expected a buffer of rank 2 of f32 but got ")
           << buffer;
  if (buffer.getShape()[1] % 4 != 0)
    return emitOpError("(C2) expected the buffer's rows to be a multiple of 16 "
                       "bytes but got ")
           << buffer.getShape()[1] * 4 << " bytes";
  return success();
}

LogicalResult CopyAsyncOp::verify() {
  BufferType buffer = getBuffer().getType();
  Type element = getPointer().getType().getElementType();
  if (buffer.getRank() != 2 || buffer.getElementType() != element)
    return emitOpError("(C1) expected a buffer of rank 2 of ")
           << element << " but got " << buffer;
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  int64_t width = buffer.getShape()[1];
  if (width * bytes % 16 != 0)
    return emitOpError("(C2) expected the buffer's rows to be a multiple of "
                       "16 bytes but got ")
           << width * bytes << " bytes";
  if (failed(verifyAlignment(*this, element, getAlignment(),
                             bool(getColumnStride()))))
    return failure();
  if (std::optional<uint64_t> columns = getColumns()) {
    int64_t count = static_cast<int64_t>(*columns);
    int64_t alignment = static_cast<int64_t>(getAlignment());
    if (count < 1 || count > width || count * bytes % alignment != 0)
      return emitOpError("(C3) expected columns to be a multiple of ")
             << alignment / bytes << " up to " << width << " but got " << count;
  }
  return success();
}
