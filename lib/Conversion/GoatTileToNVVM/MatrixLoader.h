//===- MatrixLoader.h - operands of a multiply by ldmatrix ------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fragments of goat_tile.mma from shared memory, in the order in which mma.sync
// takes them. A matrix of ldmatrix is 8 rows of 16 bytes, whatever they hold:
// it gives a thread two elements of 16 bits or one of 32, as the fragments of
// m16n8k16 and m16n8k8 want them.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_CONVERSION_GOATTILETONVVM_MATRIXLOADER_H
#define GOAT_LIB_CONVERSION_GOATTILETONVVM_MATRIXLOADER_H

#include "TileAddresses.h"

namespace goat::tile {

class MatrixLoader {
public:
  /// Of `op`'s operand a, a buffer at `start`: four matrices are a fragment of
  /// 16 rows by 32 bytes.
  static MatrixLoader forA(ScalarEmitter &emitter, MmaOp op, mlir::Value start);
  /// Of b: four matrices are the fragments of two column tiles. Only those of
  /// 16-bit elements may be loaded `transposed`, as a b that is not wants it.
  static MatrixLoader forB(ScalarEmitter &emitter, MmaOp op, mlir::Value start);

  /// `count` matrices from the rows and columns that start at (row, column):
  /// row a multiple of 16, or of 8 if only the first 8 rows are addressed;
  /// column a multiple of 32 bytes.
  llvm::SmallVector<mlir::Value, 4> load(int64_t row, int64_t column,
                                         unsigned count, bool transposed);

private:
  /// `row` is the row each lane addresses, `half` which of two neighbouring
  /// matrices of a row (0 or 1), both i32.
  MatrixLoader(ScalarEmitter &emitter, BufferType buffer, mlir::Value start,
               mlir::Value row, mlir::Value half);

  ScalarEmitter &emitter;
  TileAddresses addresses;
  int64_t elementBytes;
};

} // namespace goat::tile

#endif // GOAT_LIB_CONVERSION_GOATTILETONVVM_MATRIXLOADER_H
