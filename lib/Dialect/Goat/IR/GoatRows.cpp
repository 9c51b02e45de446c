//===- GoatRows.cpp - rows on their way into attention --------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints and expansions of the ops of GoatRows.td. Formulas: RoFormer,
// arXiv 2104.09864; RMSNorm, arXiv 1910.07467.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"
#include "Verifiers.h"
#include "goat/Dialect/Goat/IR/GoatDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace goat;

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

LogicalResult goat::verifyRowSize(Operation *op, Type type) {
  auto row = cast<RankedTensorType>(type);
  if (!row.isDynamicDim(0) && row.getDimSize(0) > 0)
    return success();
  return op->emitOpError(
             "(C1) expected a row of static, positive size but got ")
         << row;
}

LogicalResult ColumnsOp::verify() { return verifyRowSize(*this, getType()); }

LogicalResult GatherRowOp::verify() {
  if (failed(verifyRowSize(*this, getType())))
    return failure();
  auto columns = cast<RankedTensorType>(getColumns().getType());
  if (columns.getShape() == getType().getShape())
    return success();
  return emitOpError("(C1) expected columns and the result to have one size "
                     "but got ")
         << columns << " and " << getType();
}

LogicalResult RopeOp::verify() {
  if (failed(verifyRowSize(*this, getType())))
    return failure();
  auto frequencies = cast<RankedTensorType>(getFrequencies().getType());
  int64_t first = static_cast<int64_t>(getFirst());
  int64_t width = getType().getDimSize(0);
  if (frequencies.isDynamicDim(0) || frequencies.getDimSize(0) < 1 ||
      first < 0 || first > width ||
      frequencies.getDimSize(0) > (width - first) / 2)
    return emitOpError("(C2) expected from 1 to ")
           << std::max<int64_t>(0, (width - first) / 2)
           << " frequencies for the pairs of a row of " << width
           << " from column " << first << " on but got " << frequencies
           << "; leave out the frequencies that have no columns";
  if (!getMagnitude().isFinite())
    return emitOpError("(C3) expected a finite magnitude");
  return success();
}

LogicalResult RmsNormOp::verify() {
  if (failed(verifyRowSize(*this, getType())))
    return failure();
  if (Value weight = getWeight(); weight && weight.getType() != getType())
    return emitOpError("(C2) expected the weight to be ")
           << getType() << " as the row is but got " << weight.getType();
  if (!getEps().isFinite() || (getEps().isNegative() && !getEps().isZero()))
    return emitOpError("(C3) expected eps to be finite and not negative");
  return success();
}

LogicalResult L2NormOp::verify() {
  if (failed(verifyRowSize(*this, getType())))
    return failure();
  // 1 over a subnormal number is ∞.
  if (!getEps().isNormal() || getEps().isNegative())
    return emitOpError("(C2) expected eps to be finite, positive and normal, "
                       "so that a row of zeros stays one");
  return success();
}

//===----------------------------------------------------------------------===//
// Expansions
//===----------------------------------------------------------------------===//

static Value splat(OpBuilder &builder, Location loc, Value scalar, Type row) {
  return tensor::SplatOp::create(builder, loc, scalar, row);
}

/// Σ x².
static Value squaredLength(OpBuilder &builder, Location loc, Value row) {
  return RowSumOp::create(builder, loc, builder.getF32Type(),
                          arith::MulFOp::create(builder, loc, row, row));
}

