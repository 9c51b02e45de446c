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
#include "MaskIndex.h"
#include "ScheduleCost.h"
#include "ScoreTerms.h"

#include "mlir/Dialect/Math/IR/Math.h"
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

/// About how many instructions a value of a region takes. Plug-in ops are
/// expanded for the count only.
static int64_t countInstructions(Value value, AttentionOp attention,
                                 llvm::SmallPtrSetImpl<Operation *> &seen) {
  constexpr int64_t perFunction = 12;
  Operation *op = value.getDefiningOp();
  if (!op || !attention->isProperAncestor(op) || !seen.insert(op).second)
    return 0;
  int64_t count = isa<math::MathDialect>(op->getDialect()) ? perFunction : 1;
  for (Value operand : op->getOperands())
    count += countInstructions(operand, attention, seen);
  auto plugin = dyn_cast<PluginOpInterface>(op);
  if (!plugin)
    return count;
  Operation *before = op->getPrevNode();
  OpBuilder builder(op);
  llvm::SmallPtrSet<Operation *, 32> seenInside(seen.begin(), seen.end());
  count +=
      countInstructions(plugin.buildExpansion(builder), attention, seenInside);
  while (op->getPrevNode() != before)
    op->getPrevNode()->erase();
  return count;
}

/// A table is written once and read by every block of queries: where there are
/// few of them, each does better to generate what it needs, in `instructions`
/// for each value of a tile of `rows`.
static bool deservesTable(const AttentionShape &shape, int64_t rows,
                          int64_t instructions) {
  constexpr int64_t fewRows = 256;
  // One more instruction for each score is a tenth of a layer's time; a launch
  // is worth it as soon as two blocks share the table.
  bool isCostly = instructions > rows;
  return shape.queryLength == 0 ||
         shape.queryLength > (isCostly ? rows : fewRows);
}

/// Whether a block can transform its query rows before its first tile. Nobody
/// else needs them, so that saves writing and reading them, and a launch; 16
/// rows of a warp and what a rotation takes of them have to fit the registers.
static bool fitsRegisters(const AttentionShape &shape) {
  constexpr int64_t widestRow = 128;
  return shape.headDim <= widestRow;
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

static AttentionShape shapeOf(AttentionOp attention, const ScoreTerms &terms,
                              F32Product product) {
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
  shape.numStrips = terms.numStrips();
  shape.numKeyVectors = terms.numKeyVectors();
  for (const TermGroup *group : {&terms.before, &terms.after})
    for (const TermGroup::OnGrid &onGrid : group->onGrids)
      shape.grids.push_back(onGrid.grid);
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
          "expected mask-index to be auto, always, never or given but got '")
          << maskIndex << "'";
      return signalPassFailure();
    }
    if (loadQ != "auto" && !symbolizeLoadSource(loadQ)) {
      getOperation().emitError(
          "expected load-q to be auto, kernel or block but "
          "got '")
          << loadQ << "'";
      return signalPassFailure();
    }
    if (!symbolizeF32Product(f32Product)) {
      getOperation().emitError("expected f32-product to be exact or tf32 but "
                               "got '")
          << f32Product << "'";
      return signalPassFailure();
    }
    WalkResult result = getOperation().walk([&](AttentionOp attention) {
      if (attention->hasAttr("goat_tile.schedule"))
        return WalkResult::advance();
      FailureOr<std::optional<GivenIndex>> given = findGivenIndex(attention);
      if (failed(given))
        return WalkResult::interrupt();
      choose(attention, *chip, *given);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  /// The values of a size that come into question: an option alone, if given.
  static SmallVector<int64_t> candidates(int64_t option,
                                         ArrayRef<int64_t> values) {
    return option ? SmallVector<int64_t>{option} : SmallVector<int64_t>(values);
  }

  void choose(AttentionOp attention, const ptx::ChipDescription &chip,
              const std::optional<GivenIndex> &given) {
    // An index is of tiles of one size.
    bool usesGiven = given && (maskIndex == "auto" || maskIndex == "given");
    int64_t givenRows = rows, givenKeys = keys;
    if (usesGiven && rows == 0)
      givenRows = given->rows;
    if (usesGiven && keys == 0)
      givenKeys = given->keys;
    ScoreTerms terms = splitScore(attention);
    AttentionShape shape =
        shapeOf(attention, terms, *symbolizeF32Product(f32Product));
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
    if (givenRows)
      warpCounts = {8, 4, 2, 1};
    // With priors in the loop, ptxas spills a few bytes at 96 keys.
    SmallVector<int64_t> keyCounts = {64, 80, 48, 32, 16};
    if (shape.numStrips == 0 && shape.numKeyVectors == 0 && shape.grids.empty())
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
        for (int64_t tileKeys : candidates(givenKeys, keyCounts))
          for (int64_t depth : candidates(stages, {2, 3})) {
            TileSizes sizes{givenRows ? givenRows : rowsPerWarp * count,
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
      int64_t count = warps ? int64_t(warps) : givenRows ? givenRows / 32 : 4;
      best = TileSizes{givenRows ? givenRows : 32 * count,
                       givenKeys ? givenKeys : 64, count,
                       stages ? int64_t(stages) : 2};
    }
    auto isTableOf = [&](ArrayRef<Value> values) {
      llvm::SmallPtrSet<Operation *, 32> seen;
      int64_t instructions = 0;
      for (Value value : values)
        instructions += countInstructions(value, attention, seen);
      return deservesTable(shape, best->rows, instructions);
    };
    StripSource source = StripSource::tile;
    if (shape.numStrips > 0 || !shape.grids.empty())
      source = symbolizeStripSource(strip).value_or(
          isTableOf(terms.valuesOfDistances()) ? StripSource::table
                                               : StripSource::tile);
    KeyTerms how = KeyTerms::add;
    KeySource keysFrom = KeySource::tile;
    if (shape.numKeyVectors > 0) {
      // What is exact in f32 stays out of the tensor cores.
      bool isExact = shape.f32Product == F32Product::exact;
      if (!terms.before.key.empty())
        how = symbolizeKeyTerms(keyTerms).value_or(isExact ? KeyTerms::add
                                                           : KeyTerms::product);
      keysFrom = symbolizeKeySource(keySource).value_or(
          isTableOf(terms.valuesOfKeys()) ? KeySource::table : KeySource::tile);
    }
    LoadSource loadSource = LoadSource::kernel;
    if (!attention.getLoadQ().empty())
      loadSource = symbolizeLoadSource(loadQ).value_or(
          fitsRegisters(shape) ? LoadSource::block : LoadSource::kernel);
    Builder builder(&getContext());
    attention->setAttr(
        "goat_tile.schedule",
        ScheduleAttr::get(
            &getContext(), ScheduleKind::flash_mma, best->rows, best->keys,
            best->warps, best->stages, source, how,
            symbolizeMaskIndexUse(maskIndex).value_or(
                usesGiven ? MaskIndexUse::given : MaskIndexUse::automatic),
            shape.f32Product.value_or(F32Product::exact), keysFrom,
            loadSource));
    if (least)
      attention->setAttr("goat_tile.schedule_reason",
                         builder.getStringAttr(describe(*least, chip)));
  }
};

} // namespace
