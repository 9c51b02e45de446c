//===- ScalarEmitter.h - scalar code of one thread --------------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer arithmetic, the thread's place in a layout and addresses. Operations
// with constants are folded as they are created, so that what does not depend
// on the thread costs nothing.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_CONVERSION_GOATTILETONVVM_SCALAREMITTER_H
#define GOAT_LIB_CONVERSION_GOATTILETONVVM_SCALAREMITTER_H

#include "goat/Layout/Swizzle.h"
#include "goat/Layout/TileLayout.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace goat::tile {

/// Creates scalar ops at the builder's insertion point. Both operands of an
/// operation have one integer type.
class ScalarEmitter {
public:
  ScalarEmitter(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  mlir::OpBuilder &getBuilder() const { return builder; }
  mlir::Location getLoc() const { return loc; }

  mlir::Value constant(mlir::Type type, int64_t value);
  mlir::Value i32(int64_t value) {
    return constant(builder.getI32Type(), value);
  }

  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value add(mlir::Value a, int64_t b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, int64_t b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value bitAnd(mlir::Value a, int64_t mask);
  mlir::Value bitXor(mlir::Value a, mlir::Value b);
  mlir::Value shiftRight(mlir::Value a, int64_t count);
  /// Quotient and remainder of a value that is not negative.
  mlir::Value divide(mlir::Value a, int64_t divisor);
  mlir::Value remainder(mlir::Value a, int64_t divisor);
  /// a < b, signed.
  mlir::Value less(mlir::Value a, mlir::Value b);
  mlir::Value equal(mlir::Value a, int64_t b);
  /// Both conditions hold; a null condition always holds.
  mlir::Value both(mlir::Value a, mlir::Value b);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);
  /// The same bits as another type of that width.
  mlir::Value bitcast(mlir::Value a, mlir::Type type);
  /// i32 or i64 to i64, signed.
  mlir::Value extend(mlir::Value a);

  /// The thread's index in its block, i32.
  mlir::Value threadId();
  /// The part of a layout's coordinate along `dim` that the thread determines,
  /// i32; the registers' offsets are to be added.
  mlir::Value threadBase(const layout::TileLayout &layout, unsigned dim);
  /// Whether the thread is the first of those that hold its elements; null
  /// when all hold different ones.
  mlir::Value isFirstHolder(const layout::TileLayout &layout);
  /// Whether register `reg` of the thread holds an element of a vector; null
  /// when it does in every thread.
  mlir::Value isInRange(const layout::TileLayout &vector, unsigned reg,
                        mlir::Value base);

  /// The offset in a swizzled tile of byte `colByte` of `row`.
  mlir::Value swizzledOffset(const layout::SwizzledTile &tile, mlir::Value row,
                             mlir::Value colByte);

  /// A sum as what is left without its constants, and their sum.
  std::pair<mlir::Value, int64_t> splitConstant(mlir::Value value);
  /// A pointer to shared memory from an i32 address. Constants in it become an
  /// offset of the pointer, which an access has for nothing: left in the sum,
  /// LLVM would keep a register for each sum of a constant and the thread's
  /// part.
  mlir::Value sharedPointer(mlir::Value address);
  /// pointer + offset elements.
  mlir::Value elementPointer(mlir::Value pointer, mlir::Type elementType,
                             mlir::Value offset);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

/// Whether a condition is the constant true or absent.
bool alwaysHolds(mlir::Value condition);

} // namespace goat::tile

#endif // GOAT_LIB_CONVERSION_GOATTILETONVVM_SCALAREMITTER_H
