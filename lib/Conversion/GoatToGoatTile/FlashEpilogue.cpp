//===- FlashEpilogue.cpp - from accumulated rows to the output ------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlashEpilogue.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace goat;
using namespace goat::tile;

namespace {

constexpr double log2e = 1.4426950408889634;

class Epilogue {
public:
  explicit Epilogue(FlashBlock &block)
      : block(block), attention(block.attention), kernel(block.kernel),
        builder(block.builder), tiles(block.tiles) {}

  LogicalResult build(Value output, OnlineSoftmax *softmax,
                      const OnlineSoftmax::State &rows);

private:
  void joinSink(Value sink, OnlineSoftmax::Total &total, Value &output);
  /// Rows of value: one to count from, the distance to each, and whether it is
  /// there.
  struct OwnRows {
    Value first, distance, exists;
  };
  OwnRows findOwnRows(Value index);
  FailureOr<Value> applyExclusion(Value row);
  void storeLse(Value maximum, Value sum, Value rowSees);

  FlashBlock &block;
  AttentionOp attention;
  KernelBuilder &kernel;
  OpBuilder &builder;
  TileBuilder &tiles;
};

/// The own rows: `index` where an own region gives it, else
/// position(i) − k_offset[b].
Epilogue::OwnRows Epilogue::findOwnRows(Value index) {
  OwnRows own;
  if (index) {
    // An index of 64 bits fits 32 where it exists.
    Value end = block.context.keyLength;
    const bool isWide = getElementTypeOrSelf(index.getType()).isInteger(64);
    own.exists = tiles.compare(arith::CmpIPredicate::ult, index,
                               isWide ? tiles.widen(end) : end);
    own.first = tiles.i32(0);
    own.distance =
        isWide ? builder.createOrFold<arith::TruncIOp>(
                     tiles.loc,
                     withElementType(cast<RankedTensorType>(index.getType()),
                                     builder.getI32Type()),
                     index)
               : index;
    return own;
  }
  own.first = tiles.create<arith::SubIOp>(
      tiles.create<arith::AddIOp>(block.firstQuery, block.context.queryOffset),
      block.context.keyOffset);
  own.distance = block.rowNumber;
  own.exists = tiles.conjunction(
      tiles.compare(arith::CmpIPredicate::sge, own.distance,
                    tiles.create<arith::SubIOp>(tiles.i32(0), own.first)),
      tiles.compare(
          arith::CmpIPredicate::slt, own.distance,
          tiles.create<arith::SubIOp>(block.context.keyLength, own.first)));
  return own;
}

/// The exclusion on finished rows. One that reads the own value leaves a row
/// without one as it was.
FailureOr<Value> Epilogue::applyExclusion(Value row) {
  Region &region = attention.getExclude();
  if (region.empty())
    return row;
  Coordinates at = block.coordinates();
  at.rowType = block.outputType;
  RegionEvaluator evaluator(attention, kernel, tiles, at);
  auto yielded = [](Region &body) {
    return cast<YieldOp>(body.front().getTerminator()).getValue();
  };
  evaluator.bind(region.getArgument(0), row);
  Value ownExists;
  if (!region.getArgument(1).use_empty()) {
    Value index;
    if (Region &ownRegion = attention.getOwn(); !ownRegion.empty()) {
      FailureOr<Value> given = evaluator.evaluate(yielded(ownRegion));
      if (failed(given))
        return failure();
      index = tiles.promote(*given, block.rowType);
    }
    ownExists = findOwnRows(index).exists;
    evaluator.bindLoaded(region.getArgument(1), [this, index]() -> Value {
      // From the block's indices on, which makes the load a new one.
      block.locate();
      OwnRows own = findOwnRows(index);
      Type element = block.elementType();
      return block.widen(block.valueMatrix(own.first).load(
          tiles, withElementType(block.outputType, element), own.distance,
          own.exists));
    });
  }
  FailureOr<Value> excluded = evaluator.evaluate(yielded(region));
  if (failed(excluded))
    return failure();
  if (!ownExists)
    return tiles.promote(*excluded, block.outputType);
  return tiles.create<arith::SelectOp>(
      tiles.promote(ownExists, block.outputType),
      tiles.promote(*excluded, block.outputType), row);
}

/// lse = ln2·(maximum + log2 sum), −∞ where the row saw nothing; `maximum` is
/// in units of log2.
void Epilogue::storeLse(Value maximum, Value sum, Value rowSees) {
  Value lse = tiles.create<arith::AddFOp>(
      tiles.create<arith::MulFOp>(maximum, tiles.f32(1.0 / log2e)),
      math::LogOp::create(builder, tiles.loc, sum).getResult());
  lse = tiles.create<arith::SelectOp>(
      rowSees, lse, tiles.f32(-std::numeric_limits<double>::infinity()));
  Value vector =
      matrixOf(tiles, kernel.output(1), block.context.batch, block.context.head,
               attention.getNumQueryHeads(), block.context.queryRows, 1);
  StoreOp::create(builder, tiles.loc, lse, vector, block.query,
                  block.queryExists);
}

/// The sink joins the row: a logit without a value.
void Epilogue::joinSink(Value sink, OnlineSoftmax::Total &total,
                        Value &output) {
  Value logit = LoadOp::create(builder, tiles.loc, builder.getF32Type(),
                               kernel.input(cast<BlockArgument>(sink)),
                               block.context.head, Value());
  Value exponent = tiles.create<arith::MulFOp>(logit, tiles.f32(log2e));
  Value joined = tiles.create<arith::MaxNumFOp>(total.reference, exponent);
  auto exp2 = [&](Value value) -> Value {
    return math::Exp2Op::create(builder, tiles.loc,
                                tiles.create<arith::SubFOp>(value, joined));
  };
  Value rescale = exp2(total.reference);
  total.sum = tiles.create<math::FmaOp>(
      total.sum, rescale, exp2(tiles.promote(exponent, block.rowType)));
  output = tiles.create<arith::MulFOp>(output, rescale);
  total.reference = joined;
}

LogicalResult Epilogue::build(Value output, OnlineSoftmax *softmax,
                              const OnlineSoftmax::State &rows) {
  // Computed again: alive across the loop they would cost registers there.
  block.locate();
  Value zero = tiles.f32(0.0);
  auto counts = [&](arith::CmpFPredicate predicate, Value value, Value than) {
    return tiles.conjunction(tiles.compare(predicate, value, than),
                             block.queryCounts);
  };
  OnlineSoftmax::Total total;
  Value rowSees, rowSeesKey;
  if (softmax) {
    total = softmax->finish(rows);
    // A row that saw nothing has sum 0 (and no NaN anywhere).
    rowSees = rowSeesKey = counts(arith::CmpFPredicate::UNE, total.sum, zero);
    if (Value sink = attention.getSink()) {
      joinSink(sink, total, output);
      rowSees = counts(arith::CmpFPredicate::UNE, total.sum, zero);
    }
    Value inverse = tiles.create<arith::DivFOp>(tiles.f32(1.0), total.sum);
    inverse = tiles.create<arith::SelectOp>(rowSees, inverse, zero);
    output = tiles.create<arith::MulFOp>(output, inverse);
  } else {
    rowSeesKey = counts(arith::CmpFPredicate::UGT, rows.reference,
                        tiles.f32(startOfMaximum));
  }

  FailureOr<Value> row = applyExclusion(output);
  if (failed(row))
    return failure();
  // Without an exclusion, y = 0 already where no key was seen.
  Value finished = tiles.create<arith::SelectOp>(
      tiles.promote(attention.getExclude().empty() ? block.queryCounts
                                                   : rowSeesKey,
                    block.outputType),
      *row, zero);

  block.outputMatrix().store(tiles, block.narrow(finished), block.query,
                             block.queryExists);
  if (attention.getLse())
    storeLse(total.reference, total.sum, rowSees);
  return success();
}

} // namespace

LogicalResult tile::buildFlashEpilogue(FlashBlock &block, Value output,
                                       OnlineSoftmax *softmax,
                                       const OnlineSoftmax::State &rows) {
  return Epilogue(block).build(output, softmax, rows);
}
