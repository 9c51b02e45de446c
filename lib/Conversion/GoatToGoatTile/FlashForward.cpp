//===- FlashForward.cpp - the flash_mma schedule --------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One block per tile of query rows of one head. Key and value tiles arrive
// through a ring of stages while earlier ones are worked on; the softmax is
// online (FlashAttention, arXiv 2205.14135, 2307.08691). What is particular to
// a prior, mask or exclusion is asked through its interface.
//
// The loop over key tiles is cut in up to three, so that only tiles a mask
// calls partial evaluate it.
//
//===----------------------------------------------------------------------===//

#include "FlashForward.h"

#include "AttentionContext.h"
#include "KeyTiles.h"
#include "OnlineSoftmax.h"
#include "RegionEvaluator.h"
#include "ScoreTile.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace goat;
using namespace goat::tile;

namespace {

constexpr double log2e = 1.4426950408889634;
/// Below every score: where the maximum of a row of sigmoid weights starts.
constexpr double startOfMaximum = -0x1p126;

/// What a step of the loop hands to the next: the accumulated output, the state
/// of the normaliser, and the copies under way.
struct Carried {
  Value output;
  OnlineSoftmax::State rows;
  SmallVector<Value> groups;

  SmallVector<Value> flatten() const {
    SmallVector<Value> values = {output, rows.reference};
    if (rows.sum)
      values.append({rows.sum, rows.isFar});
    values.append(groups);
    return values;
  }
  /// The inverse, for values that stand for those of `like`.
  static Carried unflatten(ValueRange values, const Carried &like) {
    Carried carried;
    carried.output = values[0];
    carried.rows.reference = values[1];
    values = values.drop_front(2);
    if (like.rows.sum) {
      carried.rows.sum = values[0];
      carried.rows.isFar = values[1];
      values = values.drop_front(2);
    }
    carried.groups.assign(values.begin(), values.end());
    return carried;
  }
};

class FlashForward {
public:
  FlashForward(AttentionOp attention, ScheduleAttr schedule,
               KernelBuilder &kernel, OpBuilder &builder)
      : attention(attention), schedule(schedule), kernel(kernel),
        builder(builder), tiles(builder, attention.getLoc()) {}

  LogicalResult build();

private:
  void buildTypes();
  void buildCoordinates();
  Value matrix(Value tensor, Value firstRow = {});
  void buildBuffers();
  IntegerAttr columnsOf(int64_t width);
  Value copyTile(Value matrix, Value firstRow, Value rows, int64_t width,
                 Value buffer);
  Value stage(Value ring, Value number);
  Value copyTiles(Value number, Value extraToken, bool isFirst);
  /// How many tiles the block has worked on before this one.
  Value ordinalOf(Value number) {
    return tiles.create<arith::SubIOp>(number, keyTiles.begin);
  }
  LogicalResult generateNext(Value number);
  LogicalResult step(Value number, bool isPartial, Carried &carried);
  LogicalResult loop(Value begin, Value end, bool isPartial, Carried &carried);
  bool isSoftmax() { return attention.getNormalizer() == Normalizer::softmax; }
  Value raisedMaximum(Value score, Value maximum);
  Value sigmoidWeights(Value score);
  void joinSink(Value sink, OnlineSoftmax::Total &total, Value &output);
  FailureOr<Value> applyMask(Value score, const Coordinates &at);
  /// Rows of value: one to count from, the distance to each, and whether it is
  /// there.
  struct OwnRows {
    Value first, distance, exists;
  };
  OwnRows findOwnRows(Value index);
  FailureOr<Value> applyExclusion(Value row);
  LogicalResult finish(Carried carried);
  void storeLse(Value maximum, Value sum, Value rowSees);

  AttentionOp attention;
  ScheduleAttr schedule;
  KernelBuilder &kernel;
  OpBuilder &builder;
  TileBuilder tiles;
  AttentionContext context;

