//===- MatchExclusion.cpp - rows that are computed on with their value ----===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExclusionMatch.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace goat;
using namespace goat::raise;

namespace {

/// How many tensors after the product are looked at: more than any spelling of
/// an exclusion takes, fewer than a layer.
constexpr unsigned farthest = 48;

/// Tensors computed from `product`, in the order of the program.
SmallVector<Value> computedFrom(Value product) {
  llvm::SmallSetVector<Operation *, 16> reached;
  SmallVector<Operation *> worklist(product.getUsers());
  while (!worklist.empty() && reached.size() < farthest) {
    Operation *op = worklist.pop_back_val();
    if (op->getBlock() != product.getParentBlock() ||
        op->getNumResults() != 1 || !reached.insert(op))
      continue;
    worklist.append(op->user_begin(), op->user_end());
  }
  SmallVector<Operation *> ordered = reached.takeVector();
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  SmallVector<Value> tensors;
  for (Operation *op : ordered)
    if (isa<RankedTensorType>(op->getResult(0).getType()))
      tensors.push_back(op->getResult(0));
  return tensors;
}

/// Reads one tensor as a function of a row.
class RowReader {
public:
  RowReader(ElementGraph &graph, const Element *product, const Element *row,
            ArrayRef<Operand> values, const Variables &variables)
      : graph(graph), product(product), row(row), values(values),
        variables(variables) {}

  /// The tensor's element in the variables of the attention, and where it
  /// stands; false when it is not computed from one row.
  bool align(Value tensor, Exclusion &exclusion);

  /// The tensor in the variables of the attention, when it is such a function.
  std::optional<Exclusion> read(Value tensor);

private:
  /// The one node that reads the product, whatever its indices.
  const Element *findProduct(const Element *element);
  bool isFunctionOfRow(const Element *element, Exclusion &exclusion,
                       llvm::SmallPtrSetImpl<const Element *> &seen);
  bool isOwn(const Element *element);

