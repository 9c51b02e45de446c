//===- ElementOf.cpp - from ops on tensors to expressions -----------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only file that knows how upstream dialects spell element-wise work,
// changes of shape and reductions.
//
//===----------------------------------------------------------------------===//

#include "Element.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace goat;
using namespace goat::raise;

namespace {

/// Below what is taken for the neutral element of a maximum: any logit is
/// greater.
constexpr double lowestMaximum = -1e30;

bool isNeutral(const Element *start, Combiner combiner) {
  std::optional<double> number = start->number();
  return number && (combiner == Combiner::add ? *number == 0.0
                                              : *number <= lowestMaximum);
}

/// Whether these are indices for every axis of the tensor an op reads.
bool isComplete(Operation *op, ArrayRef<const Element *> indices) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  return type.getRank() == static_cast<int64_t>(indices.size());
}

std::optional<Combiner> combinerOf(Operation *op) {
  if (isa<arith::AddFOp>(op))
    return Combiner::add;
  if (isa<arith::MaximumFOp, arith::MaxNumFOp>(op))
    return Combiner::max;
  return std::nullopt;
}

} // namespace

const Element *ElementGraph::elementOf(Value tensor,
                                       ArrayRef<const Element *> indices) {
  DenseElementsAttr data;
  if (matchPattern(tensor, m_Constant(&data)) && data.isSplat())
    return constant(data.getSplatValue<Attribute>(), data.getElementType());
  auto result = dyn_cast<OpResult>(tensor);
  if (!result || !isa<RankedTensorType>(tensor.getType()))
    return leaf(tensor, indices);
  std::pair<void *, std::vector<const Element *>> key(
      tensor.getAsOpaquePointer(), std::vector(indices.begin(), indices.end()));
  if (auto known = elements.find(key); known != elements.end())
    return known->second;
  const Element *expanded = expand(result, indices);
  return elements[key] = expanded ? expanded : leaf(tensor, indices);
}

const Element *ElementGraph::scalar(Value value) {
  Attribute known;
  if (matchPattern(value, m_Constant(&known)))
    return constant(known, value.getType());
  Element node;
  node.kind = ElementKind::scalar;
  node.type = value.getType();
  node.value = value;
  return intern(std::move(node));
}

const Element *ElementGraph::expand(OpResult tensor,
                                    ArrayRef<const Element *> indices) {
  Operation *op = tensor.getOwner();
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return expandStructured(structured, tensor.getResultNumber(), indices);
  if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op))
    return expandSoftmax(softmax, indices);
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op)) {
    SmallVector<const Element *> source = throughReshape(op, indices);
    return isComplete(op, source) ? elementOf(op->getOperand(0), source)
                                  : nullptr;
  }
  if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    return expandConcat(concat, indices);
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return elementOf(cast.getSource(), indices);
  if (auto splat = dyn_cast<tensor::SplatOp>(op)) {
    if (auto extract = splat.getInput().getDefiningOp<tensor::ExtractOp>();
        extract && extract.getIndices().empty())
      return elementOf(extract.getTensor(), {});
    return scalar(splat.getInput());
  }
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    // Same rank, constant start and step.
    auto type = cast<RankedTensorType>(tensor.getType());
    if (type.getRank() != slice.getSourceType().getRank())
      return nullptr;
    SmallVector<const Element *> source;
    for (auto [axis, element] : llvm::enumerate(indices)) {
      int64_t offset = slice.getStaticOffset(axis),
              stride = slice.getStaticStride(axis);
      if (ShapedType::isDynamic(offset) || ShapedType::isDynamic(stride))
        return nullptr;
      const Element *at =
          offset == 0 && stride == 1
              ? element
              : apply(getAffineDimExpr(axis, context) * stride + offset,
                      indices);
      if (!at)
        return nullptr;
      source.push_back(at);
    }
    return elementOf(slice.getSource(), source);
  }
  if (op->hasTrait<OpTrait::Elementwise>() && isMemoryEffectFree(op) &&
      op->getNumResults() == 1 && op->getNumRegions() == 0) {
    SmallVector<const Element *> operands;
    for (Value operand : op->getOperands())
      operands.push_back(isa<RankedTensorType>(operand.getType())
                             ? elementOf(operand, indices)
                             : scalar(operand));
    return scalarOperation(op, operands);
  }
  return nullptr;
}

