//===- Element.cpp - expressions of one element, and what is done to them -===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Element.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace goat;
using namespace goat::raise;

void Element::Profile(llvm::FoldingSetNodeID &id) const {
  id.AddInteger(static_cast<int>(kind));
  id.AddPointer(type.getAsOpaquePointer());
  id.AddPointer(constant.getAsOpaquePointer());
  id.AddPointer(index.getAsOpaquePointer());
  id.AddPointer(value.getAsOpaquePointer());
  id.AddPointer(name ? name->getAsOpaquePointer() : nullptr);
  id.AddPointer(attributes.getAsOpaquePointer());
  id.AddInteger(static_cast<int>(combiner));
  for (const Element *operand : operands)
    id.AddPointer(operand);
}

std::optional<double> Element::number() const {
  if (kind != ElementKind::constant)
    return std::nullopt;
  auto value = dyn_cast<FloatAttr>(constant);
  if (!value)
    return std::nullopt;
  return value.getValueAsDouble();
}

const Element *ElementGraph::intern(Element &&node) {
  llvm::FoldingSetNodeID id;
  node.Profile(id);
  void *position;
  if (const Element *known = unique.FindNodeOrInsertPos(id, position))
    return known;
  node.variables.resize(sizes.size());
  for (const Element *operand : node.operands) {
    if (operand->variables.size() > node.variables.size())
      node.variables.resize(operand->variables.size());
    node.variables |= operand->variables;
  }
  if (node.index)
    node.index.walk([&](AffineExpr part) {
      if (auto dim = dyn_cast<AffineDimExpr>(part))
        node.variables.set(dim.getPosition());
    });
  nodes.push_back(std::make_unique<Element>(std::move(node)));
  unique.InsertNode(nodes.back().get(), position);
  return nodes.back().get();
}

unsigned ElementGraph::addVariable(int64_t size) {
  sizes.push_back(size);
  return sizes.size() - 1;
}

const Element *ElementGraph::variable(unsigned number) {
  return index(getAffineDimExpr(number, context));
}

namespace {

/// The greatest value of an index whose least is 0; nullopt when unknown.
std::optional<int64_t> greatest(AffineExpr e, ArrayRef<int64_t> sizes) {
  if (auto constant = dyn_cast<AffineConstantExpr>(e))
    return constant.getValue() >= 0 ? std::optional(constant.getValue())
                                    : std::nullopt;
  if (auto dim = dyn_cast<AffineDimExpr>(e)) {
    int64_t size = sizes[dim.getPosition()];
    return ShapedType::isDynamic(size) ? std::nullopt : std::optional(size - 1);
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(e);
  if (!binary)
    return std::nullopt;
  std::optional<int64_t> left = greatest(binary.getLHS(), sizes),
                         right = greatest(binary.getRHS(), sizes);
  switch (e.getKind()) {
  case AffineExprKind::Add:
    return left && right ? std::optional(*left + *right) : std::nullopt;
  case AffineExprKind::Mul:
    return left && right ? std::optional(*left * *right) : std::nullopt;
  case AffineExprKind::FloorDiv:
    return left && right && *right > 0 ? std::optional(*left / *right)
                                       : std::nullopt;
  case AffineExprKind::Mod:
    return right && *right > 0 ? std::optional(*right - 1) : std::nullopt;
  default:
    return std::nullopt;
  }
}

/// The least value, of an index that `greatest` knows.
int64_t least(AffineExpr e) {
  if (auto constant = dyn_cast<AffineConstantExpr>(e))
    return constant.getValue();
  auto binary = dyn_cast<AffineBinaryOpExpr>(e);
  if (!binary || e.getKind() == AffineExprKind::Mod)
    return 0;
  int64_t left = least(binary.getLHS()), right = least(binary.getRHS());
  switch (e.getKind()) {
  case AffineExprKind::Add:
    return left + right;
  case AffineExprKind::Mul:
    return left * right;
  case AffineExprKind::FloorDiv:
    return right > 0 ? left / right : 0;
  default:
    return 0;
  }
}

void addends(AffineExpr e, SmallVectorImpl<AffineExpr> &terms) {
  if (e.getKind() == AffineExprKind::Add) {
    auto sum = cast<AffineBinaryOpExpr>(e);
    addends(sum.getLHS(), terms);
    addends(sum.getRHS(), terms);
    return;
  }
  terms.push_back(e);
}

/// (n·q + r) by n: the quotient is q and the remainder r when 0 ≤ r < n.
AffineExpr simplify(AffineExpr e, ArrayRef<int64_t> sizes) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(e);
  if (!binary)
    return e;
  AffineExpr left = simplify(binary.getLHS(), sizes),
             right = simplify(binary.getRHS(), sizes);
  auto by = dyn_cast<AffineConstantExpr>(right);
  bool isQuotient = e.getKind() == AffineExprKind::FloorDiv;
  if (by && by.getValue() > 0 &&
      (isQuotient || e.getKind() == AffineExprKind::Mod)) {
    SmallVector<AffineExpr> terms;
    addends(left, terms);
    AffineExpr multiple = getAffineConstantExpr(0, e.getContext()),
               rest = multiple;
    for (AffineExpr term : terms)
      (term.isMultipleOf(by.getValue()) ? multiple : rest) =
          (term.isMultipleOf(by.getValue()) ? multiple : rest) + term;
    std::optional<int64_t> most = greatest(rest, sizes);
    if (most && *most < by.getValue())
      return isQuotient ? simplify(multiple.floorDiv(by.getValue()),
                                   {}) // a multiple divides without rest
                        : rest;
  }
  return getAffineBinaryOpExpr(e.getKind(), left, right);
}

} // namespace

