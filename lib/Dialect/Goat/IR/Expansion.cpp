//===- Expansion.cpp - pieces of plug-ins' expansions ---------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

Value goat::expansion::number(OpBuilder &builder, Location loc, Type type,
                              double value) {
  TypedAttr attribute = builder.getF32FloatAttr(value);
  if (auto row = dyn_cast<RankedTensorType>(type))
    attribute = DenseElementsAttr::get(row, Attribute(attribute));
  return arith::ConstantOp::create(builder, loc, attribute);
}

Value goat::expansion::constantF32(OpBuilder &builder, Location loc,
                                   float value) {
  return number(builder, loc, builder.getF32Type(), value);
}

Value goat::expansion::indexToF32(OpBuilder &builder, Location loc,
                                  Value index) {
  Value narrow =
      arith::IndexCastOp::create(builder, loc, builder.getI32Type(), index);
  return arith::SIToFPOp::create(builder, loc, builder.getF32Type(), narrow);
}

std::pair<Value, Value> goat::expansion::cosSinOfProduct(OpBuilder &builder,
                                                         Location loc,
                                                         Value omega,
                                                         Value delta) {
  auto constant = [&](double value) {
    return number(builder, loc, omega.getType(), value);
  };
  Value high = arith::MulFOp::create(builder, loc, omega, delta);
  Value minusHigh = arith::NegFOp::create(builder, loc, high);
  Value low = math::FmaOp::create(builder, loc, omega, delta, minusHigh);
  Value turns = math::RoundEvenOp::create(
      builder, loc,
      arith::MulFOp::create(builder, loc, high, constant(0.15915494309189535)));
  // 2π = 6.2831854820251465 − 1.7484556e-7, each part rounded to f32.
  Value angle = math::FmaOp::create(builder, loc, turns,
                                    constant(-6.2831854820251465), high);
  angle = math::FmaOp::create(builder, loc, turns,
                              constant(1.7484556000744883e-7), angle);
  angle = arith::AddFOp::create(builder, loc, angle, low);
  auto reduced = arith::FastMathFlags::afn;
  Value cos = math::CosOp::create(builder, loc, angle, reduced);
  Value sin = math::SinOp::create(builder, loc, angle, reduced);
  return {cos, sin};
}
