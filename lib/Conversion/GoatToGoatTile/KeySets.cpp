//===- KeySets.cpp - which keys a block of queries sees -------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A mask M has a set of keys no query of the block sees outside of (visible)
// and one that every query sees inside of (full). They obey
//
//   visible(M ∧ N) = visible(M) ∩ visible(N)    full(M ∧ N) = full(M) ∩ full(N)
//   visible(M ∨ N) = visible(M) ∪ visible(N)    full(M ∨ N) = full(M) ∪ full(N)
//   visible(¬M) = complement of full(M)         full(¬M) = that of visible(M)
//
// where = may be ⊆ on the left and ⊇ on the right, which is what lets a union
// of too many intervals be replaced by one that is known.
//
//===----------------------------------------------------------------------===//

#include "KeySets.h"

#include "CompareSolver.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace goat;
using namespace goat::tile;

//===----------------------------------------------------------------------===//
// Unions of intervals
//===----------------------------------------------------------------------===//

template <typename OpT>
static Value meet(TileBuilder &tiles, Value a, Value b) {
  return a && b ? (a == b ? a : tiles.create<OpT>(a, b)) : a ? a : b;
}

KeyInterval tile::hullOf(TileBuilder &tiles, ArrayRef<KeyInterval> intervals) {
  KeyInterval hull = intervals.front();
  for (const KeyInterval &other : intervals.drop_front()) {
    hull.begin = hull.begin && other.begin
                     ? meet<arith::MinSIOp>(tiles, hull.begin, other.begin)
                     : Value();
    hull.end = hull.end && other.end
                   ? meet<arith::MaxSIOp>(tiles, hull.end, other.end)
                   : Value();
  }
  return hull;
}

/// The union in as few intervals as can be told without knowing the bounds.
static KeyUnion simplified(TileBuilder &tiles,
                           ArrayRef<KeyInterval> intervals) {
  KeyUnion result, fromStart, toEnd;
  for (const KeyInterval &interval : intervals) {
    if (!interval.begin && !interval.end)
      return {interval};
    KeyUnion &like = !interval.begin ? fromStart
                     : !interval.end ? toEnd
                                     : result;
    if (llvm::none_of(like, [&](const KeyInterval &known) {
          return known.begin == interval.begin && known.end == interval.end;
        }))
      like.push_back(interval);
  }
  for (const KeyUnion &like : {fromStart, toEnd})
    if (!like.empty())
      result.push_back(hullOf(tiles, like));
  return result;
}

static KeyUnion unionOf(TileBuilder &tiles, ArrayRef<KeyInterval> a,
                        ArrayRef<KeyInterval> b) {
  KeyUnion all(a);
  all.append(b.begin(), b.end());
  return simplified(tiles, all);
}

static KeyUnion intersectionOf(TileBuilder &tiles, ArrayRef<KeyInterval> a,
                               ArrayRef<KeyInterval> b) {
  KeyUnion all;
  for (const KeyInterval &x : a)
    for (const KeyInterval &y : b)
      all.push_back({meet<arith::MaxSIOp>(tiles, x.begin, y.begin),
                     meet<arith::MinSIOp>(tiles, x.end, y.end)});
  return simplified(tiles, all);
}

static KeyUnion complementOf(TileBuilder &tiles,
                             ArrayRef<KeyInterval> intervals) {
  KeyUnion result = {{}};
  for (const KeyInterval &interval : intervals) {
    KeyUnion outside;
    if (interval.begin)
      outside.push_back({Value(), interval.begin});
    if (interval.end)
      outside.push_back({interval.end, Value()});
    result = intersectionOf(tiles, result, outside);
  }
  return result;
}

KeySets tile::negationOf(TileBuilder &tiles, const KeySets &sets) {
  return {complementOf(tiles, sets.full), complementOf(tiles, sets.visible),
          sets.isVague};
}

