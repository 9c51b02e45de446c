//===- MatrixLoader.cpp - operands of a multiply by ldmatrix --------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which lane addresses which row, so that matrices arrive in operand order.
//
//===----------------------------------------------------------------------===//

#include "MatrixLoader.h"

#include "NVVMInstructions.h"

using namespace mlir;
using namespace goat::tile;

MatrixLoader::MatrixLoader(ScalarEmitter &emitter, BufferType buffer,
                           Value start, Value row, Value half)
    : emitter(emitter),
      addresses(emitter, buffer, start, row, emitter.mul(half, 16)),
      elementBytes(buffer.getElementType().getIntOrFloatBitWidth() / 8) {}

MatrixLoader MatrixLoader::forA(ScalarEmitter &emitter, MmaOp op, Value start) {
  auto buffer = cast<BufferType>(op.getA().getType());
  auto encoding =
      cast<MmaAttr>(cast<RankedTensorType>(op.getType()).getEncoding());
  Value thread = emitter.threadId();
  // Both row halves, then both halves of the depth.
  Value row = emitter.bitAnd(thread, 15);
  int64_t rowsPerWarp = buffer.getShape()[0] / encoding.getWarps();
  if (encoding.getWarps() > 1)
    row = emitter.add(row,
                      emitter.mul(emitter.shiftRight(thread, 5), rowsPerWarp));
  Value half = emitter.bitAnd(emitter.shiftRight(thread, 4), 1);
  return MatrixLoader(emitter, buffer, start, row, half);
}

MatrixLoader MatrixLoader::forB(ScalarEmitter &emitter, MmaOp op, Value start) {
  bool transposed = op.getBTransposed();
  Value thread = emitter.threadId();
  Value low = emitter.bitAnd(thread, 7);
  Value bit3 = emitter.bitAnd(emitter.shiftRight(thread, 3), 1);
  Value bit4 = emitter.bitAnd(emitter.shiftRight(thread, 4), 1);
  // The halves of the depth of one column tile, then of the next. Depth runs
  // along the buffer's columns when b is transposed, along its rows when not.
  Value rowHalf = transposed ? bit4 : bit3;
  Value row = emitter.add(low, emitter.mul(rowHalf, 8));
  return MatrixLoader(emitter, op.getB().getType(), start, row,
                      transposed ? bit3 : bit4);
}

SmallVector<Value, 4> MatrixLoader::load(int64_t row, int64_t column,
                                         unsigned count, bool transposed) {
  ElementAddress address = addresses.at(row, column * elementBytes);
  Value pointer =
      emitter.elementPointer(address.pointer, emitter.getBuilder().getI8Type(),
                             emitter.i32(address.offset * elementBytes));
  return nvvm::loadMatrix(emitter.getBuilder(), emitter.getLoc(), pointer,
                          count, transposed);
}