  RankedTensorType scoreType, outputType, rowType;
  Value firstQuery;
  /// Query rows of the block, counted in it and in the tensor; which of them
  /// the tensor has, and which count.
  Value rowNumber, query, queryExists, queryCounts;
  Value keyMatrix, valueMatrix;
  Value queryBuffer, keyRing, valueRing;
  KeyTiles keyTiles;
  std::optional<ScoreTile> scores;
  /// Logit of a score in units of log2.
  double exponentScale = 1.0;
  std::optional<OnlineSoftmax> softmax;
};

void FlashForward::buildTypes() {
  MLIRContext *context = builder.getContext();
  auto encoding = MmaAttr::get(context, schedule.getWarps());
  Type f32 = builder.getF32Type();
  scoreType = RankedTensorType::get({schedule.getRows(), schedule.getKeys()},
                                    f32, encoding);
  outputType = RankedTensorType::get(
      {schedule.getRows(), paddedHeadDim(attention.getValueDim())}, f32,
      encoding);
  rowType = getSliceType(scoreType, 1, f32);
}

void FlashForward::buildCoordinates() {
  auto blockIndex = [&](int64_t axis) -> Value {
    return BlockIndexOp::create(builder, tiles.loc, axis);
  };
  // The last rows first: under a causal mask they see the most keys, and short
  // blocks fill what long ones leave at the end.
  Value block = tiles.create<arith::SubIOp>(
      tiles.create<arith::DivUIOp>(
          tiles.create<arith::AddIOp>(kernel.dim(attention.getQuery(), 2),
                                      tiles.i32(schedule.getRows() - 1)),
          tiles.i32(schedule.getRows())),
      tiles.create<arith::AddIOp>(blockIndex(0), tiles.i32(1)));
  context =
      buildContext(attention, kernel, tiles, blockIndex(2), blockIndex(1));
  firstQuery =
      tiles.create<arith::MulIOp>(block, tiles.i32(schedule.getRows()));
  rowNumber = IotaOp::create(builder, tiles.loc,
                             withElementType(rowType, builder.getI32Type()));
  query = tiles.create<arith::AddIOp>(rowNumber, firstQuery);
  queryExists =
      tiles.compare(arith::CmpIPredicate::slt, query, context.queryRows);
  queryCounts =
      tiles.compare(arith::CmpIPredicate::slt, query, context.queryLength);
}

/// The matrix of this block's batch entry in query, key or value, from a row
/// on.
Value FlashForward::matrix(Value tensor, Value firstRow) {
  bool isQuery = tensor == attention.getQuery();
  auto type = cast<RankedTensorType>(tensor.getType());
  return matrixOf(tiles, kernel.input(cast<BlockArgument>(tensor)),
                  context.batch, isQuery ? context.head : context.keyHead,
                  type.getDimSize(1),
                  isQuery ? context.queryRows : context.keyRows,
                  type.getDimSize(3), firstRow);
}

void FlashForward::buildBuffers() {
  MLIRContext *context = builder.getContext();
  Type element = attention.getQueryType().getElementType();
  auto alloc = [&](ArrayRef<int64_t> shape) -> Value {
    return AllocOp::create(builder, tiles.loc,
                           BufferType::get(context, shape, element, true),
                           IntegerAttr());
  };
  queryBuffer =
      alloc({schedule.getRows(), paddedHeadDim(attention.getHeadDim())});
  keyRing = alloc({schedule.getStages(), schedule.getKeys(),
                   paddedHeadDim(attention.getHeadDim())});
  valueRing = alloc({schedule.getStages(), schedule.getKeys(),
                     paddedHeadDim(attention.getValueDim())});
}

/// How many columns of a padded tile are there in memory; null when all are.
IntegerAttr FlashForward::columnsOf(int64_t width) {
  return paddedHeadDim(width) == width ? IntegerAttr()
                                       : builder.getI64IntegerAttr(width);
}

Value FlashForward::copyTile(Value matrix, Value firstRow, Value rows,
                             int64_t width, Value buffer) {
  return CopyAsyncOp::create(
      builder, tiles.loc, TokenType::get(builder.getContext()), matrix,
      firstRow, rows, tiles.i64(width), buffer, columnsOf(width));
}

Value FlashForward::stage(Value ring, Value number) {
  Value slot =
      tiles.create<arith::RemUIOp>(number, tiles.i32(schedule.getStages()));
  return StageOp::create(builder, tiles.loc,
                         cast<BufferType>(ring.getType()).getStageType(), ring,
                         slot);
}

/// Starts the copies of a key tile, its values and what its scores read, as one
/// group together with `extraToken` when there is one.
Value FlashForward::copyTiles(Value number, Value extraToken, bool isFirst) {
  Value firstKey =
      tiles.create<arith::MulIOp>(number, tiles.i32(schedule.getKeys()));
  SmallVector<Value> tokens;
  if (extraToken)
    tokens.push_back(extraToken);
  tokens.push_back(copyTile(keyMatrix, firstKey, keyTiles.rowEnd,
                            attention.getHeadDim(), stage(keyRing, number)));
  tokens.push_back(copyTile(valueMatrix, firstKey, keyTiles.rowEnd,
                            attention.getValueDim(), stage(valueRing, number)));
  if (Value strip = scores->copy(
          tiles, number, ordinalOf(number),
          tiles.compare(arith::CmpIPredicate::slt, number, keyTiles.end),
          isFirst))
    tokens.push_back(strip);
  return CommitOp::create(builder, tiles.loc,
                          GroupType::get(builder.getContext()), tokens);
}

/// The running maximum joined by a tile's.
Value FlashForward::raisedMaximum(Value score, Value maximum) {
  Value rowMaximum =
      ReduceOp::create(builder, tiles.loc, rowType, Reduction::max, score, 1);
  return tiles.create<arith::MaxNumFOp>(maximum, rowMaximum);
}

/// σ(t) = 1 / (1 + 2^(−t·log2e)); a masked score, −∞, has weight 0. The
/// approximate quotient is right to 2 ulp.
Value FlashForward::sigmoidWeights(Value score) {
  Value exponent =
      tiles.create<arith::MulFOp>(score, tiles.f32(-exponentScale));
  Value denominator = tiles.create<arith::AddFOp>(
      math::Exp2Op::create(builder, tiles.loc, exponent).getResult(),
      tiles.f32(1.0));
  return arith::DivFOp::create(builder, tiles.loc,
                               tiles.filledF32(1.0, scoreType), denominator,
                               arith::FastMathFlags::afn);
}

FailureOr<Value> FlashForward::applyMask(Value score, const Coordinates &at) {
  Value allowed = tiles.promote(at.keyExists, scoreType);
  if (!attention.getMask().empty()) {
    RegionEvaluator evaluator(attention, kernel, tiles, at);
    FailureOr<Value> mask = evaluator.evaluate(
        cast<YieldOp>(attention.getMask().front().getTerminator()).getValue());
    if (failed(mask))
      return failure();
    allowed = tiles.create<arith::AndIOp>(allowed, *mask);
  }
  Value never =
      tiles.filledF32(-std::numeric_limits<double>::infinity(), scoreType);
  return arith::SelectOp::create(builder, tiles.loc, allowed, score, never)
      .getResult();
}

/// Generates the priors of a tile if the block gets to it. The branch also
/// keeps the registers of this work apart from those of the product that
/// follows.
LogicalResult FlashForward::generateNext(Value number) {
  if (!scores->generatesTiles())
    return success();
  Value isWanted =
      tiles.compare(arith::CmpIPredicate::slt, number, keyTiles.end);
  auto branch = scf::IfOp::create(builder, tiles.loc, isWanted,
                                  /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  return scores->generate(tiles, number, ordinalOf(number), false);
}

LogicalResult FlashForward::step(Value number, bool isPartial,
                                 Carried &carried) {
  int64_t stages = schedule.getStages();
  WaitOp::create(builder, tiles.loc, carried.groups.front(),
                 builder.getI32IntegerAttr(stages - 2));
  // Now this tile is in place, and every thread has left the slot the next
  // copies and priors go to.
  BarrierOp::create(builder, tiles.loc);
  carried.groups.erase(carried.groups.begin());
  carried.groups.push_back(
      copyTiles(tiles.create<arith::AddIOp>(number, tiles.i32(stages - 1)),
                Value(), /*isFirst=*/false));
  if (failed(generateNext(tiles.create<arith::AddIOp>(number, tiles.i32(1)))))
    return failure();

  Coordinates at = coordinatesOf(context);
  at.query = query;
  at.queryExists = queryExists;
  Value iota = IotaOp::create(builder, tiles.loc,
                              getSliceType(scoreType, 0, builder.getI32Type()));
  at.key = tiles.create<arith::AddIOp>(
      iota, tiles.create<arith::MulIOp>(number, tiles.i32(schedule.getKeys())));
  at.keyExists =
      tiles.compare(arith::CmpIPredicate::slt, at.key, context.keyLength);

  FailureOr<Value> score = scores->build(tiles, number, ordinalOf(number), at,
                                         queryBuffer, stage(keyRing, number));
  if (failed(score))
    return failure();
  if (isPartial)
    score = applyMask(*score, at);
  if (failed(score))
    return failure();

  Value weights = isSoftmax()
                      ? softmax->weights(*score, carried.rows, carried.output)
                      : sigmoidWeights(*score);
  // Without a sum, the maximum tells the exclusion whether a row saw a key.
  if (!isSoftmax() && !attention.getExclude().empty())
    carried.rows.reference = raisedMaximum(*score, carried.rows.reference);

  Type element = attention.getQueryType().getElementType();
  Value narrow = arith::TruncFOp::create(
      builder, tiles.loc, withElementType(scoreType, element), weights);
  auto operandType = RankedTensorType::get(
      scoreType.getShape(), element,
      MmaOperandAttr::get(builder.getContext(), schedule.getWarps()));
  Value operand =
      ConvertLayoutOp::create(builder, tiles.loc, operandType, narrow);
  carried.output =
      MmaOp::create(builder, tiles.loc, outputType, operand,
                    stage(valueRing, number), carried.output, false);
  if (isSoftmax())
    softmax->addRounded(operand, carried.rows);
  return success();
}

LogicalResult FlashForward::loop(Value begin, Value end, bool isPartial,
                                 Carried &carried) {
  auto loop = scf::ForOp::create(builder, tiles.loc, begin, end, tiles.i32(1),
                                 carried.flatten());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Carried inside = Carried::unflatten(loop.getRegionIterArgs(), carried);
  if (failed(step(loop.getInductionVar(), isPartial, inside)))
    return failure();
  scf::YieldOp::create(builder, tiles.loc, inside.flatten());
  carried = Carried::unflatten(loop.getResults(), carried);
  return success();
}

/// The own rows: `index` where an own region gives it, else
/// position(i) − k_offset[b].
FlashForward::OwnRows FlashForward::findOwnRows(Value index) {
  OwnRows own;
  if (index) {
    own.first = tiles.i32(0);
    own.distance = index;
  } else {
    own.first = tiles.create<arith::SubIOp>(
        tiles.create<arith::AddIOp>(firstQuery, context.queryOffset),
        context.keyOffset);
    own.distance = rowNumber;
  }
  own.exists = tiles.conjunction(
      tiles.compare(arith::CmpIPredicate::sge, own.distance,
                    tiles.create<arith::SubIOp>(tiles.i32(0), own.first)),
      tiles.compare(arith::CmpIPredicate::slt, own.distance,
                    tiles.create<arith::SubIOp>(context.keyLength, own.first)));
  return own;
}

/// The exclusion on finished rows. One that reads the own value leaves a row
/// without one as it was.
FailureOr<Value> FlashForward::applyExclusion(Value row) {
  Region &region = attention.getExclude();
  if (region.empty())
    return row;
  Coordinates at = coordinatesOf(context);
  at.query = query;
  at.queryExists = queryExists;
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
      index = tiles.promote(*given, rowType);
    }
    ownExists = findOwnRows(index).exists;
    evaluator.bindLoaded(region.getArgument(1), [this, index]() -> Value {
      // From the block's indices on, which makes the load a new one.
      buildCoordinates();
      OwnRows own = findOwnRows(index);
      Type element = attention.getValueType().getElementType();
      Value narrow = LoadRowsOp::create(
          builder, tiles.loc, withElementType(outputType, element),
          matrix(attention.getValue(), own.first), own.distance, own.exists,
          tiles.i64(attention.getValueDim()),
          columnsOf(attention.getValueDim()));
      return arith::ExtFOp::create(builder, tiles.loc, outputType, narrow);
    });
  }
  FailureOr<Value> excluded = evaluator.evaluate(yielded(region));
  if (failed(excluded))
    return failure();
  if (!ownExists)
    return tiles.promote(*excluded, outputType);
  return tiles.create<arith::SelectOp>(tiles.promote(ownExists, outputType),
                                       tiles.promote(*excluded, outputType),
                                       row);
}