  ElementGraph &graph;
  const Element *product, *row;
  ArrayRef<Operand> values;
  const Variables &variables;
};

const Element *RowReader::findProduct(const Element *element) {
  if (element->kind == ElementKind::reduction &&
      element->value == product->value)
    return element;
  if (element->kind == ElementKind::operation)
    for (const Element *operand : element->operands)
      if (const Element *found = findProduct(operand))
        return found;
  return nullptr;
}

/// Whether an element is one of the value row of the query's own index, rounded
/// to whatever type.
bool RowReader::isOwn(const Element *element) {
  return llvm::any_of(values, [&](const Operand &value) {
    const Element *own =
        graph.substitute(graph.elementOf(value.tensor, value.indices),
                         {{variables.key, graph.variable(variables.query)}});
    return withoutCasts(own) == withoutCasts(element);
  });
}

bool RowReader::isFunctionOfRow(const Element *element, Exclusion &exclusion,
                                llvm::SmallPtrSetImpl<const Element *> &seen) {
  if (element == exclusion.row || !seen.insert(element).second)
    return true;
  if (isOwn(element)) {
    exclusion.own.push_back(element);
    if (withoutCasts(element) != element)
      exclusion.own.push_back(withoutCasts(element));
    return true;
  }
  switch (element->kind) {
  case ElementKind::constant:
  case ElementKind::scalar:
    return true;
  case ElementKind::index:
    return !element->dependsOn(variables.column);
  case ElementKind::load:
    return !element->dependsOn(variables.column);
  case ElementKind::operation:
    return llvm::all_of(element->operands, [&](const Element *operand) {
      return isFunctionOfRow(operand, exclusion, seen);
    });
  case ElementKind::reduction: {
    ReductionBody body = graph.bodyOf(element);
    if (!body.element || body.variables.size() != 1 ||
        graph.sizeOf(body.variables[0]) != graph.sizeOf(variables.column))
      return false;
    return isFunctionOfRow(
        graph.substitute(body.element, {{body.variables[0],
                                         graph.variable(variables.column)}}),
        exclusion, seen);
  }
  }
  return false;
}

bool RowReader::align(Value tensor, Exclusion &exclusion) {
  SmallVector<const Element *> indices;
  for (int64_t size : cast<RankedTensorType>(tensor.getType()).getShape())
    indices.push_back(graph.variable(graph.addVariable(size)));
  const Element *element = graph.elementOf(tensor, indices);
  const Element *reads = findProduct(element);
  if (!reads || reads->operands.size() != product->operands.size())
    return false;

  // The tensor's indices are the product's in another order: what the product
  // is read at says which is which.
  SmallVector<std::pair<unsigned, const Element *>> renaming;
  for (auto [at, own] : llvm::zip(reads->operands, product->operands)) {
    auto dim = dyn_cast_or_null<AffineDimExpr>(at->index);
    if (!dim) {
      // An axis of extent 1 is read at 0 everywhere.
      if (at == own)
        continue;
      return false;
    }
    renaming.push_back({dim.getPosition(), own});
  }
  exclusion.result = graph.substitute(element, renaming);
  exclusion.row = row;
  exclusion.at.tensor = tensor;
  for (const Element *index : indices) {
    const Element *renamed = graph.substitute(index, renaming);
    // The variable of an axis of extent 1 is the constant 0.
    auto dim = dyn_cast<AffineDimExpr>(index->index);
    if (renamed == index && dim && graph.sizeOf(dim.getPosition()) != 1)
      return false;
    exclusion.at.indices.push_back(
        renamed == index
            ? graph.index(getAffineConstantExpr(0, tensor.getContext()))
            : renamed);
  }
  return true;
}

std::optional<Exclusion> RowReader::read(Value tensor) {
  Exclusion exclusion;
  if (!align(tensor, exclusion))
    return std::nullopt;
  llvm::SmallPtrSet<const Element *, 32> seen;
  if (!exclusion.result->dependsOn(variables.column) ||
      !isFunctionOfRow(exclusion.result, exclusion, seen) ||
      exclusion.own.empty())
    return std::nullopt;
  exclusion.xsa = matchXsa(graph, exclusion.result, exclusion.row,
                           exclusion.own, variables.column);
  return exclusion;
}

} // namespace

std::optional<Exclusion> raise::matchQuotient(ElementGraph &graph,
                                              const Element *product,
                                              const Variables &variables,
                                              Weights &weights) {
  RowReader reader(graph, product, product, {}, variables);
  for (Value tensor : computedFrom(product->value)) {
    Exclusion quotient;
    if (!reader.align(tensor, quotient))
      continue;
    const Element *element = withoutCasts(quotient.result);
    const Element *denominator = nullptr;
    if (element->is("arith.divf") &&
        withoutCasts(element->operands[0]) == product)
      denominator = element->operands[1];
    if (element->is("arith.mulf"))
      for (unsigned side : {0, 1})
        if (withoutCasts(element->operands[side]) == product)
          denominator = inverted(element->operands[1 - side]);
    if (denominator &&
        matchDenominator(graph, denominator, variables.key, weights)) {
      quotient.row = element;
      return quotient;
    }
  }
  return std::nullopt;
}

std::optional<Exclusion> raise::matchExclusion(ElementGraph &graph,
                                               const Element *product,
                                               const Element *row,
                                               ArrayRef<Operand> values,
                                               const Variables &variables) {
  RowReader reader(graph, product, row, values, variables);
  std::optional<Exclusion> last;
  for (Value tensor : computedFrom(product->value)) {
    std::optional<Exclusion> found = reader.read(tensor);
    // Once it is exclusive self attention, what follows is not part of it.
    if (!found || (last && last->xsa && !found->xsa))
      continue;
    last = std::move(found);
  }
  return last;
}
