//===- RaiseAttention.cpp - find attention and say it as one op -----------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts from each product of weights and values; what the weights are and what
// is done to the rows afterwards is read by AttentionMatch.h and
// ExclusionMatch.h.
//
//===----------------------------------------------------------------------===//

#include "goat/Conversion/LinalgToGoat/LinalgToGoat.h"

#include "AttentionMatch.h"
#include "ExclusionMatch.h"
#include "RegionBuilder.h"
#include "View.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace goat;
using namespace goat::raise;

namespace goat {
#define GEN_PASS_DEF_RAISEATTENTION
#include "goat/Conversion/LinalgToGoat/Passes.h.inc"
} // namespace goat

namespace {

/// One product of weights and values, on its way to an attention.
class Raiser {
public:
  explicit Raiser(linalg::LinalgOp op)
      : op(op), graph(op->getContext()), builder(op) {}

  /// Success when the product was replaced; a failure says why in a remark,
  /// unless the product is nothing like an attention.
  LogicalResult run();

private:
  LogicalResult matchProduct();
  LogicalResult nameVariables();
  LogicalResult chooseOperands();
  std::optional<View> keyView(const Operand &operand, unsigned row,
                              unsigned column, int64_t &heads);
  LogicalResult build();
  /// Remarks on what an attention has become.
  void remark();
  LogicalResult buildRegions(AttentionOp attention);
  LogicalResult refuse(const Twine &why) {
    op->emitRemark("left as it is, though it multiplies weights by values: ")
        << why;
    return failure();
  }
  /// The variables that count query heads: one, or key heads and heads of a
  /// group.
  bool isGrouped() const { return groupVariable.has_value(); }
  void bindCoordinates(RegionBuilder &region, OpBuilder &regionBuilder,
                       ValueRange coordinates);
  Block *addBlock(Region &region, TypeRange types);
  Value buildSink(Location loc);

  linalg::LinalgOp op;
  ElementGraph graph;
  OpBuilder builder;

  Weights weights;
  Logits logits;
  SmallVector<Operand> values;
  const Element *product = nullptr;
  /// The value's element that the product reads.
  const Element *valueElement = nullptr;
  Variables variables;
  std::optional<unsigned> groupVariable;
  int64_t groupSize = 1, queryHeads = 1;
  /// What is computed from the product's rows, and where it stands.
  std::optional<Exclusion> exclusion;
  Operand result;

  std::optional<View> queryView, keyViewChosen, valueViewChosen, resultView;
};

LogicalResult Raiser::matchProduct() {
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || !isa<FloatType>(type.getElementType()))
    return failure();
  SmallVector<const Element *> indices;
  for (int64_t size : type.getShape())
    indices.push_back(graph.variable(graph.addVariable(size)));
  product = graph.elementOf(op->getResult(0), indices);
  if (!product->isReduction(Combiner::add) ||
      product->value != op->getResult(0))
    return failure();
  ReductionBody body = graph.bodyOf(product);
  if (!body.element || body.variables.size() != 1)
    return failure();
  const Element *factors = withoutCasts(body.element);
  if (!factors->is("arith.mulf"))
    return failure();
  variables.key = body.variables.front();

  bool looksLikeAttention = false;
  for (unsigned side : {0, 1}) {
    const Element *weight = factors->operands[side],
                  *value = factors->operands[1 - side];
    if (!weight->dependsOn(variables.key) || !value->dependsOn(variables.key))
      continue;
    std::optional<Weights> found = matchWeights(graph, weight, variables.key);
    if (!found)
      found = matchNumerator(graph, weight, variables.key);
    if (!found) {
      looksLikeAttention |= hasExponential(weight, variables.key);
      continue;
    }
    weights = *found;
    valueElement = value;
    break;
  }
  if (!valueElement)
    return looksLikeAttention
               ? refuse("expected a softmax or a sigmoid of the logits, over "
                        "the keys")
               : failure();
  return success();
}