/// lse = ln2·(maximum + log2 sum), −∞ where the row saw nothing; `maximum` is
/// in units of log2.
void FlashForward::storeLse(Value maximum, Value sum, Value rowSees) {
  Value lse = tiles.create<arith::AddFOp>(
      tiles.create<arith::MulFOp>(maximum, tiles.f32(1.0 / log2e)),
      math::LogOp::create(builder, tiles.loc, sum).getResult());
  lse = tiles.create<arith::SelectOp>(
      rowSees, lse, tiles.f32(-std::numeric_limits<double>::infinity()));
  Value vector = matrixOf(tiles, kernel.output(1), context.batch, context.head,
                          attention.getNumQueryHeads(), context.queryRows, 1);
  StoreOp::create(builder, tiles.loc, lse, vector, query, queryExists);
}

/// The sink joins the row: a logit without a value.
void FlashForward::joinSink(Value sink, OnlineSoftmax::Total &total,
                            Value &output) {
  Value logit = LoadOp::create(builder, tiles.loc, builder.getF32Type(),
                               kernel.input(cast<BlockArgument>(sink)),
                               context.head, Value());
  Value exponent = tiles.create<arith::MulFOp>(logit, tiles.f32(log2e));
  Value joined = tiles.create<arith::MaxNumFOp>(total.reference, exponent);
  auto exp2 = [&](Value value) -> Value {
    return math::Exp2Op::create(builder, tiles.loc,
                                tiles.create<arith::SubFOp>(value, joined));
  };
  Value rescale = exp2(total.reference);
  total.sum = tiles.create<math::FmaOp>(total.sum, rescale,
                                        exp2(tiles.promote(exponent, rowType)));
  output = tiles.create<arith::MulFOp>(output, rescale);
  total.reference = joined;
}