const Element *
ElementGraph::scalarOperation(Operation *op,
                              ArrayRef<const Element *> operands) {
  return operation(op->getName(), op->getAttrDictionary(),
                   getElementTypeOrSelf(op->getResult(0).getType()), operands);
}

SmallVector<const Element *>
ElementGraph::iterationOf(linalg::LinalgOp op, unsigned result,
                          ArrayRef<const Element *> indices) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(result));
  SmallVector<const Element *> iteration(op.getNumLoops(), nullptr);
  for (auto [expression, at] : llvm::zip(map.getResults(), indices)) {
    auto dim = dyn_cast<AffineDimExpr>(expression);
    if (!dim)
      return {};
    iteration[dim.getPosition()] = at;
  }
  return iteration;
}

const Element *
ElementGraph::expandStructured(linalg::LinalgOp op, unsigned result,
                               ArrayRef<const Element *> indices) {
  SmallVector<const Element *> iteration = iterationOf(op, result, indices);
  if (iteration.size() != op.getNumLoops())
    return nullptr;
  Value yielded = op.getBlock()->getTerminator()->getOperand(result);
  if (op.getNumReductionLoops() == 0) {
    for (const Element *at : iteration)
      if (!at)
        return nullptr;
    return payload(op, yielded, iteration);
  }

  // combine(acc, f(inputs)), from a start.
  Operation *combine = yielded.getDefiningOp();
  std::optional<Combiner> combiner =
      combine ? combinerOf(combine) : std::nullopt;
  OpOperand *init = op.getDpsInitOperand(result);
  BlockArgument accumulator = op.getMatchingBlockArgument(init);
  if (!combiner || !accumulator.hasOneUse() ||
      *accumulator.getUsers().begin() != combine)
    return nullptr;
  const Element *start = elementOf(init->get(), indices);
  const Element *sum = reduction(op->getResult(result), *combiner, indices);
  if (isNeutral(start, *combiner))
    return sum;
  return scalarOperation(combine, {sum, start});
}

const Element *ElementGraph::payload(linalg::LinalgOp op, Value value,
                                     ArrayRef<const Element *> iteration) {
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && argument.getOwner() == op.getBlock()) {
    OpOperand *operand = op.getMatchingOpOperand(argument);
    if (!isa<RankedTensorType>(operand->get().getType()))
      return scalar(operand->get());
    SmallVector<const Element *> indices;
    for (AffineExpr expression :
         op.getMatchingIndexingMap(operand).getResults()) {
      const Element *at = apply(expression, iteration);
      if (!at)
        return nullptr;
      indices.push_back(at);
    }
    return elementOf(operand->get(), indices);
  }
  Operation *definition = value.getDefiningOp();
  if (!definition || definition->getBlock() != op.getBlock() ||
      matchPattern(value, m_Constant()))
    return scalar(value);
  if (auto counter = dyn_cast<linalg::IndexOp>(definition))
    return iteration[counter.getDim()];
  if (definition->getNumRegions() || definition->getNumResults() != 1 ||
      !isMemoryEffectFree(definition))
    return nullptr;
  SmallVector<const Element *> operands;
  auto extract = dyn_cast<tensor::ExtractOp>(definition);
  for (Value operand : extract ? ValueRange(extract.getIndices())
                               : ValueRange(definition->getOperands())) {
    const Element *element = payload(op, operand, iteration);
    if (!element)
      return nullptr;
    operands.push_back(element);
  }
  if (extract)
    return elementOf(extract.getTensor(), operands);
  return scalarOperation(definition, operands);
}