LogicalResult Raiser::nameVariables() {
  // Which index of the result is which: a query's is one of the logits alone, a
  // column's one of the values alone.
  SmallVector<unsigned> ofBoth, ofLogit, ofOne;
  std::optional<unsigned> column;
  for (unsigned number = 0; number < product->operands.size(); ++number) {
    bool inLogit = weights.logit->dependsOn(number),
         inValue = valueElement->dependsOn(number);
    if (inLogit && !inValue)
      ofLogit.push_back(number);
    else if (inValue && !inLogit) {
      if (column)
        return refuse("expected one index of the values alone but got more");
      column = number;
    } else if (inLogit) {
      ofBoth.push_back(number);
    } else if (graph.sizeOf(number) == 1) {
      ofOne.push_back(number);
    } else {
      return refuse("expected every index of the result in weights or values");
    }
  }
  // Gated elements that are summed, as for the mean of a SiLU, are no rows.
  if (!column && weights.normalizer == Normalizer::sigmoid)
    return failure();
  if (!column)
    return refuse("expected one index of the values alone but got none");
  // With one query, its index is a constant of the expressions.
  if (ofLogit.empty() && !ofOne.empty())
    ofLogit.push_back(ofOne.pop_back_val());
  // One batch beside the heads.
  if (ofBoth.size() == 1 && !ofOne.empty())
    ofBoth.insert(ofBoth.begin(), ofOne.front());
  if (ofLogit.empty() || ofLogit.size() > 2 || ofBoth.size() > 2)
    return refuse("expected indices for batch, head, query and column");
  variables.column = *column;
  if (ofLogit.size() == 2) {
    // Heads of a group have the logits' rows in common: rows come after heads.
    auto placeOf = [&](unsigned number) -> size_t {
      for (const ElementGraph::Access &access : graph.inputsOf(product))
        if (!llvm::any_of(access.indices, [&](const Element *at) {
              return at->dependsOn(variables.column);
            }))
          for (auto [place, at] : llvm::enumerate(access.indices))
            if (at->dependsOn(number))
              return place;
      return 0;
    };
    if (placeOf(ofLogit.front()) > placeOf(ofLogit.back()))
      std::swap(ofLogit.front(), ofLogit.back());
  }
  variables.query = ofLogit.back();

  std::string why;
  std::optional<Logits> found =
      matchLogits(graph, weights.logit, variables, why);
  if (!found)
    return refuse(why);
  logits = *found;
  for (const ElementGraph::Access &access : graph.inputsOf(product))
    if (llvm::any_of(access.indices, [&](const Element *at) {
          return at->dependsOn(variables.column);
        }))
      values = operandsOf(graph, valueElement, access);
  if (values.empty())
    return refuse("expected a tensor of values");

  SmallVector<std::pair<unsigned, const Element *>> renaming;
  if (ofLogit.size() == 2) {
    // Heads counted by key head and place in the group.
    variables.head =
        ofBoth.empty() ? graph.addVariable(1) : ofBoth.pop_back_val();
    groupVariable = ofLogit.front();
    groupSize = graph.sizeOf(*groupVariable);
  } else if (ofBoth.size() == 1) {
    // Batch and head in one index: where an operand takes them apart, or one
    // of the two alone.
    unsigned both = ofBoth.pop_back_val();
    int64_t heads = 0;
    for (const SmallVector<Operand> *operands :
         {&logits.query, &logits.key, &values})
      for (const Element *index : operands->front().indices)
        heads = std::max(heads, divisorOf(index, both));
    int64_t size = graph.sizeOf(both);
    if (heads == 0)
      heads = ShapedType::isDynamic(size) ? 1 : size;
    if (!ShapedType::isDynamic(size) && size % heads)
      return refuse("expected batch and head in one index");
    variables.batch =
        graph.addVariable(ShapedType::isDynamic(size) ? size : size / heads);
    variables.head = graph.addVariable(heads);
    MLIRContext *context = op->getContext();
    renaming.push_back(
        {both, graph.index(getAffineDimExpr(variables.batch, context) * heads +
                           getAffineDimExpr(variables.head, context))});
    ofBoth.push_back(variables.batch);
  } else if (ofBoth.size() == 2) {
    variables.head = ofBoth.pop_back_val();
    // Head counts are static; batch sizes need not be.
    if (ShapedType::isDynamic(graph.sizeOf(variables.head)))
      std::swap(variables.head, ofBoth.front());
  } else {
    variables.head = graph.addVariable(1);
  }
  variables.batch = ofBoth.empty() ? graph.addVariable(1) : ofBoth.front();
  if (ShapedType::isDynamic(graph.sizeOf(variables.head)) ||
      ShapedType::isDynamic(groupSize))
    return refuse("expected a static number of heads");
  queryHeads = graph.sizeOf(variables.head) * groupSize;

  if (renaming.empty())
    return success();
  auto rename = [&](const Element *element) {
    return element ? graph.substitute(element, renaming) : nullptr;
  };
  product = rename(product);
  logits.product = rename(logits.product);
  logits.score = rename(logits.score);
  weights.sink = rename(weights.sink);
  weights.numerator = rename(weights.numerator);
  for (const Element *&mask : logits.masks)
    mask = rename(mask);
  for (SmallVector<Operand> *operands : {&logits.query, &logits.key, &values})
    for (Operand &operand : *operands)
      for (const Element *&index : operand.indices)
        index = rename(index);
  return success();
}

