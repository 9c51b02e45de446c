//===- ChooseSchedule.cpp - which kernel an attention becomes -------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cheapest of the schedules that fit, by ScheduleCost.
//
//===----------------------------------------------------------------------===//

#include "goat/Conversion/GoatToGoatTile/GoatToGoatTile.h"

#include "FlashBlock.h"
#include "ScheduleCost.h"
#include "ScoreTerms.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace goat;
using namespace goat::tile;

namespace goat {
#define GEN_PASS_DEF_CHOOSESCHEDULE
#include "goat/Conversion/GoatToGoatTile/Passes.h.inc"
} // namespace goat

static int64_t knownOrZero(int64_t size) {
  return ShapedType::isDynamic(size) ? 0 : size;
}

/// A table is written once and read by every block of queries: where there are
/// few of them, each does better to generate what it needs.
static bool deservesTable(const AttentionShape &shape) {
  constexpr int64_t fewRows = 256;
  return shape.queryLength == 0 || shape.queryLength > fewRows;
}

/// Whether blocks of 128 rows are too few to give each multiprocessor one.
static bool leavesIdle(const AttentionShape &shape,
                       const ptx::ChipDescription &chip) {
  int64_t blocks = llvm::divideCeil(shape.queryLength, 128) * shape.matrices;
  return blocks > 0 && blocks < chip.multiprocessors;
}

static std::string describe(const ScheduleCost &cost,
                            const ptx::ChipDescription &chip) {
  std::string text = llvm::formatv(
      "predicted clocks per score and multiprocessor of {0}: tensor {1:f4}, "
      "shared memory {2:f4}, issue {3:f4}, arithmetic {4:f4}, ex2 {5:f4}, "
      "in all {6:f4} with {7} resident blocks",
      chip.name, cost.tensor, cost.shared, cost.issue, cost.arithmetic,
      cost.special, cost.total, cost.residentBlocks);
  if (cost.gridBlocks > 0)
    text += llvm::formatv("; {0} blocks keep {1} multiprocessors busy for "
                          "{2:f0} % of the time",
                          cost.gridBlocks, chip.multiprocessors,
                          100 * cost.utilisation);
  return text;
}

static AttentionShape shapeOf(AttentionOp attention, F32Product product) {
  RankedTensorType query = attention.getQueryType();
  AttentionShape shape;
  Type element = query.getElementType();
  shape.headDim = paddedHeadDim(attention.getHeadDim(), element);
  shape.valueDim = paddedHeadDim(attention.getValueDim(), element);
  shape.storedValueDim =
      paddedValueColumns(attention.getValueDim(), element, product);
  if (element.isF32())
    shape.f32Product = product;
  shape.queryLength = knownOrZero(attention.getQueryLength());
  shape.keyLength = knownOrZero(attention.getKeyLength());
  shape.matrices =
      knownOrZero(query.getDimSize(0)) * attention.getNumQueryHeads();
  ScoreTerms terms = splitScore(attention);
  shape.hasStrip = terms.hasStrip();
  shape.hasKeyVector = !terms.key.empty();
  return shape;
}

namespace {

struct ChooseSchedule : public goat::impl::ChooseScheduleBase<ChooseSchedule> {
  using ChooseScheduleBase::ChooseScheduleBase;

  void runOnOperation() override {
    llvm::Expected<ptx::ChipDescription> chip = ptx::findChip(target);
    if (!chip) {
      getOperation().emitError(llvm::toString(chip.takeError()));
      return signalPassFailure();
    }
    if (strip != "auto" && !symbolizeStripSource(strip)) {
      getOperation().emitError(
          "expected strip to be auto, tile, block or table "
          "but got '")
          << strip << "'";
      return signalPassFailure();
    }
    if (keySource != "auto" && !symbolizeKeySource(keySource)) {
      getOperation().emitError("expected key-source to be auto, tile or table "
                               "but got '")
          << keySource << "'";
      return signalPassFailure();
    }
    if (keyTerms != "auto" && !symbolizeKeyTerms(keyTerms)) {
      getOperation().emitError("expected key-terms to be auto, add or product "
                               "but got '")
          << keyTerms << "'";
      return signalPassFailure();
    }
    if (maskIndex != "auto" && !symbolizeMaskIndexUse(maskIndex)) {
      getOperation().emitError(
          "expected mask-index to be auto, always or never "
          "but got '")
          << maskIndex << "'";
      return signalPassFailure();
    }
    if (!symbolizeF32Product(f32Product)) {
      getOperation().emitError("expected f32-product to be exact or tf32 but "
                               "got '")
          << f32Product << "'";
      return signalPassFailure();
    }
    getOperation().walk([&](AttentionOp attention) {
      if (!attention->hasAttr("goat_tile.schedule"))
        choose(attention, *chip);
    });
  }