namespace {

std::optional<bool> knownBoolean(const Element *element) {
  if (element->kind != ElementKind::constant)
    return std::nullopt;
  auto value = dyn_cast<IntegerAttr>(element->constant);
  return value ? std::optional(!value.getValue().isZero()) : std::nullopt;
}

/// x from true ∧ x, false ∨ x and x ? true : false; null for anything else.
const Element *foldBoolean(StringRef name, ArrayRef<const Element *> operands) {
  if (name == "arith.andi" || name == "arith.ori") {
    for (unsigned side : {0, 1})
      if (knownBoolean(operands[side]) == (name == "arith.andi"))
        return operands[1 - side];
  } else if (name == "arith.select") {
    std::optional<bool> condition = knownBoolean(operands[0]);
    if (condition)
      return operands[*condition ? 1 : 2];
    if (knownBoolean(operands[1]) == true && knownBoolean(operands[2]) == false)
      return operands[0];
  }
  return nullptr;
}

} // namespace

std::optional<std::pair<int64_t, int64_t>>
ElementGraph::rangeOf(AffineExpr expression) const {
  std::optional<int64_t> most = greatest(expression, sizes);
  if (!most)
    return std::nullopt;
  return std::make_pair(least(expression), *most);
}

const Element *ElementGraph::index(AffineExpr expression, Type type) {
  // A variable with one value is that value.
  SmallVector<AffineExpr> values;
  for (auto [number, size] : llvm::enumerate(sizes))
    values.push_back(size == 1 ? getAffineConstantExpr(0, context)
                               : getAffineDimExpr(number, context));
  Element node;
  node.kind = ElementKind::index;
  node.type = type ? type : IndexType::get(context);
  node.index = simplifyAffineExpr(
      simplify(
          simplifyAffineExpr(expression.replaceDims(values), sizes.size(), 0),
          sizes),
      sizes.size(), 0);
  return intern(std::move(node));
}

const Element *ElementGraph::constant(Attribute value, Type type) {
  if (auto integer = dyn_cast<IntegerAttr>(value);
      integer && !type.isInteger(1))
    return index(getAffineConstantExpr(integer.getInt(), context), type);
  Element node;
  node.kind = ElementKind::constant;
  node.type = type;
  node.constant = value;
  return intern(std::move(node));
}

const Element *ElementGraph::leaf(Value tensor,
                                  ArrayRef<const Element *> indices) {
  Element node;
  node.kind = ElementKind::load;
  node.type = getElementTypeOrSelf(tensor.getType());
  node.value = tensor;
  node.operands.assign(indices.begin(), indices.end());
  return intern(std::move(node));
}

const Element *ElementGraph::reduction(Value tensor, Combiner combiner,
                                       ArrayRef<const Element *> indices) {
  Element node;
  node.kind = ElementKind::reduction;
  node.type = getElementTypeOrSelf(tensor.getType());
  node.value = tensor;
  node.combiner = combiner;
  node.operands.assign(indices.begin(), indices.end());
  return intern(std::move(node));
}

