//===- ForeignDialect.cpp - plug-ins of somebody else ---------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the ops of the foreign dialect answer when goat asks them.
//
//===----------------------------------------------------------------------===//

#include "ForeignDialect.h"

#include "goat/Dialect/Goat/IR/GoatDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace foreign;

#include "ForeignDialect.cpp.inc"

#define GET_OP_CLASSES
#include "ForeignOps.cpp.inc"

void ForeignDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "ForeignOps.cpp.inc"
      >();
}

static Value constantF32(ImplicitLocOpBuilder &builder, float value) {
  return arith::ConstantOp::create(builder, builder.getF32FloatAttr(value));
}

static Value constantIndex(ImplicitLocOpBuilder &builder, int64_t value) {
  return arith::ConstantIndexOp::create(builder, value);
}

/// An index as f32.
static Value toF32(ImplicitLocOpBuilder &builder, Value index) {
  Value integer =
      arith::IndexCastOp::create(builder, builder.getI32Type(), index);
  return arith::SIToFPOp::create(builder, builder.getF32Type(), integer);
}

//===----------------------------------------------------------------------===//
// Priors
//===----------------------------------------------------------------------===//

Value KerpleOp::buildExpansion(OpBuilder &outer) {
  ImplicitLocOpBuilder builder(getLoc(), outer);
  Value distance = math::AbsFOp::create(builder, toF32(builder, getDistance()));
  Value argument = math::FmaOp::create(builder, getA(), distance,
                                       constantF32(builder, 1.0f));
  Value logarithm = math::LogOp::create(builder, argument);
  return arith::NegFOp::create(
      builder, arith::MulFOp::create(builder, getP(), logarithm));
}

Value BucketPriorOp::buildExpansion(OpBuilder &outer) {
  ImplicitLocOpBuilder builder(getLoc(), outer);
  int64_t size = cast<RankedTensorType>(getTable().getType()).getDimSize(1);
  Value bucket =
      arith::MaxSIOp::create(builder, getDistance(), constantIndex(builder, 0));
  bucket =
      arith::MinSIOp::create(builder, bucket, constantIndex(builder, size - 1));
  return tensor::ExtractOp::create(builder, getTable(),
                                   ValueRange{getHead(), bucket});
}

LogicalResult BucketPriorOp::verify() {
  if (cast<RankedTensorType>(getTable().getType()).hasStaticShape())
    return success();
  return emitOpError("expected a table of static shape but got ")
         << getTable().getType();
}

/// The coordinates are not operands, so the default, the operands' union, would
/// miss them.
goat::Dependence RecencyOp::getDependence(ArrayRef<goat::Dependence> operands) {
  return goat::uniteDependence(operands) | goat::Dependence::Relative |
         goat::Dependence::Batch;
}

Value RecencyOp::buildExpansion(OpBuilder &outer) {
  ImplicitLocOpBuilder builder(getLoc(), outer);
  // (score, batch, head, query, key)
  auto coordinates = (*this)->getParentRegion()->getArguments();
  Value distance =
      goat::DistanceOp::create(builder, builder.getIndexType(), coordinates[1],
                               coordinates[3], coordinates[4]);
  return arith::NegFOp::create(
      builder,
      arith::MulFOp::create(builder, getSlope(), toF32(builder, distance)));
}

