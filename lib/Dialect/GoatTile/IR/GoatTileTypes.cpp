//===- GoatTileTypes.cpp - buffers as text and their constraints ----------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The syntax of `!goat_tile.buffer`, its verifier and its sizes.
//
//===----------------------------------------------------------------------===//

#include "goat/Dialect/GoatTile/IR/GoatTileDialect.h"

#include "goat/Layout/Swizzle.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace goat::tile;

/// Whether memory holds elements of this type one after another in whole bytes.
static bool isElementType(Type type) {
  if (!type.isIntOrFloat())
    return false;
  unsigned bits = type.getIntOrFloatBitWidth();
  return bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

LogicalResult PointerType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  Type elementType) {
  if (isElementType(elementType))
    return success();
  return emitError() << "(C1) expected integers or floats of 8, 16, 32 or 64 "
                        "bits but got "
                     << elementType;
}

Type BufferType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  bool swizzled = false;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(elementType))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    if (parser.parseKeyword("swizzled"))
      return {};
    swizzled = true;
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<BufferType>(loc, parser.getContext(),
                                       ArrayRef<int64_t>(shape), elementType,
                                       swizzled);
}

void BufferType::print(AsmPrinter &printer) const {
  printer << "<";
  printer.printDimensionList(getShape());
  printer << "x" << getElementType() << (getSwizzled() ? ", swizzled>" : ">");
}

LogicalResult BufferType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> shape, Type elementType,
                                 bool swizzled) {
  if (shape.empty() || shape.size() > 3)
    return emitError() << "(C1) expected a buffer of rank 1 to 3 but got rank "
                       << shape.size();
  int64_t count = 1;
  for (int64_t length : shape) {
    if (length < 1)
      return emitError() << "(C1) expected a positive length but got "
                         << length;
    if (length > INT32_MAX || (count *= length) > INT32_MAX)
      return emitError() << "(C1) expected less than 2^31 elements";
  }
  if (!isElementType(elementType))
    return emitError() << "(C2) expected integers or floats of 8, 16, 32 or 64 "
                          "bits but got "
                       << elementType;
  if (!swizzled)
    return success();
  if (shape.size() < 2)
    return emitError() << "(C3) expected a swizzled buffer to have rank 2 or 3 "
                          "but got rank 1";
  unsigned bits = elementType.getIntOrFloatBitWidth();
  if (bits != 16 && bits != 32)
    return emitError() << "(C3) expected a swizzled buffer to have elements of "
                          "16 or 32 bits but got "
                       << elementType;
  std::string reason;
  ArrayRef<int64_t> tile = shape.take_back(2);
  if (tile[1] > INT32_MAX / 4 ||
      !layout::SwizzledTile::create(tile[0], tile[1] * (bits / 8), 0, &reason))
    return emitError() << "(C3) swizzled buffer: " << reason;
  return success();
}

int64_t BufferType::getNumElements() const {
  return ShapedType::getNumElements(getShape());
}

int64_t BufferType::getNumBytes() const {
  return getNumElements() * getElementType().getIntOrFloatBitWidth() / 8;
}

bool BufferType::isRing() const {
  return getRank() == 3 || (getRank() == 2 && !getSwizzled());
}

BufferType BufferType::getStageType() const {
  assert(isRing() && "only a ring has stages");
  return get(getContext(), getShape().drop_front(), getElementType(),
             getSwizzled());
}