LogicalResult FlashForward::finish(Carried carried) {
  // Computed again: alive across the loop they would cost registers there.
  buildCoordinates();
  Value zero = tiles.f32(0.0);
  Value output = carried.output;
  auto counts = [&](arith::CmpFPredicate predicate, Value value, Value than) {
    return tiles.conjunction(tiles.compare(predicate, value, than),
                             queryCounts);
  };
  OnlineSoftmax::Total total;
  Value rowSees, rowSeesKey;
  if (isSoftmax()) {
    total = softmax->finish(carried.rows);
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
    rowSeesKey = counts(arith::CmpFPredicate::UGT, carried.rows.reference,
                        tiles.f32(startOfMaximum));
  }

  FailureOr<Value> row = applyExclusion(output);
  if (failed(row))
    return failure();
  // Without an exclusion, y = 0 already where no key was seen.
  Value finished = tiles.create<arith::SelectOp>(
      tiles.promote(attention.getExclude().empty() ? queryCounts : rowSeesKey,
                    outputType),
      *row, zero);

  Type element = attention.getQueryType().getElementType();
  Value narrow = arith::TruncFOp::create(
      builder, tiles.loc, withElementType(outputType, element), finished);
  Value outMatrix = matrixOf(tiles, kernel.output(0), context.batch,
                             context.head, attention.getNumQueryHeads(),
                             context.queryRows, attention.getValueDim());
  StoreRowsOp::create(builder, tiles.loc, narrow, outMatrix, query, queryExists,
                      tiles.i64(attention.getValueDim()),
                      columnsOf(attention.getValueDim()));
  if (attention.getLse())
    storeLse(total.reference, total.sum, rowSees);
  return success();
}

