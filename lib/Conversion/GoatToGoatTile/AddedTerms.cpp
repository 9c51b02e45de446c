//===- AddedTerms.cpp - terms added up in one place, for a tile -----------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AddedTerms.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace goat;
using namespace goat::tile;

DistanceStrip TermPlace::strip(ArrayRef<Value> terms, double logitScale) const {
  return DistanceStrip(attention, kernel, context, type, terms, logitScale,
                       schedule.getStrip(), 32 * schedule.getWarps(),
                       schedule.getStages() - 1,
                       llvm::divideCeil(AttentionOp(attention).getKeyLength(),
                                        schedule.getKeys()),
                       firstQuery, tilesJump);
}

KeyVector TermPlace::keyVector(ArrayRef<Value> terms, double logitScale,
                               KeyTerms how) const {
  return KeyVector(attention, schedule, kernel, context, type, terms,
                   logitScale, how);
}

/// How many parts of a group may reach the clamp: each is clamped, and the sum
/// of more than one has to be.
static unsigned numUnbounded(const TermGroup &group) {
  unsigned count = 0;
  for (ArrayRef<Value> part :
       {ArrayRef(group.relative), ArrayRef(group.key), ArrayRef(group.query),
        ArrayRef(group.elementwise)})
    count += !llvm::all_of(part, isBounded);
  for (const TermGroup::OnGrid &onGrid : group.onGrids)
    count += !llvm::all_of(onGrid.terms, isBounded);
  return count;
}

FailureOr<AddedTerms> AddedTerms::create(TileBuilder &tiles,
                                         const TermPlace &place,
                                         const TermGroup &group,
                                         double logitScale, bool startsProduct,
                                         const Coordinates &queries) {
  AddedTerms added(place, group, logitScale, startsProduct);
  // A sum that has to be clamped is added up before the multiply.
  if (startsProduct && numUnbounded(group) < 2)
    added.keyTerms = place.schedule.getKeyTerms();
  if (!group.relative.empty()) {
    added.strip.emplace(place.strip(group.relative, logitScale));
    if (failed(added.strip->prepare(tiles)))
      return failure();
  }
  if (!group.key.empty()) {
    added.keyVector.emplace(
        place.keyVector(group.key, logitScale, added.keyTerms));
    if (failed(added.keyVector->prepare(tiles)))
      return failure();
  }
  for (const TermGroup::OnGrid &onGrid : group.onGrids) {
    added.gridTables.emplace_back(place.attention, place.schedule, place.kernel,
                                  place.context, place.type, onGrid.grid,
                                  onGrid.terms, logitScale, place.firstQuery);
    if (failed(added.gridTables.back().prepare(tiles, queries.query)))
      return failure();
  }
  if (!group.query.empty()) {
    RegionEvaluator evaluator(place.attention, place.kernel, tiles, queries);
    FailureOr<Value> term = sumOf(evaluator, tiles, group.query, logitScale);
    if (failed(term))
      return failure();
    added.queryTerm = *term;
  }
  if (failed(added.evaluateGates(tiles, place, queries)))
    return failure();
  return added;
}

/// Finds products with a function of the query, which takes the division by the
/// scale before the loop.
LogicalResult AddedTerms::evaluateGates(TileBuilder &tiles,
                                        const TermPlace &place,
                                        const Coordinates &queries) {
  AttentionOp attention = place.attention;
  DependenceAnalysis analysis(attention);
  RegionEvaluator evaluator(attention, place.kernel, tiles, queries);
  const Dependence others =
      Dependence::Score | Dependence::Relative | Dependence::Key;
  for (Value term : group.elementwise) {
    auto product = term.getDefiningOp<arith::MulFOp>();
    auto isGate = [&](Value factor) {
      return !dependsOn(analysis.of(factor), others);
    };
    if (!product || !(isGate(product.getLhs()) || isGate(product.getRhs()))) {
      otherTerms.push_back(term);
      continue;
    }
    bool isLeft = isGate(product.getLhs());
    FailureOr<Value> gate =
        evaluator.evaluate(isLeft ? product.getLhs() : product.getRhs());
    if (failed(gate))
      return failure();
    gatedTerms.push_back(
        {tiles.create<arith::MulFOp>(*gate, tiles.f32(1.0 / logitScale)),
         isLeft ? product.getRhs() : product.getLhs()});
  }
  return success();
}

/// The elementwise terms divided by the scale, at least `leastScore`.
FailureOr<Value> AddedTerms::elementwiseSum(TileBuilder &tiles,
                                            RegionEvaluator &evaluator) {
  Value total;
  if (!otherTerms.empty()) {
    FailureOr<Value> sum = sumOf(evaluator, tiles, otherTerms, logitScale);
    if (failed(sum))
      return failure();
    total = *sum;
  }
  for (const Gated &term : gatedTerms) {
    FailureOr<Value> gated = evaluator.evaluate(term.gated);
    if (failed(gated))
      return failure();
    total = total ? tiles.create<math::FmaOp>(term.gate, *gated, total)
                  : tiles.create<arith::MulFOp>(term.gate, *gated);
  }
  if (!gatedTerms.empty() && !llvm::all_of(group.elementwise, isBounded))
    total = clamped(tiles, total, leastScore / logitScale);
  return total;
}