LogicalResult RecencyOp::verify() {
  auto attention = dyn_cast<goat::AttentionOp>((*this)->getParentOp());
  if (attention && (*this)->getParentRegion() == &attention.getScore())
    return success();
  return emitOpError("expected to stand in the score region of goat.attention, "
                     "whose coordinates it reads");
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

Value WindowMaskOp::buildExpansion(OpBuilder &outer) {
  ImplicitLocOpBuilder builder(getLoc(), outer);
  Type i32 = builder.getI32Type();
  Value distance = arith::IndexCastOp::create(
      builder, i32,
      goat::DistanceOp::create(builder, builder.getIndexType(), getBatch(),
                               getQuery(), getKey()));
  Value zero = arith::ConstantOp::create(builder, builder.getI32IntegerAttr(0));
  Value least = arith::SubIOp::create(builder, zero, getRight());
  Value notBefore = arith::CmpIOp::create(builder, arith::CmpIPredicate::sle,
                                          distance, getLeft());
  Value notAfter = arith::CmpIOp::create(builder, arith::CmpIPredicate::sge,
                                         distance, least);
  return arith::AndIOp::create(builder, notBefore, notAfter);
}

/// Query position p sees the key positions [p − left, p + right]. So a block
/// [begin, end) of them sees nothing outside [begin − left, end − 1 + right],
/// and every one of them sees [end − 1 − left, begin + right].
goat::KeyRange WindowMaskOp::buildKeyRange(OpBuilder &outer,
                                           const goat::QueryBlock &block) {
  Value left = block.lookup(getLeft()), right = block.lookup(getRight());
  if (!left || !right || !block.isAbout(getBatch(), getQuery(), getKey()))
    return {};
  ImplicitLocOpBuilder builder(getLoc(), outer);
  Value one = arith::ConstantOp::create(
      builder, builder.getIntegerAttr(block.positionBegin.getType(), 1));
  auto plus = [&](Value a, Value b) -> Value {
    return arith::AddIOp::create(builder, a, b);
  };
  auto minus = [&](Value a, Value b) -> Value {
    return arith::SubIOp::create(builder, a, b);
  };
  goat::KeyRange range;
  range.visibleBegin = minus(block.positionBegin, left);
  range.visibleEnd = plus(block.positionEnd, right);
  range.fullBegin = minus(minus(block.positionEnd, one), left);
  range.fullEnd = plus(plus(block.positionBegin, right), one);
  return range;
}

Value DilatedMaskOp::buildExpansion(OpBuilder &outer) {
  ImplicitLocOpBuilder builder(getLoc(), outer);
  Value rest = arith::RemSIOp::create(builder, getDistance(),
                                      constantIndex(builder, getDilation()));
  return arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, rest,
                               constantIndex(builder, 0));
}

LogicalResult DilatedMaskOp::verify() {
  if (getDilation() > 0)
    return success();
  return emitOpError("expected a positive dilation but got ")
         << static_cast<int64_t>(getDilation());
}

//===----------------------------------------------------------------------===//
// Exclusions
//===----------------------------------------------------------------------===//

bool RemoveMeanOp::isLinear() { return true; }

Value RemoveMeanOp::buildExpansion(OpBuilder &outer) {
  ImplicitLocOpBuilder builder(getLoc(), outer);
  auto type = cast<RankedTensorType>(getRow().getType());
  Value sum = goat::RowSumOp::create(builder, builder.getF32Type(), getRow());
  Value mean = arith::DivFOp::create(builder, sum,
                                     constantF32(builder, type.getDimSize(0)));
  Value everywhere = tensor::SplatOp::create(builder, mean, type);
  return arith::SubFOp::create(builder, getRow(), everywhere);
}

Value GatedXsaOp::buildExpansion(OpBuilder &outer) {
  ImplicitLocOpBuilder builder(getLoc(), outer);
  auto dot = [&](Value a, Value b) -> Value {
    return goat::RowSumOp::create(builder, builder.getF32Type(),
                                  arith::MulFOp::create(builder, a, b));
  };
  Value one = constantF32(builder, 1.0f), zero = constantF32(builder, 0.0f);
  Value gate = arith::DivFOp::create(
      builder, one,
      arith::AddFOp::create(
          builder, one,
          math::ExpOp::create(builder,
                              arith::NegFOp::create(builder, getGate()))));
  Value component =
      arith::MaximumFOp::create(builder, dot(getRow(), getOwn()), zero);
  Value norm = arith::AddFOp::create(builder, dot(getOwn(), getOwn()),
                                     constantF32(builder, 1e-6f));
  Value share = arith::MulFOp::create(
      builder, gate, arith::DivFOp::create(builder, component, norm));
  Value everywhere =
      tensor::SplatOp::create(builder, share, getRow().getType());
  return arith::SubFOp::create(
      builder, getRow(), arith::MulFOp::create(builder, everywhere, getOwn()));
}