LogicalResult FlashForward::build() {
  buildTypes();
  buildCoordinates();
  keyMatrix = matrix(attention.getKey());
  valueMatrix = matrix(attention.getValue());
  buildBuffers();

  FailureOr<ScoreTile> score =
      ScoreTile::create(attention, schedule, kernel, tiles, context, scoreType,
                        firstQuery, query, queryExists);
  if (failed(score))
    return failure();
  scores.emplace(std::move(*score));
  exponentScale = scores->getLogitScale() * log2e;
  if (isSoftmax())
    softmax.emplace(tiles, scoreType, exponentScale,
                    attention.getLse() ? RowSum::Exact : RowSum::Product);

  // The block's rows as a mask op is asked about them.
  Value lastRow = tiles.create<arith::MinSIOp>(
      tiles.create<arith::AddIOp>(firstQuery, tiles.i32(schedule.getRows())),
      context.queryRows);
  QueryBlock block;
  block.batch = context.batch;
  block.head = context.head;
  auto position = [&](Value row) -> Value {
    return tiles.create<arith::AddIOp>(tiles.widen(row),
                                       tiles.widen(context.queryOffset));
  };
  block.positionBegin = position(firstQuery);
  block.positionEnd = position(lastRow);
  keyTiles = findKeyTiles(attention, kernel, tiles, block, context.keyOffset,
                          context.keyLength, schedule.getKeys());

  // Fill the ring.
  Carried carried;
  Value queryToken =
      copyTile(matrix(attention.getQuery()), firstQuery, context.queryLength,
               attention.getHeadDim(), queryBuffer);
  for (int64_t ahead = 0; ahead < schedule.getStages() - 1; ++ahead)
    carried.groups.push_back(
        copyTiles(tiles.create<arith::AddIOp>(keyTiles.begin, tiles.i32(ahead)),
                  ahead == 0 ? queryToken : Value(), /*isFirst=*/ahead == 0));
  if (failed(scores->generateAll(tiles, keyTiles.begin, keyTiles.end)))
    return failure();
  if (failed(scores->generate(tiles, keyTiles.begin, tiles.i32(0), true)))
    return failure();
  carried.output = tiles.filledF32(0.0, outputType);
  if (isSoftmax())
    carried.rows = softmax->start();
  else
    carried.rows.reference = tiles.filledF32(startOfMaximum, rowType);

  if (!keyTiles.noFull) {
    if (!keyTiles.noPartialBefore &&
        failed(loop(keyTiles.begin, keyTiles.fullBegin, true, carried)))
      return failure();
    if (failed(loop(keyTiles.fullBegin, keyTiles.fullEnd, false, carried)))
      return failure();
  }
  if (failed(loop(keyTiles.fullEnd, keyTiles.end, true, carried)))
    return failure();
  return finish(std::move(carried));
}

} // namespace

int64_t tile::paddedHeadDim(int64_t dim) {
  // The depth of a matrix multiply.
  return dim <= greatestHeadDim ? llvm::alignTo(dim, 16) : 0;
}

LogicalResult tile::buildFlashForward(AttentionOp attention,
                                      ScheduleAttr schedule,
                                      KernelBuilder &kernel) {
  OpBuilder builder =
      OpBuilder::atBlockEnd(&kernel.getKernel().getBody().front());
  if (failed(FlashForward(attention, schedule, kernel, builder).build()))
    return failure();
  gpu::ReturnOp::create(builder, attention.getLoc());

  MLIRContext *context = builder.getContext();
  AffineExpr rows = getAffineSymbolExpr(0, context),
             batch = getAffineSymbolExpr(1, context);
  AffineMap grid = AffineMap::get(
      0, 2,
      {rows.ceilDiv(schedule.getRows()),
       getAffineConstantExpr(attention.getNumQueryHeads(), context), batch},
      context);
  kernel.setGrid(grid, {kernel.dimAttr(attention.getQuery(), 2),
                        kernel.dimAttr(attention.getQuery(), 0)});
  return success();
}
