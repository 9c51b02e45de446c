//===- TileAddresses.cpp - where a buffer's elements lie ------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The address bits a swizzle reaches are clear in a buffer's start, so that the
// xor may be done after the sum.
//
//===----------------------------------------------------------------------===//

#include "TileAddresses.h"

#include "Patterns.h"

using namespace mlir;
using namespace goat;
using namespace goat::tile;

static int64_t elementBytes(BufferType buffer) {
  return buffer.getElementType().getIntOrFloatBitWidth() / 8;
}

TileAddresses::TileAddresses(ScalarEmitter &emitter, BufferType buffer,
                             Value start, Value row, Value colByte)
    : emitter(emitter), buffer(buffer) {
  std::tie(start, startOffset) = emitter.splitConstant(start);
  if (buffer.getSwizzled()) {
    thread = emitter.add(
        start, emitter.swizzledOffset(swizzleOf(buffer), row, colByte));
    return;
  }
  int64_t rowBytes = buffer.getShape()[1] * elementBytes(buffer);
  thread = emitter.add(start, emitter.add(emitter.mul(row, rowBytes), colByte));
}

ElementAddress TileAddresses::at(int64_t row, int64_t colByte) {
  int64_t offset, pattern = 0;
  if (buffer.getSwizzled()) {
    layout::SwizzledTile tile = swizzleOf(buffer);
    layout::Swizzle swizzle = tile.swizzle();
    int64_t mask = ((int64_t(1) << swizzle.bits) - 1) << swizzle.base;
    offset = tile.offset(row, colByte);
    pattern = (colByte % tile.panelBytes() ^ tile.columnMask(row)) & mask;
    offset -= pattern;
  } else {
    offset = row * buffer.getShape()[1] * elementBytes(buffer) + colByte;
  }
  offset += startOffset;
  Value &pointer = pointers[pattern];
  if (!pointer)
    pointer = emitter.sharedPointer(
        pattern ? emitter.bitXor(thread, emitter.i32(pattern)) : thread);
  return {pointer, buffer.getElementType(), offset / elementBytes(buffer)};
}
