//===- View.h - a tensor in the order an attention wants it -----*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIB_CONVERSION_LINALGTOGOAT_VIEW_H
#define LIB_CONVERSION_LINALGTOGOAT_VIEW_H

#include "AttentionMatch.h"

#include "mlir/IR/Builders.h"

namespace goat::raise {

/// n of ⌊variable / n⌋ or variable mod n in an index; 0 when there is none.
int64_t divisorOf(const Element *index, unsigned variable);

/// Says how to bring a tensor into the order (batch, head, row, column), or
/// any other: splitting axes, transposing, and dropping or adding axes of
/// extent 1.
class View {
public:
  /// The view of `operand` whose element [v0, v1, …] is what is read when the
  /// variables of `order` have these values. Empty when the tensor is no such
  /// view, for example because it is read in part only.
  static std::optional<View> find(const ElementGraph &graph,
                                  const Operand &operand,
                                  llvm::ArrayRef<unsigned> order);

  /// Extents in the order; kDynamic where they are not known.
  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  mlir::Type getElementType() const;
  mlir::Value build(mlir::OpBuilder &builder, mlir::Location loc) const;
  /// The other way: a tensor like the viewed one from one in the order.
  mlir::Value buildInverse(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value ordered) const;

private:
  /// An axis after splitting: its place in `order`, or none for extent 1.
  struct Part {
    std::optional<unsigned> place;
    int64_t size;
  };
  /// The parts that have a place, as they stand in the tensor.
  llvm::SmallVector<Part> meantParts() const;

  mlir::Value tensor;
  /// Extents in the order; kDynamic where they are not known.
  llvm::SmallVector<int64_t, 4> shape;
  /// For each axis of the tensor the parts it is split in.
  llvm::SmallVector<llvm::SmallVector<Part, 2>> axes;
};

} // namespace goat::raise

#endif // LIB_CONVERSION_LINALGTOGOAT_VIEW_H