/// The view (batch, key head, row, column) of an operand with key heads, which
/// may each stand for a group of query heads, or for all.
std::optional<View> Raiser::keyView(const Operand &operand, unsigned row,
                                    unsigned column, int64_t &heads) {
  int64_t group = 0;
  bool dependsOnHead = false;
  for (const Element *index : operand.indices) {
    group = std::max(group, divisorOf(index, variables.head));
    dependsOnHead |= index->dependsOn(variables.head);
  }
  unsigned head = variables.head;
  Operand renamed = operand;
  if (!dependsOnHead) {
    head = graph.addVariable(1);
  } else if (group > 1 && graph.sizeOf(head) % group == 0) {
    unsigned keyHead = graph.addVariable(graph.sizeOf(head) / group);
    MLIRContext *context = op->getContext();
    AffineExpr quotient = getAffineDimExpr(head, context).floorDiv(group);
    for (const Element *&index : renamed.indices)
      if (index->kind == ElementKind::index)
        index = graph.index(
            index->index.replace(quotient, getAffineDimExpr(keyHead, context)));
    head = keyHead;
  }
  heads = graph.sizeOf(head);
  return View::find(graph, renamed, {variables.batch, head, row, column});
}

LogicalResult Raiser::chooseOperands() {
  // The most original tensors that fit together.
  for (const Operand &query : logits.query) {
    SmallVector<unsigned> order = {variables.batch, variables.head};
    if (isGrouped())
      order.push_back(*groupVariable);
    order.append({variables.query, variables.depth});
    std::optional<View> q = View::find(graph, query, order);
    if (!q)
      continue;
    for (const Operand &key : logits.key) {
      int64_t keyHeads = 0;
      std::optional<View> k =
          keyView(key, variables.key, variables.depth, keyHeads);
      if (!k || k->getElementType() != q->getElementType())
        continue;
      for (const Operand &value : values) {
        int64_t valueHeads = 0;
        std::optional<View> v =
            keyView(value, variables.key, variables.column, valueHeads);
        if (!v || v->getElementType() != q->getElementType() ||
            valueHeads != keyHeads || value.factor != 1.0)
          continue;
        queryView = q;
        keyViewChosen = k;
        valueViewChosen = v;
        logits.scale *= query.factor * key.factor;
        return success();
      }
    }
  }
  return refuse("expected query, key and value as views (batch, head, row, "
                "column) of tensors with one element type");
}

void Raiser::bindCoordinates(RegionBuilder &region, OpBuilder &regionBuilder,
                             ValueRange coordinates) {
  region.bindVariable(variables.batch, coordinates[0]);
  if (!isGrouped()) {
    region.bindVariable(variables.head, coordinates[1]);
  } else {
    Value size =
        arith::ConstantIndexOp::create(regionBuilder, op.getLoc(), groupSize);
    region.bindVariable(variables.head,
                        arith::DivUIOp::create(regionBuilder, op.getLoc(),
                                               coordinates[1], size));
    region.bindVariable(*groupVariable,
                        arith::RemUIOp::create(regionBuilder, op.getLoc(),
                                               coordinates[1], size));
  }
  region.bindVariable(variables.query, coordinates[2]);
  if (coordinates.size() > 3)
    region.bindVariable(variables.key, coordinates[3]);
}

Block *Raiser::addBlock(Region &region, TypeRange types) {
  Block *block = new Block();
  region.push_back(block);
  for (Type type : types)
    block->addArgument(type, op.getLoc());
  return block;
}

