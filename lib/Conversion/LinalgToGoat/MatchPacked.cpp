//===- MatchPacked.cpp - a prior packed into columns of query and key -----===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The published form of the method computes its prior by the product of query
// and key: q' = [q, A cos ωi + B sin ωi, A sin ωi − B cos ωi, 1] and
// k' = [k, cos ωj, sin ωj, u(j)] have the product q·k + Σ A cos ω(i − j) +
// B sin ω(i − j) + u(j). Here the columns are read back as that sum.
//
//===----------------------------------------------------------------------===//

#include "AttentionMatch.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinAttributes.h"

#include <cmath>
#include <set>

using namespace mlir;
using namespace goat;
using namespace goat::raise;

namespace {

/// More terms than this cost more than columns do.
constexpr int64_t mostTerms = 64;

/// A constant times an element of `tensor`, which is joined from `pieces` along
/// the columns.
struct Joined {
  Value tensor;
  SmallVector<Value, 4> pieces;
  unsigned axis = 0;
  SmallVector<const Element *, 4> indices;
  double factor = 1.0;

  int64_t sizeOf(Value piece) const {
    return cast<RankedTensorType>(piece.getType()).getDimSize(axis);
  }
};

std::optional<Joined> matchJoined(const Element *factor, unsigned depth) {
  double constants = 1.0;
  while (factor->kind == ElementKind::operation) {
    if (factor->is("arith.extf") || factor->is("arith.truncf")) {
      factor = factor->operands[0];
      continue;
    }
    const Element *next = withoutConstant(factor, constants);
    if (!next)
      return std::nullopt;
    factor = next;
  }
  if (factor->kind != ElementKind::load)
    return std::nullopt;
  auto concat = factor->value.getDefiningOp<tensor::ConcatOp>();
  if (!concat)
    return std::nullopt;
  Joined joined{factor->value, llvm::to_vector<4>(concat.getInputs()),
                static_cast<unsigned>(concat.getDim()), factor->operands,
                constants};
  for (auto [axis, at] : llvm::enumerate(factor->operands)) {
    bool isColumn = axis == joined.axis;
    if (isColumn != at->dependsOn(depth))
      return std::nullopt;
    if (isColumn && (at->kind != ElementKind::index ||
                     at->index != getAffineDimExpr(depth, concat.getContext())))
      return std::nullopt;
  }
  return joined;
}

class Unpacker {
public:
  Unpacker(ElementGraph &graph, const Joined &query, const Joined &key)
      : graph(graph), query(query), key(key),
        f32(Float32Type::get(query.tensor.getContext())) {}

  /// Splits the columns; false when they are not content and prior.
  bool split();
  /// The prior, without the constants.
  const Element *prior();

  /// Where the content is in either.
  Value queryContent, keyContent;
  int64_t contentSize = 0, columns = 0;

private:
  struct Segment {
    int64_t start, size;
  };
  const Element *elementAt(const Joined &joined, const Element *column) {
    SmallVector<const Element *, 4> indices(joined.indices);
    indices[joined.axis] = column;
    return withoutCasts(graph.elementOf(joined.tensor, indices));
  }
  const Element *column(AffineExpr at) { return graph.index(at); }
  const Element *op(StringRef name, const Element *a, const Element *b) {
    return graph.operation(name, f32, {a, b});
  }
  const Element *sumOf(const Element *a, const Element *b) {
    return a ? op("arith.addf", a, b) : b;
  }
  /// Σ of the frequencies of two segments: of the cosines and of the sines.
  const Element *matchSpectral(Segment cosines, Segment sines);
  /// i − j from positions that are i and j, each as a float.
  const Element *distanceOf(const Element *query, const Element *key);
  std::optional<AffineExpr> positionOf(const Element *element);

