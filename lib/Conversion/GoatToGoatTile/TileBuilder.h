//===- TileBuilder.h - arithmetic on scalars and tiles alike ----*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A builder for level 1: creates arithmetic whose operands may be uniform
// scalars, vectors along one axis of a tile, or tiles, and brings them to a
// common shape first.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_CONVERSION_GOATTOGOATTILE_TILEBUILDER_H
#define GOAT_CONVERSION_GOATTOGOATTILE_TILEBUILDER_H

#include "goat/Dialect/GoatTile/IR/GoatTileDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace goat::tile {

/// The type of a tile or vector with the encoding and shape of `like` and other
/// elements.
mlir::RankedTensorType withElementType(mlir::RankedTensorType like,
                                       mlir::Type element);

class TileBuilder {
public:
  TileBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  mlir::OpBuilder &builder;
  mlir::Location loc;

  mlir::Value i32(int64_t value) {
    return constant(builder.getI32IntegerAttr(value));
  }
  mlir::Value i64(int64_t value) {
    return constant(builder.getI64IntegerAttr(value));
  }
  mlir::Value f32(double value) {
    return constant(builder.getF32FloatAttr(value));
  }
  mlir::Value constant(mlir::TypedAttr value) {
    return mlir::arith::ConstantOp::create(builder, loc, value);
  }
  /// A tile of one constant.
  mlir::Value filled(mlir::TypedAttr value, mlir::RankedTensorType type);
  mlir::Value filledF32(double value, mlir::RankedTensorType type) {
    return filled(builder.getF32FloatAttr(value), type);
  }

  /// Brings a scalar or a vector to `shape`'s shape and encoding, keeping its
  /// element type.
  mlir::Value promote(mlir::Value value, mlir::RankedTensorType shape);
  /// The smallest shape all values can be promoted to: null when all are
  /// scalars. A vector along rows and one along columns span their tile.
  mlir::RankedTensorType commonShape(mlir::ValueRange values);
  /// All values, promoted to their common shape.
  llvm::SmallVector<mlir::Value> unify(mlir::ValueRange values);

  /// An op on operands brought to their common shape, folded where possible.
  template <typename OpT, typename... Operands>
  mlir::Value create(Operands... operands) {
    llvm::SmallVector<mlir::Value> values = unify({operands...});
    return createUnified<OpT>(values,
                              std::make_index_sequence<sizeof...(Operands)>());
  }
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value lhs,
                      mlir::Value rhs);
  mlir::Value compare(mlir::arith::CmpFPredicate predicate, mlir::Value lhs,
                      mlir::Value rhs);
  /// Conjunction; a null operand is true.
  mlir::Value conjunction(mlir::Value lhs, mlir::Value rhs);
  /// Signed widening of i32 to i64, of a scalar or a tile.
  mlir::Value widen(mlir::Value value);

private:
  template <typename OpT, size_t... I>
  mlir::Value createUnified(llvm::ArrayRef<mlir::Value> values,
                            std::index_sequence<I...>) {
    return builder.createOrFold<OpT>(loc, values[I]...);
  }
};

} // namespace goat::tile

#endif // GOAT_CONVERSION_GOATTOGOATTILE_TILEBUILDER_H
