//===- TileAddresses.h - where a buffer's elements lie ----------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses in shared memory of what one thread reads of a buffer of rank 2.
// One is computed; the others follow from it by a constant offset and, in a
// swizzled buffer, one xor with a constant.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_CONVERSION_GOATTILETONVVM_TILEADDRESSES_H
#define GOAT_LIB_CONVERSION_GOATTILETONVVM_TILEADDRESSES_H

#include "MemoryAccess.h"
#include "goat/Dialect/GoatTile/IR/GoatTileDialect.h"

#include "llvm/ADT/DenseMap.h"

namespace goat::tile {

class TileAddresses {
public:
  /// `start` is the buffer's address; `row` and `colByte` are where this thread
  /// starts, all i32.
  TileAddresses(ScalarEmitter &emitter, BufferType buffer, mlir::Value start,
                mlir::Value row, mlir::Value colByte);

  /// The address that is `row` rows and `colByte` bytes, whole elements,
  /// further. No bit may be set in both the constant and the thread's own row,
  /// or column: a swizzle is an xor of bits, so then it is the xor of the two
  /// swizzles.
  ElementAddress at(int64_t row, int64_t colByte);

private:
  ScalarEmitter &emitter;
  BufferType buffer;
  /// Where this thread starts, without the constant part of the buffer's
  /// address.
  mlir::Value thread;
  int64_t startOffset = 0;
  llvm::DenseMap<int64_t, mlir::Value> pointers; // by the xor that makes them
};

} // namespace goat::tile

#endif // GOAT_LIB_CONVERSION_GOATTILETONVVM_TILEADDRESSES_H
