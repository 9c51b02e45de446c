//===- GoatInterfaces.h - the plug points of attention ----------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values that the interfaces of GoatInterfaces.td exchange with the
// compiler. A third-party dialect includes this header to plug in.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_DIALECT_GOAT_IR_GOATINTERFACES_H
#define GOAT_DIALECT_GOAT_IR_GOATINTERFACES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/ValueRange.h"

namespace goat {

/// The coordinates a value varies with, as a set of flags.
/// `Relative` means "through position(i) − position(j) only"; a value that
/// depends on both `Query` and `Key` in any other way carries those two.
enum class Dependence : uint8_t {
  None = 0,
  Score = 1 << 0,
  Query = 1 << 1,
  Key = 1 << 2,
  Relative = 1 << 3,
  Head = 1 << 4,
  Batch = 1 << 5,
};
inline Dependence operator|(Dependence a, Dependence b) {
  return static_cast<Dependence>(static_cast<uint8_t>(a) |
                                 static_cast<uint8_t>(b));
}
inline Dependence operator&(Dependence a, Dependence b) {
  return static_cast<Dependence>(static_cast<uint8_t>(a) &
                                 static_cast<uint8_t>(b));
}
inline bool dependsOn(Dependence value, Dependence on) {
  return (value & on) != Dependence::None;
}
/// Union of the operands' dependences.
Dependence uniteDependence(llvm::ArrayRef<Dependence> operands);

/// A block of consecutive query rows of one batch entry and head, as a mask op
/// is asked about it. All values have the same integer type.
struct QueryBlock {
  /// Coordinates of the block.
  mlir::Value batch, head;
  /// The rows of query, [rowBegin, rowEnd), never empty, and their positions
  /// (row plus offset).
  mlir::Value rowBegin, rowEnd, positionBegin, positionEnd;
  /// The keys of the batch entry are rows [0, keyLength), at positions from
  /// keyOffset on.
  mlir::Value keyLength, keyOffset;
  /// What an integer operand of the mask op is called where the answer is
  /// built, in the block's type; null for one that varies inside the block.
  llvm::function_ref<mlir::Value(mlir::Value)> lookup;
  /// The element of a captured tensor of integers at the given indices, which
  /// have to lie inside it; null when the function was not given the tensor.
  llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Value,
                                 mlir::ValueRange)>
      load;
  /// The arguments of the mask region: batch, head, query, key.
  mlir::ValueRange coordinates;

  /// Whether an op with these operands is about the block's own rows. One on
  /// other indices (j where i belongs, say) has no bounds to give.
  bool isAbout(mlir::Value batchOperand, mlir::Value queryOperand,
               mlir::Value keyOperand) const {
    return batchOperand == coordinates[0] && queryOperand == coordinates[2] &&
           keyOperand == coordinates[3];
  }
};

/// Key positions a block of queries sees; a null bound is unknown.
/// `visible`: no query of the block sees anything outside.
/// `full`: every query of the block sees everything inside.
struct KeyRange {
  mlir::Value visibleBegin, visibleEnd;
  mlir::Value fullBegin, fullEnd;
  /// True when `full` has no lower (upper) bound: unlike an unknown bound.
  bool fullFromStart = false, fullToEnd = false;
};

} // namespace goat

#include "goat/Dialect/Goat/IR/GoatInterfaces.h.inc"

#endif // GOAT_DIALECT_GOAT_IR_GOATINTERFACES_H