/// Keeps at most `greatestUnion` intervals: more may be visible, less full.
static KeySets limited(TileBuilder &tiles, KeySets sets) {
  if (sets.visible.size() > greatestUnion) {
    sets.visible = {hullOf(tiles, sets.visible)};
    sets.isVague = true;
  }
  if (sets.full.size() > greatestUnion) {
    sets.full.truncate(greatestUnion);
    sets.isVague = true;
  }
  return sets;
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

namespace {

class MaskReader {
public:
  MaskReader(TileBuilder &tiles, CompareSolver &solver, const QueryBlock &block)
      : tiles(tiles), solver(solver), block(block) {}

  KeySets of(Value mask) {
    auto known = cache.find(mask);
    if (known != cache.end())
      return known->second;
    KeySets sets = limited(tiles, read(mask));
    cache[mask] = sets;
    return sets;
  }

private:
  KeySets read(Value mask) {
    APInt constant;
    if (matchPattern(mask, m_ConstantInt(&constant)))
      return constant.isZero() ? KeySets() : everything();
    Operation *op = mask.getDefiningOp();
    if (auto both = dyn_cast_or_null<arith::AndIOp>(op))
      return conjunction(of(both.getLhs()), of(both.getRhs()));
    if (auto either = dyn_cast_or_null<arith::OrIOp>(op))
      return disjunction(of(either.getLhs()), of(either.getRhs()));
    if (auto differs = dyn_cast_or_null<arith::XOrIOp>(op)) {
      for (auto [one, other] : {std::pair{differs.getLhs(), differs.getRhs()},
                                std::pair{differs.getRhs(), differs.getLhs()}})
        if (matchPattern(one, m_One()))
          return negation(of(other));
      KeySets a = of(differs.getLhs()), b = of(differs.getRhs());
      return disjunction(conjunction(a, negation(b)),
                         conjunction(negation(a), b));
    }
    if (auto choice = dyn_cast_or_null<arith::SelectOp>(op)) {
      KeySets condition = of(choice.getCondition());
      return disjunction(
          conjunction(condition, of(choice.getTrueValue())),
          conjunction(negation(condition), of(choice.getFalseValue())));
    }
    if (std::optional<KeySets> sets = solver.solve(mask))
      return *sets;
    if (auto plugin = dyn_cast_or_null<MaskOpInterface>(op))
      return ask(plugin);
    return unknown();
  }

  KeySets ask(MaskOpInterface op) {
    KeyRange answer = op.buildKeyRange(tiles.builder, block);
    bool knowsVisible = answer.visibleBegin || answer.visibleEnd;
    bool knowsFull = (answer.fullBegin || answer.fullFromStart) &&
                     (answer.fullEnd || answer.fullToEnd);
    if (!knowsVisible && !knowsFull) {
      OpBuilder builder(op);
      return of(
          cast<PluginOpInterface>(op.getOperation()).buildExpansion(builder));
    }
    auto row = [&](Value position) -> Value {
      return position ? tiles.create<arith::SubIOp>(position, block.keyOffset)
                      : Value();
    };
    KeySets sets;
    sets.visible = {{row(answer.visibleBegin), row(answer.visibleEnd)}};
    if (knowsFull)
      sets.full = {{row(answer.fullBegin), row(answer.fullEnd)}};
    sets.isVague = !knowsFull || !knowsVisible;
    return sets;
  }

  static KeySets everything() {
    KeySets sets;
    sets.visible = sets.full = {{}};
    return sets;
  }
  static KeySets unknown() {
    KeySets sets;
    sets.visible = {{}};
    sets.isVague = true;
    return sets;
  }
  KeySets conjunction(const KeySets &a, const KeySets &b) {
    return {intersectionOf(tiles, a.visible, b.visible),
            intersectionOf(tiles, a.full, b.full), a.isVague || b.isVague};
  }
  KeySets disjunction(const KeySets &a, const KeySets &b) {
    return {unionOf(tiles, a.visible, b.visible),
            unionOf(tiles, a.full, b.full), a.isVague || b.isVague};
  }
  KeySets negation(const KeySets &a) { return negationOf(tiles, a); }

  TileBuilder &tiles;
  CompareSolver &solver;
  const QueryBlock &block;
  DenseMap<Value, KeySets> cache;
};

} // namespace

KeySets tile::findKeySets(AttentionOp attention, KernelBuilder &kernel,
                          TileBuilder &tiles, const AttentionContext &context,
                          QueryRows rows) {
  if (attention.getMask().empty()) {
    KeySets sets;
    sets.visible = sets.full = {{}};
    return sets;
  }
  // 64 bits, so that no width or offset that is added to a position wraps.
  CompareSolver solver(attention, kernel, tiles, context, rows);
  auto wide = [&](Value value) -> Value {
    return value.getType().isInteger(32) ? tiles.widen(value) : value;
  };
  auto lookup = [&](Value value) -> Value { return solver.uniform(value); };
  auto load = [&](OpBuilder &builder, Value tensor,
                  ValueRange indices) -> Value {
    auto argument = dyn_cast<BlockArgument>(tensor);
    if (!argument || !isa<func::FuncOp>(argument.getOwner()->getParentOp()))
      return nullptr;
    TileBuilder here(builder, tiles.loc);
    Value offset;
    for (auto [axis, index] : llvm::enumerate(indices))
      offset = offset ? here.create<arith::AddIOp>(
                            here.create<arith::MulIOp>(
                                offset, here.widen(kernel.dim(tensor, axis))),
                            index)
                      : Value(index);
    Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
    Value loaded = LoadOp::create(builder, tiles.loc, element,
                                  kernel.input(argument), offset, Value());
    return element.isInteger(32) ? here.widen(loaded) : loaded;
  };
  QueryBlock block;
  block.batch = wide(context.batch);
  block.head = wide(context.head);
  block.rowBegin = wide(rows.begin);
  block.rowEnd = wide(rows.end);
  Value offset = wide(context.queryOffset);
  block.positionBegin = tiles.create<arith::AddIOp>(block.rowBegin, offset);
  block.positionEnd = tiles.create<arith::AddIOp>(block.rowEnd, offset);
  block.keyOffset = wide(context.keyOffset);
  block.keyLength = wide(context.keyLength);
  block.lookup = lookup;
  block.load = load;
  block.coordinates = attention.getMask().getArguments();
  return MaskReader(tiles, solver, block)
      .of(cast<YieldOp>(attention.getMask().front().getTerminator())
              .getValue());
}
