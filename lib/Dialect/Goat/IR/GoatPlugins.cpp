//===- GoatPlugins.cpp - answers of the dialect's own plug-ins ------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How goat's priors and exclusions answer the questions of
// GoatInterfaces.td. Formulas: GOAT, arXiv 2601.15380; XSA, arXiv 2603.09078.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"
#include "ParameterHead.h"
#include "goat/Dialect/Goat/IR/GoatDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace goat;
using goat::expansion::constantF32;

/// Indices [b,] h' that lead to the row of a (H', …) or (B, H', …) parameter
/// for query head `head`.
static SmallVector<Value> parameterRow(OpBuilder &builder, Location loc,
                                       AttentionOp attention,
                                       RankedTensorType type, Value batch,
                                       Value head) {
  Value row = parameterHead(builder, loc, attention,
                            type.getDimSize(type.getRank() - 2), head);
  if (type.getRank() == 3)
    return {batch, row};
  return {row};
}

//===----------------------------------------------------------------------===//
// goat.fourier_prior
//===----------------------------------------------------------------------===//

/// |prior| ≤ Σ_r |α_r| + |β_r|.
bool FourierPriorOp::isBounded() { return true; }

Value FourierPriorOp::buildExpansion(OpBuilder &builder) {
  Location loc = getLoc();
  auto type = cast<RankedTensorType>(getAlpha().getType());
  SmallVector<Value> row =
      parameterRow(builder, loc, (*this)->getParentOfType<AttentionOp>(), type,
                   getBatch(), getHead());
  Value delta = expansion::indexToF32(builder, loc, getDelta());
  Value sum;
  for (int64_t r = 0, count = type.getDimSize(type.getRank() - 1); r < count;
       ++r) {
    Value harmonic = arith::ConstantIndexOp::create(builder, loc, r);
    SmallVector<Value> at(row);
    at.push_back(harmonic);
    Value alpha = tensor::ExtractOp::create(builder, loc, getAlpha(), at);
    Value beta = tensor::ExtractOp::create(builder, loc, getBeta(), at);
    Value omega = tensor::ExtractOp::create(builder, loc, getOmega(), harmonic);
    auto [cos, sin] = expansion::cosSinOfProduct(builder, loc, omega, delta);
    sum = sum ? math::FmaOp::create(builder, loc, alpha, cos, sum).getResult()
              : arith::MulFOp::create(builder, loc, alpha, cos).getResult();
    sum = math::FmaOp::create(builder, loc, beta, sin, sum);
  }
  return sum;
}

//===----------------------------------------------------------------------===//
// goat.key_prior
//===----------------------------------------------------------------------===//

Value KeyPriorOp::buildExpansion(OpBuilder &builder) {
  auto type = cast<RankedTensorType>(getTable().getType());
  SmallVector<Value> at =
      parameterRow(builder, getLoc(), (*this)->getParentOfType<AttentionOp>(),
                   type, getBatch(), getHead());
  at.push_back(getKey());
  return tensor::ExtractOp::create(builder, getLoc(), getTable(), at);
}

//===----------------------------------------------------------------------===//
// goat.xsa
//===----------------------------------------------------------------------===//

bool XsaOp::isLinear() { return true; }

/// z = y − a·c·v with c = (y·v)/guarded ‖v‖². The quotient is one division, so
/// that y = v gives c = 1 and z = (1 − a)·y exactly.
Value XsaOp::buildExpansion(OpBuilder &builder) {
  Location loc = getLoc();
  Value row = getRow(), own = getOwn();
  Value dot = RowSumOp::create(builder, loc, builder.getF32Type(),
                               arith::MulFOp::create(builder, loc, row, own));
  Value norm = RowSumOp::create(builder, loc, builder.getF32Type(),
                                arith::MulFOp::create(builder, loc, own, own));
  Value eps = constantF32(builder, loc, getEps().convertToFloat());
  Value zero = constantF32(builder, loc, 0.0f);
  Value coefficient;
  switch (getEpsMode()) {
  case EpsMode::clamp:
    coefficient = arith::DivFOp::create(
        builder, loc, dot, arith::MaxNumFOp::create(builder, loc, norm, eps));
    break;
  case EpsMode::add:
    coefficient = arith::DivFOp::create(
        builder, loc, dot, arith::AddFOp::create(builder, loc, norm, eps));
    break;
  case EpsMode::where: {
    Value positive = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::OGT, norm, zero);
    coefficient = arith::SelectOp::create(
        builder, loc, positive, arith::DivFOp::create(builder, loc, dot, norm),
        zero);
    break;
  }
  }
  if (getStrength())
    coefficient =
        arith::MulFOp::create(builder, loc, coefficient, getStrength());
  Value minus = arith::NegFOp::create(builder, loc, coefficient);
  Value spread = tensor::SplatOp::create(builder, loc, minus, row.getType());
  return math::FmaOp::create(builder, loc, spread, own, row);
}
