//===- GoatTileEncodings.cpp - from encodings to layouts ------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each encoding names a builder of the layout algebra and its parameters; a
// tile that a builder refuses is refused as a type.
//
//===----------------------------------------------------------------------===//

#include "goat/Dialect/GoatTile/IR/GoatTileDialect.h"

#include "goat/Layout/Fragments.h"

using namespace mlir;
using namespace goat;
using namespace goat::tile;

#include "goat/Dialect/GoatTile/IR/GoatTileInterfaces.cpp.inc"

using Layout = std::optional<layout::TileLayout>;

static Layout refuse(std::string *reason, std::string text) {
  if (reason)
    *reason = std::move(text);
  return std::nullopt;
}

/// A shape of the given rank as 32-bit lengths.
static std::optional<SmallVector<int32_t>>
narrow(ArrayRef<int64_t> shape, size_t rank, std::string *reason) {
  if (shape.size() != rank) {
    refuse(reason, "expected a tile of rank " + std::to_string(rank) +
                       " but got rank " + std::to_string(shape.size()));
    return std::nullopt;
  }
  SmallVector<int32_t> lengths;
  for (int64_t length : shape) {
    if (length < 1 || length > INT32_MAX) {
      refuse(reason,
             "expected a static, positive length below 2^31 but got " +
                 (ShapedType::isDynamic(length) ? std::string("?")
                                                : std::to_string(length)));
      return std::nullopt;
    }
    lengths.push_back(static_cast<int32_t>(length));
  }
  return lengths;
}

static int32_t clampCount(int64_t count) {
  return static_cast<int32_t>(std::clamp<int64_t>(count, 0, INT32_MAX));
}

static LogicalResult
verifyLayout(LayoutAttrInterface encoding, ArrayRef<int64_t> shape,
             function_ref<InFlightDiagnostic()> emitError) {
  std::string reason;
  if (encoding.getLayout(shape, &reason))
    return success();
  return emitError() << encoding << " does not lay out this tile: " << reason;
}

//===----------------------------------------------------------------------===//
// mma, mma_operand
//===----------------------------------------------------------------------===//

Layout MmaAttr::getLayout(ArrayRef<int64_t> shape, std::string *reason) const {
  auto lengths = narrow(shape, 2, reason);
  if (!lengths)
    return std::nullopt;
  return layout::mmaAccumulator((*lengths)[0], (*lengths)[1],
                                clampCount(getWarps()), 1, reason);
}

SmallVector<int64_t> MmaAttr::getSmallestShape() const {
  return {16 * getWarps(), 8};
}

LogicalResult
MmaAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                        function_ref<InFlightDiagnostic()> emitError) const {
  return verifyLayout(*this, shape, emitError);
}

Layout MmaOperandAttr::getLayout(ArrayRef<int64_t> shape,
                                 std::string *reason) const {
  auto lengths = narrow(shape, 2, reason);
  if (!lengths)
    return std::nullopt;
  return layout::mmaOperandA((*lengths)[0], (*lengths)[1],
                             clampCount(getWarps()), 1, reason);
}

SmallVector<int64_t> MmaOperandAttr::getSmallestShape() const {
  return {16 * getWarps(), 16};
}

LogicalResult MmaOperandAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type elementType,
    function_ref<InFlightDiagnostic()> emitError) const {
  return verifyLayout(*this, shape, emitError);
}

//===----------------------------------------------------------------------===//
// mma_partial
//===----------------------------------------------------------------------===//

Layout MmaPartialAttr::getLayout(ArrayRef<int64_t> shape,
                                 std::string *reason) const {
  auto lengths = narrow(shape, 2, reason);
  if (!lengths)
    return std::nullopt;
  if ((*lengths)[1] != 4)
    return refuse(reason, "expected 4 columns but got " +
                              std::to_string((*lengths)[1]));
  return layout::mmaPartialRows((*lengths)[0], clampCount(getWarps()), reason);
}

SmallVector<int64_t> MmaPartialAttr::getSmallestShape() const {
  return {16 * getWarps(), 4};
}

LogicalResult MmaPartialAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type elementType,
    function_ref<InFlightDiagnostic()> emitError) const {
  return verifyLayout(*this, shape, emitError);
}

//===----------------------------------------------------------------------===//
// slice
//===----------------------------------------------------------------------===//

LogicalResult SliceAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t axis, Attribute parent) {
  if (axis != 0 && axis != 1)
    return emitError() << "(C1) expected axis 0 or 1 but got " << axis;
  auto encoding = dyn_cast<LayoutAttrInterface>(parent);
  if (!encoding || encoding.getSmallestShape().size() != 2)
    return emitError() << "(C2) expected an encoding of tiles of rank 2 but "
                          "got "
                       << parent;
  return success();
}

Layout SliceAttr::getLayout(ArrayRef<int64_t> shape,
                            std::string *reason) const {
  if (!narrow(shape, 1, reason))
    return std::nullopt;
  auto parent = cast<LayoutAttrInterface>(getParent());
  SmallVector<int64_t> parentShape = parent.getSmallestShape();
  parentShape[1 - getAxis()] = shape[0];
  Layout whole = parent.getLayout(parentShape, reason);
  if (!whole)
    return std::nullopt;
  return whole->slice(getAxis());
}

SmallVector<int64_t> SliceAttr::getSmallestShape() const {
  auto parent = cast<LayoutAttrInterface>(getParent());
  return {parent.getSmallestShape()[1 - getAxis()]};
}

LogicalResult
SliceAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                          function_ref<InFlightDiagnostic()> emitError) const {
  return verifyLayout(*this, shape, emitError);
}

//===----------------------------------------------------------------------===//
// linear
//===----------------------------------------------------------------------===//

Layout LinearAttr::getLayout(ArrayRef<int64_t> shape,
                             std::string *reason) const {
  auto lengths = narrow(shape, 1, reason);
  if (!lengths)
    return std::nullopt;
  return layout::blocked1D((*lengths)[0], clampCount(getThreads()), reason);
}

SmallVector<int64_t> LinearAttr::getSmallestShape() const { return {1}; }

LogicalResult
LinearAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                           function_ref<InFlightDiagnostic()> emitError) const {
  return verifyLayout(*this, shape, emitError);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

Layout goat::tile::getTileLayout(RankedTensorType type, std::string *reason) {
  auto encoding = dyn_cast_or_null<LayoutAttrInterface>(type.getEncoding());
  if (!encoding)
    return refuse(reason, "expected a tile with a goat_tile encoding");
  return encoding.getLayout(type.getShape(), reason);
}

RankedTensorType goat::tile::getSliceType(RankedTensorType tile, int64_t axis,
                                          Type elementType) {
  return RankedTensorType::get(
      {tile.getDimSize(1 - axis)}, elementType,
      SliceAttr::get(tile.getContext(), axis, tile.getEncoding()));
}
