//===- TileBuilder.cpp - arithmetic on scalars and tiles alike ------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileBuilder.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace goat;
using namespace goat::tile;

RankedTensorType tile::withElementType(RankedTensorType like, Type element) {
  return RankedTensorType::get(like.getShape(), element, like.getEncoding());
}

Value TileBuilder::filled(TypedAttr value, RankedTensorType type) {
  return constant(
      DenseElementsAttr::get(withElementType(type, value.getType()), value));
}

Value TileBuilder::promote(Value value, RankedTensorType shape) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type) {
    TypedAttr attribute;
    if (matchPattern(value, m_Constant(&attribute)))
      return filled(attribute, shape);
    return SplatOp::create(builder, loc,
                           withElementType(shape, value.getType()), value);
  }
  RankedTensorType result = withElementType(shape, type.getElementType());
  if (type == result)
    return value;
  auto slice = cast<SliceAttr>(type.getEncoding());
  return ExpandOp::create(builder, loc, result, value, slice.getAxis());
}

RankedTensorType TileBuilder::commonShape(ValueRange values) {
  RankedTensorType common;
  for (Value value : values) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type)
      continue;
    if (!common || type.getRank() > common.getRank()) {
      common = type;
      continue;
    }
    if (type.getRank() == 2 || common.getRank() == 2 ||
        type.getEncoding() == common.getEncoding())
      continue;
    // A vector along rows and one along columns.
    auto slice = cast<SliceAttr>(type.getEncoding());
    bool isRows = slice.getAxis() == 1;
    int64_t rows = (isRows ? type : common).getDimSize(0);
    int64_t columns = (isRows ? common : type).getDimSize(0);
    common = RankedTensorType::get({rows, columns}, type.getElementType(),
                                   slice.getParent());
  }
  return common;
}

SmallVector<Value> TileBuilder::unify(ValueRange values) {
  RankedTensorType common = commonShape(values);
  SmallVector<Value> unified(values);
  if (common)
    for (Value &value : unified)
      value = promote(value, common);
  return unified;
}

Value TileBuilder::compare(arith::CmpIPredicate predicate, Value lhs,
                           Value rhs) {
  SmallVector<Value> operands = unify({lhs, rhs});
  return arith::CmpIOp::create(builder, loc, predicate, operands[0],
                               operands[1]);
}

Value TileBuilder::compare(arith::CmpFPredicate predicate, Value lhs,
                           Value rhs) {
  SmallVector<Value> operands = unify({lhs, rhs});
  return arith::CmpFOp::create(builder, loc, predicate, operands[0],
                               operands[1]);
}

Value TileBuilder::conjunction(Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  return create<arith::AndIOp>(lhs, rhs);
}

Value TileBuilder::widen(Value value) {
  Type type = builder.getI64Type();
  if (auto tensor = dyn_cast<RankedTensorType>(value.getType()))
    type = withElementType(tensor, type);
  return builder.createOrFold<arith::ExtSIOp>(loc, type, value);
}