  ElementGraph &graph;
  const Joined &query, &key;
  Type f32;
  SmallVector<Segment> segments;
};

bool Unpacker::split() {
  std::set<int64_t> bounds = {0};
  for (const Joined *joined : {&query, &key}) {
    int64_t end = 0;
    for (Value piece : joined->pieces) {
      int64_t size = joined->sizeOf(piece);
      if (ShapedType::isDynamic(size))
        return false;
      bounds.insert(end += size);
    }
  }
  int64_t last = 0;
  for (int64_t bound : bounds) {
    if (bound == 0)
      continue;
    segments.push_back({last, bound - last});
    last = bound;
  }
  // The content is the longest segment, and a whole piece of both.
  auto *content = llvm::max_element(
      segments, [](Segment a, Segment b) { return a.size < b.size; });
  Segment chosen = *content;
  auto pieceOf = [&](const Joined &joined) -> Value {
    int64_t start = 0;
    for (Value piece : joined.pieces) {
      int64_t size = joined.sizeOf(piece);
      if (start == chosen.start && size == chosen.size)
        return piece;
      start += size;
    }
    return {};
  };
  queryContent = pieceOf(query);
  keyContent = pieceOf(key);
  contentSize = chosen.size;
  columns = last - chosen.size;
  segments.erase(content);
  return queryContent && keyContent && columns <= mostTerms;
}

const Element *Unpacker::prior() {
  const Element *sum = nullptr;
  for (size_t number = 0; number < segments.size(); ++number) {
    Segment segment = segments[number];
    if (number + 1 < segments.size())
      if (const Element *spectral =
              matchSpectral(segment, segments[number + 1])) {
        sum = sumOf(sum, spectral);
        ++number;
        continue;
      }
    if (segment.size != 1)
      return nullptr;
    const Element *at =
        column(getAffineConstantExpr(segment.start, f32.getContext()));
    const Element *q = elementAt(query, at), *k = elementAt(key, at);
    sum = sumOf(sum, q->number() == 1.0 ? k : op("arith.mulf", q, k));
  }
  return sum;
}

/// a·b as (what `isFactor` says, the other); nulls when it is none.
template <typename Predicate>
std::pair<const Element *, const Element *> matchProduct(const Element *element,
                                                         Predicate isFactor) {
  element = withoutCasts(element);
  if (element->is("arith.mulf"))
    for (unsigned side : {0, 1}) {
      const Element *factor = withoutCasts(element->operands[side]);
      if (isFactor(factor))
        return {factor, withoutCasts(element->operands[1 - side])};
    }
  return {nullptr, nullptr};
}

std::optional<AffineExpr> Unpacker::positionOf(const Element *element) {
  element = withoutCasts(element);
  if (element->is("arith.addf")) {
    for (unsigned side : {0, 1}) {
      std::optional<double> offset = element->operands[side]->number();
      std::optional<AffineExpr> rest =
          offset && *offset == std::floor(*offset)
              ? positionOf(element->operands[1 - side])
              : std::nullopt;
      if (rest)
        return *rest + static_cast<int64_t>(*offset);
    }
    return std::nullopt;
  }
  if ((element->is("arith.sitofp") || element->is("arith.uitofp")) &&
      element->operands[0]->kind == ElementKind::index)
    return element->operands[0]->index;
  return std::nullopt;
}

const Element *Unpacker::distanceOf(const Element *queryAt,
                                    const Element *keyAt) {
  std::optional<AffineExpr> i = positionOf(queryAt), j = positionOf(keyAt);
  if (!i || !j)
    return nullptr;
  const Element *distance =
      graph.index(*i - *j, IntegerType::get(f32.getContext(), 32));
  return graph.operation("arith.sitofp", f32, {distance});
}

const Element *Unpacker::matchSpectral(Segment cosines, Segment sines) {
  if (cosines.size != sines.size)
    return nullptr;
  MLIRContext *context = f32.getContext();
  unsigned rank = graph.addVariable(cosines.size);
  AffineExpr r = getAffineDimExpr(rank, context);
  const Element *q0 = elementAt(query, column(r + cosines.start)),
                *q1 = elementAt(query, column(r + sines.start)),
                *k0 = elementAt(key, column(r + cosines.start)),
                *k1 = elementAt(key, column(r + sines.start));
  if (!k0->is("math.cos") || !k1->is("math.sin") ||
      withoutCasts(k0->operands[0]) != withoutCasts(k1->operands[0]))
    return nullptr;
  // A gate of the row is a factor of both.
  const Element *gate = nullptr;
  auto isCombination = [](const Element *element) {
    return element->is("arith.addf") || element->is("arith.subf");
  };
  if (!isCombination(q0)) {
    auto [first, gate0] = matchProduct(q0, isCombination);
    auto [second, gate1] = matchProduct(q1, isCombination);
    // One gate for all frequencies.
    if (!first || !second || gate0 != gate1 ||
        (gate0 && gate0->dependsOn(rank)))
      return nullptr;
    gate = gate0;
    q0 = first;
    q1 = second;
  }
  if (!q0->is("arith.addf") || !q1->is("arith.subf"))
    return nullptr;
  auto isCosine = [](const Element *element) {
    return element->is("math.cos");
  };
  auto isSine = [](const Element *element) { return element->is("math.sin"); };
  auto [cosine, a] = matchProduct(q0->operands[0], isCosine);
  auto [sine, b] = matchProduct(q0->operands[1], isSine);
  auto [sine1, a1] = matchProduct(q1->operands[0], isSine);
  auto [cosine1, b1] = matchProduct(q1->operands[1], isCosine);
  if (!cosine || !sine || a != a1 || b != b1 || cosine != cosine1 ||
      sine != sine1 ||
      withoutCasts(cosine->operands[0]) != withoutCasts(sine->operands[0]))
    return nullptr;
  // Angles: a position times a frequency.
  auto isPosition = [&](const Element *element) {
    return positionOf(element).has_value();
  };
  auto [i, omega] = matchProduct(cosine->operands[0], isPosition);
  auto [j, omegaOfKey] = matchProduct(k0->operands[0], isPosition);
  const Element *distance =
      i && j && omega == omegaOfKey ? distanceOf(i, j) : nullptr;
  if (!distance)
    return nullptr;
  const Element *angle = op("arith.mulf", distance, omega), *sum = nullptr;
  for (int64_t number = 0; number < cosines.size; ++number) {
    const Element *at = column(getAffineConstantExpr(number, context));
    auto term = [&](StringRef function, const Element *amplitude) {
      const Element *wave = graph.operation(
          function, f32, {graph.substitute(angle, {{rank, at}})});
      return op("arith.mulf", graph.substitute(amplitude, {{rank, at}}), wave);
    };
    sum = sumOf(sum, term("math.cos", a));
    sum = sumOf(sum, term("math.sin", b));
  }
  return gate ? op("arith.mulf", gate, sum) : sum;
}

} // namespace

