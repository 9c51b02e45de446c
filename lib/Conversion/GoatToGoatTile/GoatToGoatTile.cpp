//===- GoatToGoatTile.cpp - from attention to tiles -----------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the attention of each function, refuses what no schedule can build,
// and replaces the function by its kernel.
//
//===----------------------------------------------------------------------===//

#include "goat/Conversion/GoatToGoatTile/GoatToGoatTile.h"
#include "goat/Dialect/Goat/Transforms/Layer.h"

#include "FlashBlock.h"
#include "FlashForward.h"
#include "KernelBuilder.h"
#include "RowMatrix.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace goat;
using namespace goat::tile;

namespace goat {
#define GEN_PASS_DEF_CONVERTGOATTOGOATTILE
#include "goat/Conversion/GoatToGoatTile/Passes.h.inc"
} // namespace goat

/// What the flash_mma schedule has no code for, said before anything is built.
static LogicalResult checkBuildable(AttentionOp attention,
                                    ScheduleAttr schedule) {
  // Regions are walked recursively.
  constexpr size_t maxRegionOps = 4096;
  for (Region &region : attention->getRegions())
    if (!region.empty() && region.front().getOperations().size() > maxRegionOps)
      return attention.emitError("expected regions of at most ")
             << maxRegionOps << " ops but got "
             << region.front().getOperations().size()
             << "; compute tables before the call";

  Type element = attention.getQueryType().getElementType();
  if (!element.isF32() && schedule.getF32Product() != F32Product::exact)
    return attention.emitError("expected a schedule with f32_product = ")
           << stringifyF32Product(schedule.getF32Product())
           << " for an attention of f32 but got " << element
           << "; leave it out, products of " << element << " are exact in f32";
  for (auto [name, dim] : {std::pair{"query and key", attention.getHeadDim()},
                           std::pair{"value", attention.getValueDim()}})
    if (paddedHeadDim(dim, element) == 0)
      return attention.emitError("expected a head dimension of at most ")
             << greatestHeadDim << " for the schedule flash_mma but got " << dim
             << " for " << name << "; split the heads, or run the reference";
  int64_t warps = schedule.getWarps();
  bool isRowsPerWarp =
      schedule.getRows() == 16 * warps || schedule.getRows() == 32 * warps;
  if (warps < 1 || warps > 8 || !llvm::isPowerOf2_64(warps) || !isRowsPerWarp)
    return attention.emitError(
               "expected a schedule with 1, 2, 4 or 8 warps of 16 or 32 "
               "rows each but got ")
           << schedule.getWarps() << " warps for " << schedule.getRows()
           << " rows";
  if (schedule.getKeys() % 16 != 0 || schedule.getKeys() < 16 ||
      schedule.getKeys() > 128)
    return attention.emitError(
               "expected a schedule with a multiple of 16 keys, at "
               "most 128, but got ")
           << schedule.getKeys();
  if (schedule.getStages() < 2 || schedule.getStages() > 4)
    return attention.emitError(
               "expected a schedule with 2 to 4 stages but got ")
           << schedule.getStages();
  if (schedule.getStrip() == StripSource::block &&
      ShapedType::isDynamic(attention.getKeyLength()))
    return attention.emitError(
        "expected a static number of keys for a schedule with strip = block "
        "but "
        "got a dynamic one; use strip = tile or strip = table");
  return success();
}

/// Says which rows are copied in small pieces, which takes longer.
static void remarkSmallCopies(AttentionOp attention) {
  Type element = attention.getQueryType().getElementType();
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  // What a load region leaves is aligned.
  for (auto [name, whose, width, isLoaded] :
       {std::tuple{"query and key", "their", attention.getHeadDim(),
                   !attention.getLoadK().empty()},
        std::tuple{"value", "its", attention.getValueDim(), false}}) {
    if (isLoaded)
      continue;
    int64_t alignment = rowAlignmentBytes(width, element);
    if (alignment < fastAlignmentBytes)
      attention.emitRemark("copies ")
          << name << " " << alignment << " bytes at a time, "
          << (alignment < leastAsyncBytes ? "through registers, " : "") << "as "
          << whose << " rows of " << width * bytes
          << " bytes are no multiple of 16; a head dimension that is a "
             "multiple of "
          << fastAlignmentBytes / bytes << " is copied faster";
  }
}

