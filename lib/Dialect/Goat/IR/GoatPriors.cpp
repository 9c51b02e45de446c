//===- GoatPriors.cpp - ALiBi, sink, soft cap and buckets -----------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the ops of GoatPriors.td answer the questions of GoatInterfaces.td.
// Formulas: ALiBi, arXiv 2108.12409; GOAT, arXiv 2601.15380 and its package
// goat-attention 0.1.1; Gemma 2, arXiv 2408.00118; T5, arXiv 1910.10683.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"
#include "ParameterHead.h"
#include "Verifiers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <cmath>

using namespace mlir;
using namespace goat;
using goat::expansion::constantF32;
using goat::expansion::cosSinOfProduct;
using goat::expansion::indexToF32;

//===----------------------------------------------------------------------===//
// Shared
//===----------------------------------------------------------------------===//

Value goat::parameterHead(OpBuilder &builder, Location loc,
                          AttentionOp attention, int64_t heads, Value head) {
  if (heads == 1)
    return arith::ConstantIndexOp::create(builder, loc, 0);
  if (heads == attention.getNumQueryHeads())
    return head;
  return arith::DivUIOp::create(
      builder, loc, head,
      arith::ConstantIndexOp::create(builder, loc,
                                     attention.getNumQueryHeads() / heads));
}

/// That a parameter (H') fits the attention that the op stands in.
static LogicalResult verifyHeads(Operation *op, StringRef constraint,
                                 StringRef name, Type parameter) {
  auto attention = op->getParentOfType<AttentionOp>();
  int64_t heads = cast<RankedTensorType>(parameter).getDimSize(0);
  if (heads == 1 || heads == attention.getNumKeyHeads() ||
      heads == attention.getNumQueryHeads())
    return success();
  InFlightDiagnostic diagnostic =
      op->emitOpError("(") << constraint << ") expected " << name
                           << " to have 1, " << attention.getNumKeyHeads()
                           << " or " << attention.getNumQueryHeads()
                           << " heads but got " << parameter;
  diagnostic.attachNote(attention.getLoc()) << "the attention it belongs to";
  return diagnostic;
}

//===----------------------------------------------------------------------===//
// goat.alibi
//===----------------------------------------------------------------------===//

bool AlibiOp::isBounded() { return true; }

Value AlibiOp::buildExpansion(OpBuilder &outer) {
  ImplicitLocOpBuilder builder(getLoc(), outer);
  auto attention = (*this)->getParentOfType<AttentionOp>();
  auto constant = [&](float value) {
    return constantF32(builder, getLoc(), value);
  };
  Value slope;
  if (Value slopes = getSlopes()) {
    int64_t heads = cast<RankedTensorType>(slopes.getType()).getDimSize(0);
    Value row = parameterHead(builder, getLoc(), attention, heads, getHead());
    slope = tensor::ExtractOp::create(builder, slopes, row);
  } else {
    float step = -8.0f / static_cast<float>(attention.getNumQueryHeads());
    Value head = indexToF32(builder, getLoc(), getHead());
    slope = math::Exp2Op::create(
        builder,
        math::FmaOp::create(builder, head, constant(step), constant(step)));
  }
  Value distance = indexToF32(builder, getLoc(), getDelta());
  if (getSymmetric())
    distance = math::AbsFOp::create(builder, distance);
  return arith::MulFOp::create(builder, arith::NegFOp::create(builder, slope),
                               distance);
}

LogicalResult AlibiOp::verify() {
  if (failed(verifyInsideAttention(*this, "C2", "heads")))
    return failure();
  if (!getSlopes())
    return success();
  return verifyHeads(*this, "C1", "slopes", getSlopes().getType());
}

//===----------------------------------------------------------------------===//
// goat.sink_prior
//===----------------------------------------------------------------------===//

bool SinkPriorOp::isBounded() { return true; }