const Element *ElementGraph::operation(OperationName name,
                                       DictionaryAttr attributes, Type type,
                                       ArrayRef<const Element *> operands) {
  StringRef called = name.getStringRef();
  // Arithmetic on indices stays an index.
  bool allIndices = llvm::all_of(operands, [](const Element *operand) {
    return operand->kind == ElementKind::index;
  });
  if (allIndices && type.isIntOrIndex() && operands.size() == 1 &&
      (called == "arith.index_cast" || called == "arith.index_castui" ||
       called == "arith.extsi" || called == "arith.extui" ||
       called == "arith.trunci"))
    return index(operands[0]->index, type);
  if (allIndices && operands.size() == 2) {
    AffineExpr a = operands[0]->index, b = operands[1]->index;
    if (called == "arith.addi")
      return index(a + b, type);
    if (called == "arith.subi")
      return index(a - b, type);
    if (called == "arith.muli" &&
        (a.isSymbolicOrConstant() || b.isSymbolicOrConstant()))
      return index(a * b, type);
  }
  if (const Element *known = foldBoolean(called, operands))
    return known;
  Element node;
  node.kind = ElementKind::operation;
  node.type = type;
  node.name = name;
  node.attributes = attributes;
  node.operands.assign(operands.begin(), operands.end());
  return intern(std::move(node));
}

const Element *ElementGraph::operation(StringRef name, Type type,
                                       ArrayRef<const Element *> operands) {
  return operation(OperationName(name, context), DictionaryAttr::get(context),
                   type, operands);
}

const Element *ElementGraph::apply(AffineExpr expression,
                                   ArrayRef<const Element *> iteration) {
  if (auto dim = dyn_cast<AffineDimExpr>(expression))
    return iteration[dim.getPosition()];
  SmallVector<AffineExpr> replacements;
  for (const Element *element : iteration) {
    bool isAffine = element && element->kind == ElementKind::index;
    replacements.push_back(isAffine ? element->index : AffineExpr());
  }
  bool isKnown = true;
  expression.walk([&](AffineExpr part) {
    if (auto dim = dyn_cast<AffineDimExpr>(part))
      isKnown &= static_cast<bool>(replacements[dim.getPosition()]);
    isKnown &= part.getKind() != AffineExprKind::SymbolId;
  });
  if (!isKnown)
    return nullptr;
  for (AffineExpr &replacement : replacements)
    if (!replacement)
      replacement = getAffineConstantExpr(0, context);
  return index(expression.replaceDimsAndSymbols(replacements, {}));
}

const Element *ElementGraph::substitute(const Element *element,
                                        Substitution by) {
  Substituted known;
  return substitute(element, by, known);
}

const Element *ElementGraph::substitute(const Element *element, Substitution by,
                                        Substituted &known) {
  if (llvm::none_of(
          by, [&](const auto &pair) { return element->dependsOn(pair.first); }))
    return element;
  if (element->kind == ElementKind::index) {
    // A variable that becomes something else than an affine index can only be
    // replaced where it stands alone.
    SmallVector<AffineExpr> replacements;
    for (unsigned number = 0; number < sizes.size(); ++number)
      replacements.push_back(getAffineDimExpr(number, context));
    for (auto [number, replacement] : by) {
      if (element->index == getAffineDimExpr(number, context))
        return replacement->kind == ElementKind::index
                   ? index(replacement->index, element->type)
                   : replacement;
      if (replacement->kind == ElementKind::index)
        replacements[number] = replacement->index;
    }
    return index(element->index.replaceDims(replacements), element->type);
  }
  if (const Element *done = known.lookup(element))
    return done;
  Element node;
  node.kind = element->kind;
  node.type = element->type;
  node.constant = element->constant;
  node.value = element->value;
  node.name = element->name;
  node.attributes = element->attributes;
  node.combiner = element->combiner;
  for (const Element *operand : element->operands)
    node.operands.push_back(substitute(operand, by, known));
  const Element *result =
      node.kind == ElementKind::operation
          ? operation(*node.name, node.attributes, node.type, node.operands)
          : intern(std::move(node));
  return known[element] = result;
}

bool ElementGraph::areEquivalent(const Element *a, const Element *b) {
  if (a == b)
    return true;
  if (a->kind != b->kind || a->type != b->type)
    return false;
  if (a->kind == ElementKind::reduction) {
    if (a->combiner != b->combiner)
      return false;
    ReductionBody left = bodyOf(a), right = bodyOf(b);
    if (!left.element || !right.element ||
        left.variables.size() != right.variables.size())
      return false;
    SmallVector<std::pair<unsigned, const Element *>> renaming;
    for (auto [from, to] : llvm::zip(right.variables, left.variables)) {
      if (sizes[from] != sizes[to])
        return false;
      renaming.push_back({from, variable(to)});
    }
    return areEquivalent(left.element, substitute(right.element, renaming));
  }
  if (a->kind == ElementKind::operation) {
    return a->name == b->name && a->attributes == b->attributes &&
           a->operands.size() == b->operands.size() &&
           llvm::all_of(
               llvm::zip(a->operands, b->operands), [&](const auto &pair) {
                 return areEquivalent(std::get<0>(pair), std::get<1>(pair));
               });
  }
  return false;
}