LogicalResult Raiser::buildRegions(AttentionOp attention) {
  Location loc = op.getLoc();
  Type index = builder.getIndexType(), f32 = builder.getF32Type();
  if (logits.score != logits.product) {
    Block *block =
        addBlock(attention.getScore(), {f32, index, index, index, index});
    OpBuilder inside = OpBuilder::atBlockEnd(block);
    RegionBuilder region(inside, loc);
    region.bind(logits.product, block->getArgument(0));
    region.setPair(graph, variables.query, variables.key);
    bindCoordinates(region, inside, block->getArguments().drop_front());
    Value score = region.build(logits.score);
    if (!score)
      return refuse("the logits have no place in a score region: " +
                    region.getProblem());
    YieldOp::create(inside, loc, score);
  }
  if (!logits.masks.empty()) {
    Block *block = addBlock(attention.getMask(), {index, index, index, index});
    OpBuilder inside = OpBuilder::atBlockEnd(block);
    RegionBuilder region(inside, loc);
    bindCoordinates(region, inside, block->getArguments());
    Value allowed;
    for (const Element *mask : logits.masks) {
      Value condition = region.build(mask);
      if (!condition)
        return refuse("the mask has no place in a mask region: " +
                      region.getProblem());
      allowed = allowed ? arith::AndIOp::create(inside, loc, allowed, condition)
                              .getResult()
                        : condition;
    }
    YieldOp::create(inside, loc, allowed);
  }
  if (!exclusion)
    return success();
  int64_t width = attention.getValueDim();
  Type row = RankedTensorType::get({width}, f32);
  Block *block =
      addBlock(attention.getExclude(), {row, row, index, index, index});
  OpBuilder inside = OpBuilder::atBlockEnd(block);
  RegionBuilder region(inside, loc);
  region.setRow(graph, variables.column, width);
  region.bind(exclusion->row, block->getArgument(0));
  for (const Element *own : exclusion->own)
    region.bind(own, block->getArgument(1));
  bindCoordinates(region, inside, block->getArguments().drop_front(2));
  Value excluded;
  if (exclusion->xsa) {
    Value strength;
    if (exclusion->xsa->strength &&
        !(strength = region.build(exclusion->xsa->strength)))
      return refuse("the strength has no place in an exclude region: " +
                    region.getProblem());
    excluded = XsaOp::create(
        inside, loc, row, block->getArgument(0), block->getArgument(1),
        strength, EpsModeAttr::get(builder.getContext(), exclusion->xsa->mode),
        builder.getF32FloatAttr(static_cast<float>(exclusion->xsa->eps)));
  } else {
    excluded = region.buildRow(exclusion->result);
    if (!excluded)
      return refuse("what is done to the rows has no place in an exclude "
                    "region: " +
                    region.getProblem());
  }
  YieldOp::create(inside, loc, excluded);
  return success();
}

/// The sink's logits as a tensor of one per query head; null when they are
/// something else.
Value Raiser::buildSink(Location loc) {
  auto type = RankedTensorType::get({queryHeads}, builder.getF32Type());
  const Element *sink = withoutCasts(weights.sink);
  if (std::optional<double> number = sink->number())
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(type, static_cast<float>(*number)));
  if (sink->kind != ElementKind::load ||
      sink->type.getIntOrFloatBitWidth() > 32)
    return {};
  SmallVector<unsigned> order = {variables.head};
  if (isGrouped())
    order.push_back(*groupVariable);
  std::optional<View> view =
      View::find(graph, {sink->value, sink->operands}, order);
  if (!view)
    return {};
  Value logits = view->build(builder, loc);
  if (!sink->type.isF32())
    logits = arith::ExtFOp::create(
        builder, loc,
        cast<RankedTensorType>(logits.getType()).clone(builder.getF32Type()),
        logits);
  if (isGrouped())
    logits = tensor::CollapseShapeOp::create(
        builder, loc, logits, ArrayRef<ReassociationIndices>{{0, 1}});
  return logits;
}