static StringRef describe(StripSource source) {
  switch (source) {
  case StripSource::tile:
    return "strip over the distance, its new part generated per tile, ";
  case StripSource::block:
    return "strip over all distances, generated once per block, ";
  case StripSource::table:
    return "strip over the distance, copied from a table that a kernel before "
           "writes, ";
  }
  llvm_unreachable("all sources are named");
}

void AddedTerms::recordChoices(KernelBuilder &kernel, StringRef where,
                               StringRef suffix) const {
  Builder builder(type.getContext());
  auto record = [&](StringRef name, const Twine &how) {
    kernel.recordChoice((name + suffix).str(), builder.getStringAttr(how));
  };
  if (strip)
    record("relative_terms",
           describe(schedule.getStrip()) + where +
               (schedule.getStrip() == StripSource::table ? " in quads" : ""));
  if (keyVector) {
    std::string how =
        keyTerms == KeyTerms::add
            ? ("vector over the keys, added in f32, " + where).str()
            : "vector over the keys in bf16 parts, added by the multiply";
    if (schedule.getKeySource() == KeySource::table)
      how += ", copied from a table that a kernel before writes";
    record("key_terms", how);
  }
  if (!gridTables.empty())
    record("grid_terms",
           Twine("table over differences on a grid, ") +
               (schedule.getStrip() == StripSource::table
                    ? "copied from one that a kernel before writes, "
                    : "generated per tile, ") +
               where);
  if (queryTerm)
    record("query_terms", "vector over the queries, " + where);
  for (Value term : group.elementwise)
    emitRemark(term.getLoc(),
               "evaluates this term of the score element by element, as it "
               "varies with query and key other than by their distance, or by "
               "few differences i / c − j / c and i mod c − j mod c");
  if (!group.elementwise.empty())
    record("other_terms", "element by element, " + where);
}

LogicalResult AddedTerms::generate(TileBuilder &tiles, KeyTile tile,
                                   bool isFirst) {
  for (GridTable &table : gridTables)
    if (failed(table.generate(tiles, tile)))
      return failure();
  if (strip && schedule.getStrip() == StripSource::tile &&
      failed(strip->generate(tiles, tile.number, tile.ordinal, isFirst)))
    return failure();
  if (keyVector && schedule.getKeySource() == KeySource::tile)
    return keyVector->generate(tiles, tile);
  return success();
}

LogicalResult AddedTerms::generateForBlock(TileBuilder &tiles, Value number,
                                           Value ordinal, bool isFirst) {
  return strip ? strip->generate(tiles, number, ordinal, isFirst) : success();
}

void AddedTerms::copy(TileBuilder &tiles, KeyTile tile,
                      const KeyTiles &keyTiles, bool isFirst,
                      SmallVectorImpl<Value> &tokens) {
  if (strip && schedule.getStrip() == StripSource::table) {
    Value isWanted =
        tiles.compare(arith::CmpIPredicate::slt, tile.number, keyTiles.end);
    tokens.push_back(
        strip->copy(tiles, tile.number, tile.ordinal, isWanted, isFirst));
  }
  for (GridTable &table : gridTables)
    if (Value token = table.copy(tiles, tile, keyTiles))
      tokens.push_back(token);
  if (keyVector && schedule.getKeySource() == KeySource::table)
    tokens.push_back(keyVector->copy(tiles, tile, keyTiles));
}

FailureOr<Value> AddedTerms::sum(TileBuilder &tiles, KeyTile tile,
                                 Value stripOrdinal,
                                 RegionEvaluator &evaluator) {
  Value total;
  // After a multiply, a whole tile of sums would not fit beside its result.
  auto inOrder = [&](Value value) {
    return startsProduct ? value : perElement(value);
  };
  auto add = [&](Value term) {
    total = total ? inOrder(tiles.create<arith::AddFOp>(total, term)) : term;
  };
  if (strip)
    add(strip->read(tiles, stripOrdinal));
  for (GridTable &table : gridTables)
    add(table.read(tiles, tile));
  if (keyVector && keyTerms == KeyTerms::add)
    add(keyVector->read(tiles, tile));
  if (queryTerm)
    add(queryTerm);
  if (!group.elementwise.empty()) {
    FailureOr<Value> rest = elementwiseSum(tiles, evaluator);
    if (failed(rest))
      return failure();
    add(*rest);
  }
  if (total && numUnbounded(group) > 1)
    total = inOrder(clamped(tiles, total, leastScore / logitScale));
  return total;
}

Value AddedTerms::addByProduct(TileBuilder &tiles, KeyTile tile, Value start) {
  if (!keyVector || keyTerms != KeyTerms::product)
    return start;
  return keyVector->addByProduct(tiles, tile, start);
}