  /// The values of a size that come into question: an option alone, if given.
  static SmallVector<int64_t> candidates(int64_t option,
                                         ArrayRef<int64_t> values) {
    return option ? SmallVector<int64_t>{option} : SmallVector<int64_t>(values);
  }

  void choose(AttentionOp attention, const ptx::ChipDescription &chip) {
    AttentionShape shape = shapeOf(attention, *symbolizeF32Product(f32Product));
    bool isF32 = shape.f32Product.has_value();
    std::optional<TileSizes> best;
    std::optional<ScheduleCost> least;
    // The first of equals is taken: larger blocks read keys less often, which
    // the cost does not see, so small ones are for short queries and few heads
    // only.
    bool isShort = shape.queryLength > 0 && shape.queryLength <= 64;
    bool isSmall = isShort || leavesIdle(shape, chip);
    SmallVector<int64_t> warpCounts = {4, 8};
    if (isShort)
      warpCounts = {2, 4};
    else if (isSmall || isF32)
      warpCounts.push_back(2);
    // With priors in the loop, ptxas spills a few bytes at 96 keys.
    SmallVector<int64_t> keyCounts = {64, 80, 48, 32, 16};
    if (!shape.hasStrip && !shape.hasKeyVector)
      keyCounts.insert(keyCounts.begin() + 1, 96);
    // Exact products of more than 48 keys spill at D = 64.
    if (shape.f32Product == F32Product::exact)
      keyCounts = {48, 32, 16};
    for (int64_t rowsPerWarp : {32, 16}) {
      // A key that is read for 32 rows is read half as often as for 16. Tiles
      // of f32 are so large that this may leave a multiprocessor few warps.
      if (best && !isSmall && !isF32)
        break;
      for (int64_t count : candidates(warps, warpCounts))
        for (int64_t tileKeys : candidates(keys, keyCounts))
          for (int64_t depth : candidates(stages, {2, 3})) {
            TileSizes sizes{rows ? int64_t(rows) : rowsPerWarp * count,
                            tileKeys, count, depth};
            if (sizes.rows != 16 * count && sizes.rows != 32 * count)
              continue;
            // Such short tiles are for where nothing else fits.
            if (rowsPerWarp == 32 && tileKeys < 48 && !keys && !isF32)
              continue;
            std::optional<ScheduleCost> cost = estimateCost(shape, sizes, chip);
            if (cost && (!least || cost->total < least->total)) {
              best = sizes;
              least = cost;
            }
          }
    }
    // Nothing fits, or the options ask for what the schedule refuses: it says
    // what is wrong.
    if (!best) {
      int64_t count = warps ? int64_t(warps) : rows ? rows / 32 : 4;
      best = TileSizes{rows ? int64_t(rows) : 32 * count,
                       keys ? int64_t(keys) : 64, count,
                       stages ? int64_t(stages) : 2};
    }
    bool isTable = deservesTable(shape);
    StripSource source = StripSource::tile;
    if (shape.hasStrip)
      source = symbolizeStripSource(strip).value_or(
          isTable ? StripSource::table : StripSource::tile);
    KeyTerms how = KeyTerms::add;
    KeySource keysFrom = KeySource::tile;
    if (shape.hasKeyVector) {
      // What is exact in f32 stays out of the tensor cores.
      how = symbolizeKeyTerms(keyTerms).value_or(
          shape.f32Product == F32Product::exact ? KeyTerms::add
                                                : KeyTerms::product);
      keysFrom = symbolizeKeySource(keySource).value_or(
          isTable ? KeySource::table : KeySource::tile);
    }
    Builder builder(&getContext());
    attention->setAttr(
        "goat_tile.schedule",
        ScheduleAttr::get(
            &getContext(), ScheduleKind::flash_mma, best->rows, best->keys,
            best->warps, best->stages, source, how,
            symbolizeMaskIndexUse(maskIndex).value_or(MaskIndexUse::automatic),
            shape.f32Product.value_or(F32Product::exact), keysFrom));
    if (least)
      attention->setAttr("goat_tile.schedule_reason",
                         builder.getStringAttr(describe(*least, chip)));
  }
};

} // namespace