Value SinkPriorOp::buildExpansion(OpBuilder &outer) {
  ImplicitLocOpBuilder builder(getLoc(), outer);
  auto attention = (*this)->getParentOfType<AttentionOp>();
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, value);
  };
  auto at = [&](Value tensor, ValueRange indices) -> Value {
    return tensor::ExtractOp::create(builder, tensor, indices);
  };
  auto fma = [&](Value a, Value b, Value c) -> Value {
    return math::FmaOp::create(builder, a, b, c);
  };
  Value one = constantF32(builder, getLoc(), 1.0f),
        zero = constantF32(builder, getLoc(), 0.0f);
  Value position =
      arith::MaxSIOp::create(builder, getPosition(), index(0)).getResult();
  Value t = indexToF32(builder, getLoc(), position);

  SmallVector<Value> cosines, sines;
  auto omegaType = cast<RankedTensorType>(getOmega().getType());
  for (int64_t m = 0; m < omegaType.getDimSize(0); ++m) {
    auto [cos, sin] =
        cosSinOfProduct(builder, getLoc(), at(getOmega(), index(m)), t);
    cosines.push_back(cos);
    sines.push_back(sin);
  }
  SmallVector<Value> features(cosines);
  features.append(sines);
  features.push_back(arith::DivFOp::create(builder, t, getLength()));
  features.push_back(
      arith::DivFOp::create(builder, math::Log1pOp::create(builder, t),
                            math::Log1pOp::create(builder, getLength())));

  Value sum = at(getOutBias(), index(0));
  auto weightType = cast<RankedTensorType>(getHiddenWeight().getType());
  for (int64_t unit = 0; unit < weightType.getDimSize(0); ++unit) {
    Value hidden = at(getHiddenBias(), index(unit));
    for (auto [number, feature] : llvm::enumerate(features)) {
      Value place[] = {index(unit), index(number)};
      hidden = fma(at(getHiddenWeight(), place), feature, hidden);
    }
    Value power =
        math::ExpOp::create(builder, arith::NegFOp::create(builder, hidden));
    Value silu = arith::DivFOp::create(
        builder, hidden, arith::AddFOp::create(builder, one, power));
    sum = fma(at(getOutWeight(), index(unit)), silu, sum);
  }
  int64_t heads = cast<RankedTensorType>(getGain().getType()).getDimSize(0);
  Value row = parameterHead(builder, getLoc(), attention, heads, getHead());
  Value isFirst = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq,
                                        position, index(0));
  Value bump =
      arith::SelectOp::create(builder, isFirst, at(getBump(), row), zero);
  return fma(at(getGain(), row), sum, bump);
}

LogicalResult SinkPriorOp::verify() {
  if (failed(verifyInsideAttention(*this, "C3", "heads")))
    return failure();
  if (getGain().getType() != getBump().getType())
    return emitOpError("(C1) expected gain and bump to have one type but got ")
           << getGain().getType() << " and " << getBump().getType();
  if (failed(verifyHeads(*this, "C1", "gain", getGain().getType())))
    return failure();
  auto weight = cast<RankedTensorType>(getHiddenWeight().getType());
  auto omega = cast<RankedTensorType>(getOmega().getType());
  auto check = [&](StringRef name, Value operand,
                   ArrayRef<int64_t> shape) -> LogicalResult {
    auto type = cast<RankedTensorType>(operand.getType());
    if (type.hasStaticShape() && type.getShape() == shape)
      return success();
    return emitOpError("(C2) expected ")
           << name << " to be "
           << RankedTensorType::get(shape, type.getElementType()) << " but got "
           << type;
  };
  if (!weight.hasStaticShape() || !omega.hasStaticShape())
    return emitOpError("(C2) expected static shapes but got ")
           << weight << " and " << omega;
  int64_t units = weight.getDimSize(0);
  int64_t features = 2 * omega.getDimSize(0) + 2;
  if (failed(check("hidden_weight", getHiddenWeight(), {units, features})) ||
      failed(check("hidden_bias", getHiddenBias(), {units})) ||
      failed(check("out_weight", getOutWeight(), {units})))
    return failure();
  return check("out_bias", getOutBias(), {1});
}

//===----------------------------------------------------------------------===//
// goat.softcap
//===----------------------------------------------------------------------===//

bool SoftcapOp::isBounded() { return true; }

