//===- View.cpp - a tensor in the order an attention wants it -------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "View.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace goat;
using namespace goat::raise;

namespace {

/// c·variable of a sum.
struct Term {
  unsigned variable;
  int64_t coefficient;
};

/// The terms of Σ c·variable, the greatest first; false for anything else.
bool termsOf(AffineExpr e, SmallVectorImpl<Term> &terms) {
  if (auto constant = dyn_cast<AffineConstantExpr>(e))
    return constant.getValue() == 0;
  if (auto dim = dyn_cast<AffineDimExpr>(e)) {
    terms.push_back({dim.getPosition(), 1});
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(e);
  if (!binary)
    return false;
  if (e.getKind() == AffineExprKind::Add)
    return termsOf(binary.getLHS(), terms) && termsOf(binary.getRHS(), terms);
  auto dim = dyn_cast<AffineDimExpr>(binary.getLHS());
  auto by = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (e.getKind() != AffineExprKind::Mul || !dim || !by)
    return false;
  terms.push_back({dim.getPosition(), by.getValue()});
  return true;
}

} // namespace

int64_t raise::divisorOf(const Element *index, unsigned variable) {
  int64_t divisor = 0;
  if (index->kind != ElementKind::index)
    return 0;
  index->index.walk([&](AffineExpr part) {
    if (part.getKind() != AffineExprKind::FloorDiv &&
        part.getKind() != AffineExprKind::Mod)
      return;
    auto binary = cast<AffineBinaryOpExpr>(part);
    auto by = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (by && binary.getLHS() == getAffineDimExpr(variable, part.getContext()))
      divisor = by.getValue();
  });
  return divisor;
}

std::optional<View> View::find(const ElementGraph &graph,
                               const Operand &operand,
                               ArrayRef<unsigned> order) {
  View view;
  view.tensor = operand.tensor;
  auto type = cast<RankedTensorType>(operand.tensor.getType());
  SmallVector<bool> isUsed(order.size(), false);
  for (auto [axis, index] : llvm::enumerate(operand.indices)) {
    SmallVector<Term> terms;
    if (index->kind != ElementKind::index || !termsOf(index->index, terms))
      return std::nullopt;
    llvm::sort(terms, [](const Term &a, const Term &b) {
      return a.coefficient > b.coefficient;
    });
    SmallVector<Part, 2> parts;
    int64_t covered = 1;
    for (const Term &term : llvm::reverse(terms)) {
      auto place = llvm::find(order, term.variable);
      if (place == order.end() || isUsed[place - order.begin()] ||
          term.coefficient != covered)
        return std::nullopt;
      unsigned at = place - order.begin();
      isUsed[at] = true;
      int64_t size = graph.sizeOf(term.variable);
      bool isLast = &term == terms.begin();
      if (ShapedType::isDynamic(size) && !isLast)
        return std::nullopt;
      covered *= size;
      parts.insert(parts.begin(), Part{at, size});
    }
    if (parts.empty())
      parts.push_back({std::nullopt, 1});
    // The whole axis is read, or the rest would be lost.
    bool isKnown = !ShapedType::isDynamic(parts.front().size);
    if (isKnown != !type.isDynamicDim(axis) ||
        (isKnown && covered != type.getDimSize(axis)))
      return std::nullopt;
    view.axes.push_back(std::move(parts));
  }
  for (auto [place, used] : llvm::enumerate(isUsed)) {
    if (!used && graph.sizeOf(order[place]) != 1)
      return std::nullopt;
    view.shape.push_back(graph.sizeOf(order[place]));
  }
  return view;
}

Type View::getElementType() const { return getElementTypeOrSelf(tensor); }

SmallVector<View::Part> View::meantParts() const {
  SmallVector<Part> parts;
  for (const auto &split : axes)
    for (const Part &part : split)
      if (part.place)
        parts.push_back(part);
  return parts;
}

namespace {

/// Reshapes by splitting or joining axes, whichever the ranks say; nothing when
/// they agree.
class Reshaper {
public:
  Reshaper(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  Value expand(Value source, ArrayRef<OpFoldResult> sizes,
               ArrayRef<ReassociationIndices> groups) {
    if (groups.size() == sizes.size())
      return source;
    return tensor::ExpandShapeOp::create(builder, loc, typeOf(source, sizes),
                                         source, groups, sizes);
  }
  Value collapse(Value source, ArrayRef<ReassociationIndices> groups) {
    auto type = cast<RankedTensorType>(source.getType());
    if (static_cast<int64_t>(groups.size()) == type.getRank())
      return source;
    return tensor::CollapseShapeOp::create(builder, loc, source, groups);
  }
  Value transpose(Value source, ArrayRef<int64_t> permutation,
                  ArrayRef<OpFoldResult> sizes) {
    if (llvm::is_sorted(permutation))
      return source;
    Value empty = tensor::EmptyOp::create(
        builder, loc, sizes, getElementTypeOrSelf(source.getType()));
    return linalg::TransposeOp::create(builder, loc, source, empty, permutation)
        ->getResult(0);
  }

private:
  RankedTensorType typeOf(Value like, ArrayRef<OpFoldResult> sizes) {
    SmallVector<int64_t> shape;
    for (OpFoldResult size : sizes) {
      std::optional<int64_t> known = getConstantIntValue(size);
      shape.push_back(known ? *known : ShapedType::kDynamic);
    }
    return RankedTensorType::get(shape, getElementTypeOrSelf(like.getType()));
  }
  OpBuilder &builder;
  Location loc;
};

/// Groups of consecutive axes, one per kept axis; an axis not kept joins the
/// next kept one, or the last.
SmallVector<ReassociationIndices> groupsOf(ArrayRef<bool> isKept) {
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices pending;
  for (auto [axis, kept] : llvm::enumerate(isKept)) {
    pending.push_back(axis);
    if (!kept)
      continue;
    groups.push_back(pending);
    pending.clear();
  }
  if (!groups.empty())
    groups.back().append(pending);
  return groups;
}

} // namespace

Value View::build(OpBuilder &builder, Location loc) const {
  Reshaper reshaper(builder, loc);
  // Split the axes.
  SmallVector<ReassociationIndices> groups;
  SmallVector<OpFoldResult> sizes, meantSizes;
  SmallVector<bool> isMeant;
  for (auto [axis, split] : llvm::enumerate(axes)) {
    ReassociationIndices group;
    int64_t known = 1;
    for (const Part &part : split)
      known *= ShapedType::isDynamic(part.size) ? 1 : part.size;
    for (const Part &part : split) {
      group.push_back(sizes.size());
      if (ShapedType::isDynamic(part.size)) {
        Value size = tensor::DimOp::create(builder, loc, tensor, axis);
        if (known != 1)
          size = arith::DivUIOp::create(
              builder, loc, size,
              arith::ConstantIndexOp::create(builder, loc, known));
        sizes.push_back(size);
      } else {
        sizes.push_back(builder.getIndexAttr(part.size));
      }
      isMeant.push_back(part.place.has_value());
      if (part.place)
        meantSizes.push_back(sizes.back());
    }
    groups.push_back(group);
  }
  Value current = reshaper.expand(tensor, sizes, groups);
  // Axes of extent 1 that mean nothing go, then all stand in order, then those
  // that are missing come.
  current = reshaper.collapse(current, groupsOf(isMeant));
  SmallVector<Part> parts = meantParts();
  SmallVector<int64_t> permutation =
      llvm::to_vector(llvm::seq<int64_t>(0, parts.size()));
  llvm::sort(permutation, [&](int64_t a, int64_t b) {
    return *parts[a].place < *parts[b].place;
  });
  SmallVector<OpFoldResult> ordered;
  for (int64_t from : permutation)
    ordered.push_back(meantSizes[from]);
  current = reshaper.transpose(current, permutation, ordered);
  SmallVector<OpFoldResult> full(shape.size(), builder.getIndexAttr(1));
  SmallVector<bool> isThere(shape.size(), false);
  for (auto [number, from] : llvm::enumerate(permutation)) {
    full[*parts[from].place] = ordered[number];
    isThere[*parts[from].place] = true;
  }
  return reshaper.expand(current, full, groupsOf(isThere));
}

Value View::buildInverse(OpBuilder &builder, Location loc,
                         Value ordered) const {
  Reshaper reshaper(builder, loc);
  SmallVector<Part> parts = meantParts();
  SmallVector<bool> isThere(shape.size(), false);
  for (const Part &part : parts)
    isThere[*part.place] = true;
  auto sizeOf = [&](const Part &part) -> OpFoldResult {
    if (!part.place)
      return builder.getIndexAttr(1);
    return tensor::getMixedSize(builder, loc, ordered, *part.place);
  };
  SmallVector<OpFoldResult> sizes;
  for (const Part &part : parts)
    sizes.push_back(sizeOf(part));
  Value current = reshaper.collapse(ordered, groupsOf(isThere));
  // Where each part stands among those in order.
  SmallVector<int64_t> permutation;
  for (const Part &part : parts)
    permutation.push_back(llvm::count_if(
        parts, [&](const Part &other) { return *other.place < *part.place; }));
  current = reshaper.transpose(current, permutation, sizes);
  SmallVector<OpFoldResult> split;
  SmallVector<bool> isMeant;
  SmallVector<ReassociationIndices> groups;
  for (const auto &axis : axes) {
    ReassociationIndices group;
    for (const Part &part : axis) {
      group.push_back(split.size());
      split.push_back(sizeOf(part));
      isMeant.push_back(part.place.has_value());
    }
    groups.push_back(group);
  }
  current = reshaper.expand(current, split, groupsOf(isMeant));
  return reshaper.collapse(current, groups);
}
