//===- OnlineSoftmax.cpp - softmax over tiles that come in turn -----------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reference r of a row stands for a score m near the row's maximum. Weights
// take one fma each, 2^(score·κ − r) with r = round(m·κ): the rounding is the
// same for the whole row and cancels. A row whose maximum is so far out that
// 2^x could overflow on that rounding alone (a row of nothing but −1e25) takes
// its weights from the difference, 2^((score − m)·κ), which is exact where it
// matters, and keeps r = m·p, p the power of two at or above κ. Both kinds are
// told apart by the size of r.
//
//===----------------------------------------------------------------------===//

#include "OnlineSoftmax.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>

using namespace mlir;
using namespace goat;
using namespace goat::tile;

/// How far above the reference a score may be, in units of log2. The weights
/// stay below 2^9, well inside f16.
static constexpr double slack = 8.0;
/// From here on a product with κ is rounded to whole units.
static constexpr double farOut = 0x1p24;
/// The reference of a row that saw nothing: below all scores, and finite, so
/// that the loop needs no NaN guards.
static constexpr double nothing = -0x1p100;

/// Sums by the product stand in eight equal columns; others are what each
/// thread has added up for itself.
static RankedTensorType sumTypeOf(RankedTensorType score, RowSum rowSum) {
  int64_t warps = cast<MmaAttr>(score.getEncoding()).getWarps();
  Type f32 = score.getElementType();
  if (rowSum == RowSum::Product)
    return RankedTensorType::get({score.getDimSize(0), 8}, f32,
                                 score.getEncoding());
  return RankedTensorType::get({score.getDimSize(0), 4}, f32,
                               MmaPartialAttr::get(score.getContext(), warps));
}

OnlineSoftmax::OnlineSoftmax(TileBuilder &tiles, RankedTensorType scoreType,
                             double exponentScale, RowSum rowSum)
    : tiles(tiles), scoreType(scoreType),
      rowType(getSliceType(scoreType, 1, scoreType.getElementType())),
      sumType(sumTypeOf(scoreType, rowSum)), exponentScale(exponentScale),
      farScale(std::exp2(std::ceil(std::log2(exponentScale)))), rowSum(rowSum) {
}

Value OnlineSoftmax::exp2(Value value) {
  return math::Exp2Op::create(tiles.builder, tiles.loc, value);
}

Value OnlineSoftmax::isFarOut(Value reference) {
  Value size =
      math::AbsFOp::create(tiles.builder, tiles.loc, reference).getResult();
  return tiles.compare(arith::CmpFPredicate::OGE, size, tiles.f32(farOut));
}

OnlineSoftmax::Parts OnlineSoftmax::split(Value reference) {
  Value isFar = isFarOut(reference), zero = tiles.f32(0.0);
  Value far = tiles.create<arith::MulFOp>(reference, tiles.f32(1.0 / farScale));
  return {isFar, tiles.create<arith::SelectOp>(isFar, far, zero),
          tiles.create<arith::SelectOp>(isFar, zero, reference)};
}

Value OnlineSoftmax::convert(Value rows, Type type) {
  if (rows.getType() == type)
    return rows;
  return ConvertLayoutOp::create(tiles.builder, tiles.loc, type, rows);
}

Value OnlineSoftmax::any(Value rows) {
  return WarpAnyOp::create(tiles.builder, tiles.loc, tiles.builder.getI1Type(),
                           rows);
}

OnlineSoftmax::State OnlineSoftmax::start() {
  State state;
  state.reference = tiles.filledF32(nothing, rowType);
  state.sum = tiles.filledF32(0.0, sumType);
  state.isFar = tiles.constant(tiles.builder.getBoolAttr(false));
  return state;
}