/// c·tanh(s/c), or c − 2c/(1 + 2^(2·log2 e·s/c)) with approximate quotients,
/// exact to 2 ulp; 2^x overflows to the infinity whose inverse is 0.
Value SoftcapOp::buildExpansion(OpBuilder &outer) {
  ImplicitLocOpBuilder builder(getLoc(), outer);
  auto attention = getOperation()->getParentOfType<AttentionOp>();
  bool isCoarse = attention && !attention.getLse() &&
                  attention.getQueryType().getElementType().isBF16();
  Value one = constantF32(builder, getLoc(), 1.0f);
  Value rate = builder.createOrFold<arith::DivFOp>(
      builder.getLoc(),
      isCoarse ? one : constantF32(builder, getLoc(), 2.88539008f), getCap());
  Value ratio = arith::MulFOp::create(builder, getScore(), rate);
  if (isCoarse) {
    auto tanh = math::TanhOp::create(builder, ratio);
    tanh.setFastmath(arith::FastMathFlags::afn);
    return arith::MulFOp::create(builder, tanh, getCap());
  }
  Value power = math::Exp2Op::create(builder, ratio);
  auto inverse = arith::DivFOp::create(
      builder, one, arith::AddFOp::create(builder, one, power));
  inverse.setFastmath(arith::FastMathFlags::afn);
  Value minusTwice = builder.createOrFold<arith::MulFOp>(
      builder.getLoc(), constantF32(builder, getLoc(), -2.0f), getCap());
  return math::FmaOp::create(builder, inverse, minusTwice, getCap());
}

//===----------------------------------------------------------------------===//
// goat.t5_bucket
//===----------------------------------------------------------------------===//

static int64_t numPerDirection(T5BucketOp op) {
  return static_cast<int32_t>(op.getBuckets()) /
         (op.getBidirectional() ? 2 : 1);
}

int64_t T5BucketOp::getNumExact() { return numPerDirection(*this) / 2; }

/// Bucket exact + k begins at exact·(max_distance/exact)^(k/coarse).
SmallVector<int64_t> T5BucketOp::getThresholds() {
  int64_t exact = getNumExact(), coarse = numPerDirection(*this) - exact;
  SmallVector<int64_t> thresholds;
  for (int64_t k = 1; k < coarse; ++k) {
    double begin =
        exact * std::pow(double(getMaxDistance()) / exact, double(k) / coarse);
    // A begin that is a whole number comes out of pow with an error.
    double whole = std::round(begin);
    bool isWhole = std::fabs(begin - whole) < 1e-9 * begin;
    thresholds.push_back(
        static_cast<int64_t>(isWhole ? whole : std::ceil(begin)));
  }
  return thresholds;
}

/// The number of thresholds that a distance has reached counts its bucket up.
Value T5BucketOp::buildExpansion(OpBuilder &outer) {
  ImplicitLocOpBuilder builder(getLoc(), outer);
  Type i32 = builder.getI32Type();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, builder.getI32IntegerAttr(value));
  };
  auto reached = [&](Value distance, int64_t threshold) -> Value {
    Value isReached = arith::CmpIOp::create(builder, arith::CmpIPredicate::sge,
                                            distance, constant(threshold));
    return arith::ExtUIOp::create(builder, i32, isReached);
  };
  Value delta = arith::IndexCastOp::create(builder, i32, getDelta());
  Value distance =
      getBidirectional()
          ? math::AbsIOp::create(builder, delta).getResult()
          : arith::MaxSIOp::create(builder, delta, constant(0)).getResult();
  Value bucket =
      arith::MinSIOp::create(builder, distance, constant(getNumExact()));
  for (int64_t threshold : getThresholds())
    bucket =
        arith::AddIOp::create(builder, bucket, reached(distance, threshold));
  if (getBidirectional()) {
    Value comesLater = arith::CmpIOp::create(builder, arith::CmpIPredicate::slt,
                                             delta, constant(0));
    bucket = arith::AddIOp::create(
        builder, bucket,
        arith::SelectOp::create(builder, comesLater,
                                constant(numPerDirection(*this)), constant(0)));
  }
  return arith::IndexCastOp::create(builder, builder.getIndexType(), bucket);
}

LogicalResult T5BucketOp::verify() {
  // Each bucket is a comparison in the expansion.
  constexpr int64_t mostBuckets = 512;
  auto buckets = static_cast<int32_t>(getBuckets()),
       farthest = static_cast<int32_t>(getMaxDistance());
  if (numPerDirection(*this) < 2 || buckets > mostBuckets ||
      (getBidirectional() && buckets % 2))
    return emitOpError("(C1) expected 2 to ")
           << mostBuckets
           << " buckets, an even number of at least 4 when bidirectional, but "
              "got "
           << buckets;
  if (farthest <= getNumExact())
    return emitOpError("(C2) expected max_distance to be more than ")
           << getNumExact()
           << ", the distances with a bucket of their own, but "
           << "got " << farthest;
  return success();
}