LogicalResult Raiser::build() {
  Location loc = op.getLoc();
  SmallVector<unsigned> order = {variables.batch, variables.head};
  if (isGrouped())
    order.push_back(*groupVariable);
  order.append({variables.query, variables.column});
  resultView = View::find(graph, result, order);
  if (!resultView)
    return refuse(
        "expected a result that is a view (batch, head, row, column)");

  builder.setInsertionPointAfter(result.tensor.getDefiningOp());
  SmallVector<ReassociationIndices> grouping = {{0}, {1, 2}, {3}, {4}};
  Value query = queryView->build(builder, loc);
  if (isGrouped())
    query = tensor::CollapseShapeOp::create(builder, loc, query, grouping);
  Value key = keyViewChosen->build(builder, loc),
        value = valueViewChosen->build(builder, loc);
  auto queryType = cast<RankedTensorType>(query.getType());
  SmallVector<int64_t> shape(queryType.getShape());
  shape[3] = valueViewChosen->getShape()[3];
  auto outType = RankedTensorType::get(shape, queryType.getElementType());

  Value sink;
  if (weights.sink) {
    sink = buildSink(loc);
    if (!sink)
      return refuse("expected a sink logit that depends on the head alone");
  }
  FloatAttr scale = builder.getF32FloatAttr(static_cast<float>(logits.scale));
  auto attention = AttentionOp::create(
      builder, loc, outType, /*lse=*/Type(), query, key, value,
      /*scale=*/Value(), sink, /*q_offset=*/Value(), /*k_offset=*/Value(),
      /*q_lengths=*/Value(), /*k_lengths=*/Value(), scale,
      builder.getI32IntegerAttr(0), /*static_k_offset=*/IntegerAttr(),
      weights.normalizer);
  if (failed(buildRegions(attention)))
    return failure();

  Value out = attention.getOut();
  Type wanted = getElementTypeOrSelf(result.tensor.getType());
  if (wanted != queryType.getElementType()) {
    auto type = RankedTensorType::get(shape, wanted);
    bool isWider =
        wanted.getIntOrFloatBitWidth() > queryType.getElementTypeBitWidth();
    out = isWider
              ? arith::ExtFOp::create(builder, loc, type, out).getResult()
              : arith::TruncFOp::create(builder, loc, type, out).getResult();
  }
  if (isGrouped()) {
    SmallVector<OpFoldResult> sizes;
    SmallVector<int64_t> split;
    for (int64_t axis = 0; axis < 4; ++axis) {
      if (axis == 1) {
        sizes.append({builder.getIndexAttr(queryHeads / groupSize),
                      builder.getIndexAttr(groupSize)});
        split.append({queryHeads / groupSize, groupSize});
        continue;
      }
      sizes.push_back(tensor::getMixedSize(builder, loc, out, axis));
      split.push_back(shape[axis]);
    }
    out = tensor::ExpandShapeOp::create(builder, loc,
                                        RankedTensorType::get(split, wanted),
                                        out, grouping, sizes);
  }
  Value replacement = resultView->buildInverse(builder, loc, out);
  if (replacement.getType() != result.tensor.getType())
    replacement = tensor::CastOp::create(builder, loc, result.tensor.getType(),
                                         replacement);
  result.tensor.replaceAllUsesWith(replacement);
  return success();
}

void Raiser::remark() {
  if (logits.unpackedColumns)
    op->emitRemark("the last ")
        << logits.unpackedColumns
        << " packed columns of query and key are a prior again, which the "
           "kernel computes in f32";
  if (logits.keepsFiniteMask)
    op->emitRemark("a mask of finite numbers stays in the score, as it may "
                   "leave a row without a key; one of −∞, or of booleans, "
                   "would leave out whole tiles");
}

LogicalResult Raiser::run() {
  if (failed(matchProduct()) || failed(nameVariables()) ||
      failed(chooseOperands()))
    return failure();
  const Element *row = product;
  result = {product->value, product->operands};
  if (weights.numerator) {
    std::optional<Exclusion> quotient =
        matchQuotient(graph, product, variables, weights);
    if (!quotient)
      return refuse("expected a softmax or a sigmoid of the logits, over the "
                    "keys");
    row = quotient->row;
    result = quotient->at;
  }
  if ((exclusion = matchExclusion(graph, product, row, values, variables)))
    result = exclusion->at;

  Operation *last = result.tensor.getDefiningOp();
  Operation *next = last->getNextNode();
  if (succeeded(build())) {
    remark();
    return success();
  }
  // Nothing stays of what was begun.
  while (last->getNextNode() != next)
    next->getPrevNode()->erase();
  return failure();
}

/// Erases what nothing uses any more; only blocks with a raised product are
/// looked at.
void eraseDeadOps(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

struct RaiseAttention : goat::impl::RaiseAttentionBase<RaiseAttention> {
  void runOnOperation() override {
    llvm::DenseSet<Operation *> left;
    while (linalg::LinalgOp op = nextProduct(left)) {
      Block *block = op->getBlock();
      // Whatever still needs the product's own rows afterwards gets an
      // attention of its own.
      if (succeeded(Raiser(op).run()))
        eraseDeadOps(*block);
      else
        left.insert(op);
    }
  }

  /// The first product that was not looked at yet.
  linalg::LinalgOp nextProduct(const llvm::DenseSet<Operation *> &left) {
    linalg::LinalgOp next;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (left.contains(op) || !op.hasPureTensorSemantics() ||
          op.getNumReductionLoops() != 1 || op->getNumResults() != 1)
        return WalkResult::advance();
      next = op;
      return WalkResult::interrupt();
    });
    return next;
  }
};

} // namespace