const Element *ElementGraph::expandSoftmax(linalg::SoftmaxOp op,
                                           ArrayRef<const Element *> indices) {
  Value result = op.getResult().front();
  Type type = getElementTypeOrSelf(result.getType());
  // What is reduced no longer depends on the index along the axis.
  SmallVector<const Element *> outer(indices);
  outer[op.getDimension()] = index(getAffineConstantExpr(0, context));
  const Element *greatest = reduction(result, Combiner::max, outer);
  const Element *sum = reduction(result, Combiner::add, outer);
  const Element *logit = elementOf(op.getInput(), indices);
  const Element *weight = operation(
      "math.exp", type, {operation("arith.subf", type, {logit, greatest})});
  return operation("arith.divf", type, {weight, sum});
}

SmallVector<const Element *>
ElementGraph::throughReshape(Operation *op, ArrayRef<const Element *> indices) {
  bool expands = isa<tensor::ExpandShapeOp>(op);
  Value source = op->getOperand(0);
  auto sourceType = cast<RankedTensorType>(source.getType());
  auto resultType = cast<RankedTensorType>(op->getResult(0).getType());
  auto groups =
      expands ? cast<tensor::ExpandShapeOp>(op).getReassociationIndices()
              : cast<tensor::CollapseShapeOp>(op).getReassociationIndices();
  SmallVector<const Element *> at(sourceType.getRank(), nullptr);
  RankedTensorType split = expands ? resultType : sourceType;
  for (auto [joined, group] : llvm::enumerate(groups)) {
    if (expands) {
      // Row-major: the last axis of the group counts fastest.
      AffineExpr sum = getAffineConstantExpr(0, context);
      for (int64_t axis : group) {
        if (split.getDimSize(axis) == 1)
          continue;
        bool isFirst = sum == getAffineConstantExpr(0, context);
        if (!isFirst && split.isDynamicDim(axis))
          return {};
        sum = (isFirst ? sum : sum * split.getDimSize(axis)) +
              getAffineDimExpr(axis, context);
      }
      at[joined] = apply(sum, indices);
      if (!at[joined])
        return {};
      continue;
    }
    AffineExpr rest = getAffineDimExpr(joined, context);
    for (int64_t axis : llvm::reverse(group)) {
      int64_t size = split.getDimSize(axis);
      bool isFirst = llvm::all_of(group, [&](int64_t other) {
        return other >= axis || split.getDimSize(other) == 1;
      });
      AffineExpr part = size == 1 ? getAffineConstantExpr(0, context)
                        : isFirst ? rest
                        : ShapedType::isDynamic(size) ? AffineExpr()
                                                      : rest % size;
      at[axis] = part ? apply(part, indices) : nullptr;
      if (!at[axis])
        return {};
      if (!isFirst && size != 1)
        rest = rest.floorDiv(size);
    }
  }
  return at;
}

const Element *ElementGraph::expandConcat(tensor::ConcatOp op,
                                          ArrayRef<const Element *> indices) {
  unsigned axis = op.getDim();
  if (indices[axis]->kind != ElementKind::index)
    return nullptr;
  std::optional<std::pair<int64_t, int64_t>> range =
      rangeOf(indices[axis]->index);
  int64_t start = 0;
  for (Value piece : op.getInputs()) {
    int64_t size = cast<RankedTensorType>(piece.getType()).getDimSize(axis);
    if (!range || ShapedType::isDynamic(size))
      return nullptr;
    if (range->first >= start && range->second < start + size) {
      SmallVector<const Element *> at(indices);
      at[axis] = index(indices[axis]->index - start, indices[axis]->type);
      return elementOf(piece, at);
    }
    start += size;
  }
  return nullptr;
}