/// Raises the references that a tile's maxima exceed. Not in the way of tiles
/// that raise none.
void OnlineSoftmax::raise(Value tileMaximum, State &state, Value &output) {
  Parts before = split(state.reference);
  Value scaled =
      tiles.create<arith::MulFOp>(tileMaximum, tiles.f32(exponentScale));
  Value rises = tiles.create<arith::SelectOp>(
      before.isFar,
      tiles.compare(arith::CmpFPredicate::OGT, tileMaximum, before.score),
      tiles.compare(
          arith::CmpFPredicate::OGT, scaled,
          tiles.create<arith::AddFOp>(state.reference, tiles.f32(slack))));
  Value zero = tiles.f32(0.0);
  Value isFar = isFarOut(scaled);
  auto partOf = [&](Value far, Value near, Value kept) {
    return tiles.create<arith::SelectOp>(
        rises, tiles.create<arith::SelectOp>(isFar, far, near), kept);
  };
  Value score = partOf(tileMaximum, zero, before.score);
  Value log2 = partOf(zero, scaled, before.log2);
  // Exact, as one of the two is 0.
  state.reference = tiles.create<math::FmaOp>(score, tiles.f32(farScale), log2);

  // Exactly 1 for a row that is not raised. Parts of one kind cancel exactly,
  // and of two kinds the fma rounds only the difference.
  Value rescale = exp2(tiles.create<math::FmaOp>(
      tiles.create<arith::SubFOp>(before.score, score),
      tiles.f32(exponentScale),
      tiles.create<arith::SubFOp>(before.log2, log2)));
  state.sum = tiles.create<arith::MulFOp>(
      state.sum,
      convert(rescale, getSliceType(sumType, 1, sumType.getElementType())));
  output = tiles.create<arith::MulFOp>(output, rescale);
  // A row that saw nothing needs no difference: all its scores are −∞.
  Value saw = tiles.compare(arith::CmpFPredicate::OGT, score,
                            tiles.f32(nothing / 2 / farScale));
  state.isFar = any(tiles.conjunction(
      saw, tiles.compare(arith::CmpFPredicate::UNE, score, zero)));
}

/// An scf.if that yields `values` changed by `then`, or as they are.
static void branch(TileBuilder &tiles, Value condition,
                   MutableArrayRef<Value> values,
                   llvm::function_ref<void(MutableArrayRef<Value>)> then) {
  SmallVector<Value> changed(values);
  SmallVector<Type> types(ValueRange(changed).getTypes());
  auto branch = scf::IfOp::create(tiles.builder, tiles.loc, types, condition,
                                  /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(tiles.builder);
    tiles.builder.setInsertionPointToStart(branch.thenBlock());
    then(changed);
    scf::YieldOp::create(tiles.builder, tiles.loc, changed);
    tiles.builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(tiles.builder, tiles.loc, ValueRange(values));
  }
  llvm::copy(branch.getResults(), values.begin());
}

Value OnlineSoftmax::weights(Value score, State &state, Value &output) {
  Value maximum = ReduceOp::create(tiles.builder, tiles.loc, rowType,
                                   Reduction::max, score, 1);
  Value excess = tiles.create<math::FmaOp>(
      maximum, tiles.f32(exponentScale),
      arith::NegFOp::create(tiles.builder, tiles.loc, state.reference)
          .getResult());
  Value rises =
      tiles.compare(arith::CmpFPredicate::OGT, excess, tiles.f32(slack));
  Value needsWork = tiles.create<arith::OrIOp>(any(rises), state.isFar);
  Value values[] = {state.reference, state.sum, state.isFar, output};
  branch(tiles, needsWork, values, [&](MutableArrayRef<Value> inside) {
    State raised{inside[0], inside[1], inside[2]};
    raise(maximum, raised, inside[3]);
    inside[0] = raised.reference;
    inside[1] = raised.sum;
    inside[2] = raised.isFar;
  });
  state = {values[0], values[1], values[2]};
  output = values[3];

  // The scores as they are, or relative to a reference that is far out.
  Value relative[] = {score, state.reference};
  branch(tiles, state.isFar, relative, [&](MutableArrayRef<Value> inside) {
    Parts parts = split(state.reference);
    inside[0] = tiles.create<arith::SubFOp>(score, parts.score);
    inside[1] = parts.log2;
  });
  Value minus = arith::NegFOp::create(tiles.builder, tiles.loc, relative[1]);
  Value weights = exp2(
      tiles.create<math::FmaOp>(relative[0], tiles.f32(exponentScale), minus));
  if (rowSum == RowSum::Exact)
    state.sum = tiles.create<arith::AddFOp>(
        state.sum,
        FoldOp::create(tiles.builder, tiles.loc, sumType, weights).getResult());
  return weights;
}

void OnlineSoftmax::addRounded(Value operand, State &state) {
  if (rowSum == RowSum::Product)
    state.sum = MmaRowSumOp::create(tiles.builder, tiles.loc, sumType, operand,
                                    state.sum);
}

OnlineSoftmax::Total OnlineSoftmax::finish(const State &state) {
  Total total;
  auto kind = rowSum == RowSum::Product ? Reduction::max : Reduction::sum;
  Type rows = getSliceType(sumType, 1, sumType.getElementType());
  total.sum = convert(
      ReduceOp::create(tiles.builder, tiles.loc, rows, kind, state.sum, 1),
      rowType);
  total.reference = tiles.create<arith::SelectOp>(
      isFarOut(state.reference),
      tiles.create<arith::MulFOp>(state.reference,
                                  tiles.f32(exponentScale / farScale)),
      state.reference);
  return total;
}