/// goat.strided stands where a schedule looks for it, and says what was asked.
static FailureOr<bool> hasStridedTensors(func::FuncOp function,
                                         AttentionOp attention) {
  bool isStrided = false;
  for (BlockArgument argument : function.getArguments()) {
    if (!function.getArgAttr(argument.getArgNumber(), "goat.strided"))
      continue;
    isStrided = true;
    if (!llvm::is_contained(
            {attention.getQuery(), attention.getKey(), attention.getValue()},
            argument))
      return function.emitError("expected goat.strided on query, key, value or "
                                "the first result but got it on argument ")
             << argument.getArgNumber() << "; make that tensor contiguous";
  }
  for (unsigned index = 0; index < function.getNumResults(); ++index) {
    if (!function.getResultAttr(index, "goat.strided"))
      continue;
    isStrided = true;
    if (index > 0)
      return function.emitError("expected goat.strided on query, key, value or "
                                "the first result but got it on result ")
             << index << "; make that tensor contiguous";
  }
  return isStrided;
}

/// Builds one variant and says what a launcher has to check and to allocate.
static LogicalResult buildVariant(AttentionOp attention, ScheduleAttr schedule,
                                  KernelBuilder &kernel) {
  if (failed(buildFlashForward(attention, schedule, kernel)))
    return failure();
  Value query = attention.getQuery(), key = attention.getKey(),
        value = attention.getValue();
  auto equal = [&](Value a, int64_t axisA, Value b, int64_t axisB) {
    kernel.requireEqual(kernel.dimAttr(a, axisA), kernel.dimAttr(b, axisB));
  };
  equal(key, 0, query, 0);
  equal(value, 0, query, 0);
  int64_t lengthAxis = attention.getLengthAxis();
  equal(value, lengthAxis, key, lengthAxis);
  for (Value operand :
       {Value(attention.getQOffset()), Value(attention.getKOffset()),
        Value(attention.getQLengths()), Value(attention.getKLengths())})
    if (operand && isa<RankedTensorType>(operand.getType()))
      equal(operand, 0, query, 0);

  Builder builder(attention.getContext());
  SmallVector<Attribute> outDims;
  for (int64_t axis = 0; axis < 3; ++axis)
    outDims.push_back(kernel.dimAttr(query, axis));
  outDims.push_back(kernel.dimAttr(value, 3));
  SmallVector<Attribute> results = {builder.getArrayAttr(outDims)};
  if (attention.getLse())
    results.push_back(builder.getArrayAttr(
        {outDims[0], outDims[attention.getHeadAxis()], outDims[lengthAxis]}));
  kernel.recordChoice("schedule", schedule);
  if (attention.getQueryType().getElementType().isF32())
    kernel.recordChoice(
        "f32_product",
        builder.getStringAttr(stringifyF32Product(schedule.getF32Product())));
  if (Attribute reason = attention->getAttr("goat_tile.schedule_reason"))
    kernel.recordChoice("schedule_reason", reason);
  kernel.finish(32 * schedule.getWarps(), results);
  return success();
}

/// Says where transforming keys costs more than reading them.
static void remarkLoadedKeys(AttentionOp attention) {
  constexpr int64_t fewQueries = 64;
  int64_t queries = attention.getQueryLength();
  if (!attention.getLoadK().empty() && !ShapedType::isDynamic(queries) &&
      queries <= fewQueries)
    attention.emitRemark("writes all key rows to memory once more for load_k, "
                         "for ")
        << queries
        << " queries; keep a cache of keys that are transformed already";
}

static LogicalResult convert(func::FuncOp function) {
  FailureOr<AttentionOp> attention = findLayer(function);
  if (failed(attention))
    return failure();
  auto schedule =
      (*attention)->getAttrOfType<ScheduleAttr>("goat_tile.schedule");
  if (!schedule)
    return attention->emitError("expected the attribute goat_tile.schedule on "
                                "goat.attention; run --goat-choose-schedule");
  if (failed(checkBuildable(*attention, schedule)))
    return failure();
  FailureOr<bool> isStrided = hasStridedTensors(function, *attention);
  if (failed(isStrided))
    return failure();

  OpBuilder builder(function);
  remarkSmallCopies(*attention);
  remarkLoadedKeys(*attention);
  KernelBuilder kernel = KernelBuilder::create(function, builder);
  if (*isStrided) {
    kernel.setVariant("rows", Access::rows);
    attention->emitRemark(
        "tensors with goat.strided get a second variant of the kernel, which "
        "copies element by element, for strides and addresses that are no "
        "multiples of 16 bytes");
  }
  if (failed(buildVariant(*attention, schedule, kernel)))
    return failure();
  if (*isStrided) {
    KernelBuilder any = kernel.createVariant("any", Access::any);
    if (failed(buildVariant(*attention, schedule, any)))
      return failure();
  }
  function.erase();
  return success();
}

namespace {

struct ConvertGoatToGoatTile
    : public goat::impl::ConvertGoatToGoatTileBase<ConvertGoatToGoatTile> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      if (failed(convert(function)))
        return signalPassFailure();
  }
};

} // namespace