ReductionBody ElementGraph::bodyOf(const Element *sum) {
  if (auto known = bodies.find(sum); known != bodies.end())
    return known->second;
  ReductionBody body;
  auto result = cast<OpResult>(sum->value);
  if (auto softmax = dyn_cast<linalg::SoftmaxOp>(result.getOwner())) {
    int64_t axis = softmax.getDimension();
    unsigned own =
        addVariable(cast<RankedTensorType>(result.getType()).getDimSize(axis));
    body.variables.push_back(own);
    SmallVector<const Element *> at(sum->operands.begin(), sum->operands.end());
    at[axis] = variable(own);
    const Element *logit = elementOf(softmax.getInput(), at);
    body.element = logit;
    if (sum->combiner == Combiner::add)
      body.element =
          operation("math.exp", sum->type,
                    {operation("arith.subf", sum->type,
                               {logit, reduction(result, Combiner::max,
                                                 sum->operands)})});
    return bodies[sum] = body;
  }
  auto op = cast<linalg::LinalgOp>(result.getOwner());
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<const Element *> at;
  for (auto [number, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (kind != utils::IteratorType::reduction)
      continue;
    body.variables.push_back(addVariable(ranges[number]));
    at.push_back(variable(body.variables.back()));
  }
  body.element = bodyAt(sum, at);
  return bodies[sum] = body;
}

const Element *ElementGraph::bodyAt(const Element *sum,
                                    ArrayRef<const Element *> at) {
  auto result = cast<OpResult>(sum->value);
  auto op = dyn_cast<linalg::LinalgOp>(result.getOwner());
  if (!op)
    return nullptr;
  SmallVector<const Element *> iteration =
      iterationOf(op, result.getResultNumber(), sum->operands);
  const auto *next = at.begin();
  for (const Element *&place : iteration)
    if (!place) {
      if (next == at.end())
        return nullptr;
      place = *next++;
    }
  Operation *combine = op.getBlock()
                           ->getTerminator()
                           ->getOperand(result.getResultNumber())
                           .getDefiningOp();
  BlockArgument accumulator = op.getMatchingBlockArgument(
      op.getDpsInitOperand(result.getResultNumber()));
  Value combined = combine->getOperand(0) == accumulator
                       ? combine->getOperand(1)
                       : combine->getOperand(0);
  return payload(op, combined, iteration);
}

std::optional<ElementGraph::Access>
ElementGraph::sourceOf(const Access &access) {
  auto result = dyn_cast<OpResult>(access.tensor);
  if (!result)
    return std::nullopt;
  Operation *op = result.getOwner();
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op)) {
    Access source{op->getOperand(0), throughReshape(op, access.indices)};
    return isComplete(op, source.indices) ? std::optional(source)
                                          : std::nullopt;
  }
  if (auto wide = dyn_cast<arith::ExtFOp>(op))
    return Access{wide.getIn(), access.indices};
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured || structured.getNumReductionLoops())
    return std::nullopt;
  Value moved = structured.getBlock()->getTerminator()->getOperand(
      result.getResultNumber());
  if (auto wide = moved.getDefiningOp<arith::ExtFOp>())
    moved = wide.getIn();
  auto yielded = dyn_cast<BlockArgument>(moved);
  if (!yielded || yielded.getOwner() != structured.getBlock())
    return std::nullopt;
  OpOperand *operand = structured.getMatchingOpOperand(yielded);
  SmallVector<const Element *> iteration =
      iterationOf(structured, result.getResultNumber(), access.indices);
  if (!isa<RankedTensorType>(operand->get().getType()) ||
      iteration.size() != structured.getNumLoops() ||
      llvm::is_contained(iteration, nullptr))
    return std::nullopt;
  Access source{operand->get(), {}};
  for (AffineExpr expression :
       structured.getMatchingIndexingMap(operand).getResults()) {
    source.indices.push_back(apply(expression, iteration));
    if (!source.indices.back())
      return std::nullopt;
  }
  return source;
}

SmallVector<ElementGraph::Access> ElementGraph::inputsOf(const Element *sum) {
  auto result = cast<OpResult>(sum->value);
  auto op = dyn_cast<linalg::LinalgOp>(result.getOwner());
  if (!op)
    return {};
  SmallVector<const Element *> iteration =
      iterationOf(op, result.getResultNumber(), sum->operands);
  auto own = bodyOf(sum).variables.begin();
  for (const Element *&at : iteration)
    if (!at)
      at = variable(*own++);
  SmallVector<Access> accesses;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    Access access{operand->get(), {}};
    for (AffineExpr expression :
         op.getMatchingIndexingMap(operand).getResults())
      access.indices.push_back(apply(expression, iteration));
    if (isa<RankedTensorType>(access.tensor.getType()) &&
        llvm::all_of(access.indices, [](const Element *at) { return at; }))
      accesses.push_back(std::move(access));
  }
  return accesses;
}
