//===- RegionBuilder.cpp - expressions as regions of an attention ---------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionBuilder.h"

#include "goat/Dialect/Goat/IR/GoatDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace goat;
using namespace goat::raise;

Value RegionBuilder::buildIndex(AffineExpr expression) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return arith::ConstantIndexOp::create(builder, loc, constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expression)) {
    Value value = variables.lookup(dim.getPosition());
    return value ? value
                 : fail("it depends on an index the region does not have");
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expression);
  if (!binary)
    return fail("it has an index that is no affine function");
  AffineExpr right = binary.getRHS();
  // a + −1·b is a − b.
  if (expression.getKind() == AffineExprKind::Add)
    for (bool isSwapped : {false, true}) {
      AffineExpr minuend = isSwapped ? binary.getRHS() : binary.getLHS(),
                 rest = isSwapped ? binary.getLHS() : binary.getRHS();
      if (auto constant = dyn_cast<AffineConstantExpr>(rest);
          constant ? constant.getValue() < 0
                   : rest.getKind() == AffineExprKind::Mul &&
                         isa<AffineConstantExpr>(
                             cast<AffineBinaryOpExpr>(rest).getRHS()) &&
                         cast<AffineConstantExpr>(
                             cast<AffineBinaryOpExpr>(rest).getRHS())
                                 .getValue() < 0) {
        Value a = buildIndex(minuend), b = buildIndex(-rest);
        return a && b ? arith::SubIOp::create(builder, loc, a, b).getResult()
                      : Value();
      }
    }
  Value a = buildIndex(binary.getLHS()), b = buildIndex(right);
  if (!a || !b)
    return {};
  switch (expression.getKind()) {
  case AffineExprKind::Add:
    return arith::AddIOp::create(builder, loc, a, b);
  case AffineExprKind::Mul:
    return arith::MulIOp::create(builder, loc, a, b);
  case AffineExprKind::FloorDiv:
    return arith::FloorDivSIOp::create(builder, loc, a, b);
  case AffineExprKind::CeilDiv:
    return arith::CeilDivSIOp::create(builder, loc, a, b);
  case AffineExprKind::Mod:
    return arith::RemUIOp::create(builder, loc, a, b);
  default:
    return fail("it has an index that is no affine function");
  }
}

/// Floating-point values are f32 in a region.
Value RegionBuilder::widened(Value value) {
  auto type = dyn_cast<FloatType>(value.getType());
  if (!type || type.isF32())
    return value;
  if (type.getWidth() < 32)
    return arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
  return arith::TruncFOp::create(builder, loc, builder.getF32Type(), value);
}

Value RegionBuilder::build(const Element *element) {
  if (Value known = values.lookup(element))
    return known;
  Value value;
  switch (element->kind) {
  case ElementKind::constant:
    if (std::optional<double> number = element->number())
      value = arith::ConstantOp::create(
          builder, loc, builder.getF32FloatAttr(static_cast<float>(*number)));
    else
      value = arith::ConstantOp::create(builder, loc,
                                        cast<TypedAttr>(element->constant));
    break;
  case ElementKind::index:
    value = buildIndex(element->index);
    if (value && !element->type.isIndex())
      value = arith::IndexCastOp::create(builder, loc, element->type, value);
    break;
  case ElementKind::scalar:
    value = widened(element->value);
    break;
  case ElementKind::load:
    value = buildLoad(element);
    break;
  case ElementKind::operation:
    value = buildOperation(element);
    break;
  case ElementKind::reduction:
    value = buildReduction(element);
    break;
  }
  if (value)
    values[element] = value;
  return value;
}

Value RegionBuilder::buildLoad(const Element *element) {
  SmallVector<Value> indices;
  for (const Element *at : element->operands) {
    Value index = build(at);
    if (!index)
      return {};
    if (!index.getType().isIndex())
      index = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                         index);
    indices.push_back(index);
  }
  return widened(
      tensor::ExtractOp::create(builder, loc, element->value, indices));
}

Value RegionBuilder::buildRow(const Element *element) {
  Value value = build(element);
  if (!value || isa<RankedTensorType>(value.getType()))
    return value;
  return tensor::SplatOp::create(
      builder, loc, RankedTensorType::get({rowWidth}, value.getType()), value);
}

Value RegionBuilder::buildOperation(const Element *element) {
  StringRef name = element->opName();
  if (name == "arith.extf" || name == "arith.truncf")
    return build(element->operands[0]);
  bool row = isRow(element);
  // Two indices are compared as such.
  bool comparesIndices =
      name == "arith.cmpi" && !row &&
      llvm::all_of(element->operands, [](const Element *operand) {
        return operand->kind == ElementKind::index;
      });
  SmallVector<Value> operands;
  for (const Element *operand : element->operands) {
    Value value = comparesIndices ? buildIndex(operand->index)
                  : row           ? buildRow(operand)
                                  : build(operand);
    if (!value)
      return {};
    operands.push_back(value);
  }
  Type type = element->type;
  if (isa<FloatType>(type))
    type = builder.getF32Type();
  if (row)
    type = RankedTensorType::get({rowWidth}, type);
  OperationState state(loc, *element->name, operands, TypeRange{type});
  state.addAttributes(element->attributes.getValue());
  return builder.create(state)->getResult(0);
}

Value RegionBuilder::buildReduction(const Element *element) {
  if (!graph)
    return buildSum(element);
  ReductionBody body = graph->bodyOf(element);
  if (!body.element || body.variables.size() != 1 ||
      graph->sizeOf(body.variables[0]) != rowWidth)
    return fail("it has a reduction over something else than a row");
  const Element *over = graph->substitute(
      body.element, {{body.variables[0], graph->variable(rowVariable)}});
  Value row = buildRow(over);
  if (!row)
    return {};
  if (element->combiner == Combiner::add)
    return RowSumOp::create(builder, loc, builder.getF32Type(), row);
  return RowMaxOp::create(builder, loc, builder.getF32Type(), row);
}

Value RegionBuilder::buildSum(const Element *element) {
  // More terms than this cost more than reading what the graph has computed.
  constexpr int64_t mostTerms = 16;
  if (!sums || isa<linalg::SoftmaxOp>(element->value.getDefiningOp()))
    return fail("it has a reduction beside the product of query and key");
  if (!element->dependsOn(queryVariable) || !element->dependsOn(keyVariable) ||
      element->combiner != Combiner::add)
    return buildLoad(element);
  ReductionBody body = sums->bodyOf(element);
  int64_t terms = body.element && body.variables.size() == 1
                      ? sums->sizeOf(body.variables[0])
                      : ShapedType::kDynamic;
  if (ShapedType::isDynamic(terms) || terms > mostTerms)
    return buildLoad(element);
  Value sum;
  for (int64_t term = 0; term < terms; ++term) {
    const Element *at =
        sums->index(getAffineConstantExpr(term, builder.getContext()));
    Value value =
        build(sums->substitute(body.element, {{body.variables[0], at}}));
    if (!value)
      return {};
    sum = sum ? arith::AddFOp::create(builder, loc, sum, value).getResult()
              : value;
  }
  return sum;
}