Value RmsNormOp::buildExpansion(OpBuilder &builder) {
  Location loc = getLoc();
  Type f32 = builder.getF32Type();
  Value mean = arith::MulFOp::create(
      builder, loc, squaredLength(builder, loc, getRow()),
      expansion::number(builder, loc, f32, 1.0 / getType().getDimSize(0)));
  Value root = math::SqrtOp::create(
      builder, loc,
      arith::AddFOp::create(
          builder, loc, mean,
          expansion::number(builder, loc, f32, getEps().convertToFloat())));
  Value factor = arith::DivFOp::create(
      builder, loc, expansion::number(builder, loc, f32, 1.0), root);
  Value result = arith::MulFOp::create(builder, loc, getRow(),
                                       splat(builder, loc, factor, getType()));
  if (!getWeight())
    return result;
  Type columnType =
      RankedTensorType::get(getType().getShape(), builder.getI32Type());
  Value weight =
      GatherRowOp::create(builder, loc, getType(), getWeight(),
                          ColumnsOp::create(builder, loc, columnType));
  return arith::MulFOp::create(builder, loc, result, weight);
}

Value L2NormOp::buildExpansion(OpBuilder &builder) {
  Location loc = getLoc();
  Type f32 = builder.getF32Type();
  Value length =
      math::SqrtOp::create(builder, loc, squaredLength(builder, loc, getRow()));
  length = arith::MaxNumFOp::create(
      builder, loc, length,
      expansion::number(builder, loc, f32, getEps().convertToFloat()));
  Value factor = arith::DivFOp::create(
      builder, loc, expansion::number(builder, loc, f32, 1.0), length);
  return arith::MulFOp::create(builder, loc, getRow(),
                               splat(builder, loc, factor, getType()));
}

/// y = m·(x·cos + x'·(± sin)) with x' the other column of the pair.
Value RopeOp::buildExpansion(OpBuilder &builder) {
  Location loc = getLoc();
  RankedTensorType row = getType();
  auto integers = RankedTensorType::get(row.getShape(), builder.getI32Type());
  int64_t pairs =
      cast<RankedTensorType>(getFrequencies().getType()).getDimSize(0);
  auto integer = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(integers,
                               Attribute(builder.getI32IntegerAttr(value))));
  };
  auto compare = [&](arith::CmpIPredicate predicate, Value a,
                     Value b) -> Value {
    return arith::CmpIOp::create(builder, loc, predicate, a, b);
  };
  auto select = [&](Value condition, Value a, Value b) -> Value {
    return arith::SelectOp::create(builder, loc, condition, a, b);
  };
  Value column = ColumnsOp::create(builder, loc, integers);
  Value place = arith::SubIOp::create(builder, loc, column,
                                      integer(getFirst())); // of the 2P
  Value isRotated =
      compare(arith::CmpIPredicate::ult, place, integer(2 * pairs));
  Value isFirst, number, other;
  if (getPairing() == Pairing::halves) {
    isFirst = compare(arith::CmpIPredicate::slt, place, integer(pairs));
    number = select(isFirst, place,
                    arith::SubIOp::create(builder, loc, place, integer(pairs)));
    other = arith::AddIOp::create(
        builder, loc, column, select(isFirst, integer(pairs), integer(-pairs)));
  } else {
    Value parity = arith::AndIOp::create(builder, loc, place, integer(1));
    isFirst = compare(arith::CmpIPredicate::eq, parity, integer(0));
    number = arith::ShRSIOp::create(builder, loc, place, integer(1));
    other = arith::AddIOp::create(builder, loc, column,
                                  select(isFirst, integer(1), integer(-1)));
  }
  Value omega =
      GatherRowOp::create(builder, loc, row, getFrequencies(), number);
  Value position = splat(
      builder, loc, expansion::indexToF32(builder, loc, getPosition()), row);
  auto [cos, sin] = expansion::cosSinOfProduct(builder, loc, omega, position);
  sin = select(isFirst, arith::NegFOp::create(builder, loc, sin), sin);
  Value partner = GatherRowOp::create(builder, loc, row, getRow(), other);
  Value rotated =
      math::FmaOp::create(builder, loc, getRow(), cos,
                          arith::MulFOp::create(builder, loc, partner, sin));
  double magnitude = getMagnitude().convertToDouble();
  if (magnitude != 1.0)
    rotated = arith::MulFOp::create(
        builder, loc, rotated, expansion::number(builder, loc, row, magnitude));
  return select(isRotated, rotated, getRow());
}