/// `element` with `by` in place of `what`.
static const Element *replaced(ElementGraph &graph, const Element *element,
                               const Element *what, const Element *by) {
  llvm::DenseMap<const Element *, const Element *> known;
  auto rebuild = [&](auto &self, const Element *old) -> const Element * {
    if (old == what)
      return by;
    if (old->kind != ElementKind::operation)
      return old;
    if (auto found = known.find(old); found != known.end())
      return found->second;
    SmallVector<const Element *> operands;
    for (const Element *operand : old->operands)
      operands.push_back(self(self, operand));
    return known[old] = graph.operation(*old->name, old->attributes, old->type,
                                        operands);
  };
  return rebuild(rebuild, element);
}

void raise::unpackPrior(ElementGraph &graph, Logits &logits,
                        Variables &variables,
                        ArrayRef<const Element *> factors) {
  unsigned querySide = factors[0]->dependsOn(variables.key) ? 1 : 0;
  std::optional<Joined> query =
      matchJoined(factors[querySide], variables.depth);
  std::optional<Joined> key =
      matchJoined(factors[1 - querySide], variables.depth);
  if (!query || !key)
    return;
  double factor = logits.scale * query->factor * key->factor;
  Unpacker unpacker(graph, *query, *key);
  const Element *prior = unpacker.split() ? unpacker.prior() : nullptr;
  if (!prior)
    return;
  // Roots of a depth that cancel do so up to a rounding.
  Type f32 = Float32Type::get(prior->type.getContext());
  if (std::abs(factor - 1.0) > 1e-6)
    prior = graph.operation(
        "arith.mulf", f32,
        {prior, graph.constant(FloatAttr::get(f32, factor), f32)});
  logits.score =
      replaced(graph, logits.score, logits.product,
               graph.operation("arith.addf", f32, {logits.product, prior}));
  logits.unpackedColumns = unpacker.columns;
  variables.depth = graph.addVariable(unpacker.contentSize);
  auto operandOf = [&](const Joined &joined, Value content) {
    Operand operand{content, joined.indices, joined.factor};
    operand.indices[joined.axis] = graph.variable(variables.depth);
    return SmallVector<Operand>{operand};
  };
  logits.query = operandOf(*query, unpacker.queryContent);
  logits.key = operandOf(*key, unpacker.keyContent);
}
