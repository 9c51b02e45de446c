//===- AttentionContext.cpp - lengths and offsets in a kernel -------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionContext.h"

using namespace mlir;
using namespace goat;
using namespace goat::tile;

/// The i32 that an operand gives for a batch entry: the operand itself, or its
/// element.
static Value perBatch(KernelBuilder &kernel, TileBuilder &tiles, Value operand,
                      Value batch) {
  Value input = kernel.input(cast<BlockArgument>(operand));
  if (!isa<PointerType>(input.getType()))
    return input;
  return LoadOp::create(tiles.builder, tiles.loc, tiles.builder.getI32Type(),
                        input, batch, Value());
}

/// A length operand's value, kept inside [0, rows].
static Value lengthOf(KernelBuilder &kernel, TileBuilder &tiles, Value lengths,
                      Value batch, Value rows) {
  if (!lengths)
    return rows;
  Value length = perBatch(kernel, tiles, lengths, batch);
  length = tiles.create<arith::MaxSIOp>(length, tiles.i32(0));
  return tiles.create<arith::MinSIOp>(length, rows);
}

AttentionContext tile::buildContext(AttentionOp attention,
                                    KernelBuilder &kernel, TileBuilder &tiles,
                                    Value batch, Value head) {
  AttentionContext context;
  context.batch = batch;
  context.head = head;
  context.keyHead = attention.getGroupSize() == 1
                        ? head
                        : tiles.create<arith::DivUIOp>(
                              head, tiles.i32(attention.getGroupSize()));
  context.queryRows =
      kernel.dim(attention.getQuery(), attention.getLengthAxis());
  context.keyRows = kernel.dim(attention.getKey(), attention.getLengthAxis());
  context.queryLength = lengthOf(kernel, tiles, attention.getQLengths(), batch,
                                 context.queryRows);
  context.keyLength =
      lengthOf(kernel, tiles, attention.getKLengths(), batch, context.keyRows);
  if (std::optional<int32_t> offset = attention.getStaticQOffset())
    context.queryOffset = tiles.i32(*offset);
  else if (Value offset = attention.getQOffset())
    context.queryOffset = perBatch(kernel, tiles, offset, batch);
  else
    context.queryOffset =
        tiles.create<arith::SubIOp>(context.keyLength, context.queryLength);
  if (std::optional<int32_t> offset = attention.getStaticKOffset())
    context.keyOffset = tiles.i32(*offset);
  else if (Value offset = attention.getKOffset())
    context.keyOffset = perBatch(kernel, tiles, offset, batch);
  else
    context.keyOffset = tiles.i32(0);
  return context;
}

bool tile::variesBy(AttentionOp attention, Value value, Dependence coordinate) {
  if (dependsOn(DependenceAnalysis(attention).of(value), coordinate))
    return true;
  return coordinate == Dependence::Batch &&
         llvm::any_of(
             ValueRange{attention.getQOffset(), attention.getKOffset(),
                        attention.getQLengths(), attention.getKLengths()},
             [](Value operand) {
               return operand && isa<RankedTensorType>(operand.getType());
             });
}

F32ProductAttr tile::f32ProductOf(AttentionOp attention,
                                  ScheduleAttr schedule) {
  if (!attention.getQueryType().getElementType().isF32())
    return {};
  return F32ProductAttr::get(attention.getContext(), schedule.getF32Product());
}

Coordinates tile::coordinatesOf(const AttentionContext &context) {
  Coordinates at;
  at.batch = context.batch;
  at.head = context.head;
  at.queryOffset = context.queryOffset;
  at.keyOffset = context.keyOffset;
  return at;
}

/// The matrix of a tensor whose strides a call gives.
static RowMatrix stridedMatrix(AttentionOp attention, TileBuilder &tiles,
                               Value pointer, Value batch, Value head,
                               Value firstRow, int64_t width, MemoryAttr memory,
                               llvm::function_ref<Value(int64_t)> stride) {
  Value rowStride = stride(attention.getLengthAxis());
  auto product = [&](Value index, Value by) {
    return tiles.create<arith::MulIOp>(tiles.widen(index), by);
  };
  Value offset = tiles.create<arith::AddIOp>(
      product(batch, stride(0)),
      product(head, stride(attention.getHeadAxis())));
  if (firstRow)
    offset = tiles.create<arith::AddIOp>(offset, product(firstRow, rowStride));
  bool hasColumnStride = memory.getAccess() == Access::any && width > 1;
  return {AdvanceOp::create(tiles.builder, tiles.loc, pointer, offset),
          rowStride, hasColumnStride ? stride(3) : Value(), width,
          memory.getAlignment()};
}

/// The matrix of a tensor without gaps.
static RowMatrix contiguousMatrix(AttentionOp attention, TileBuilder &tiles,
                                  Value pointer, Value batch, Value head,
                                  int64_t heads, Value rows, int64_t width,
                                  Type element, Value firstRow) {
  int64_t alignment = rowAlignmentBytes(width, element);
  if (attention.getLayout() == Layout::bhsd)
    return {matrixOf(tiles, pointer, batch, head, heads, rows, width, firstRow),
            tiles.i64(width), Value(), width, alignment};
  // All heads of a row lie next to each other.
  Value row =
      tiles.create<arith::MulIOp>(tiles.widen(batch), tiles.widen(rows));
  if (firstRow)
    row = tiles.create<arith::AddIOp>(row, tiles.widen(firstRow));
  Value number = tiles.create<arith::AddIOp>(
      tiles.create<arith::MulIOp>(row, tiles.i64(heads)), tiles.widen(head));
  Value start =
      AdvanceOp::create(tiles.builder, tiles.loc, pointer,
                        tiles.create<arith::MulIOp>(number, tiles.i64(width)));
  return {start, tiles.i64(heads * width), Value(), width, alignment};
}

/// What a variant asks of a strided tensor.
static MemoryAttr memoryOf(Access access, int64_t width, Type element) {
  return MemoryAttr::get(element.getContext(), access,
                         access == Access::any
                             ? element.getIntOrFloatBitWidth() / 8
                             : rowAlignmentBytes(width, element));
}

RowMatrix tile::inputMatrixOf(AttentionOp attention, KernelBuilder &kernel,
                              TileBuilder &tiles,
                              const AttentionContext &context, Value tensor,
                              bool isQuery, Value firstRow) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Value pointer = kernel.input(cast<BlockArgument>(tensor));
  Value head = isQuery ? context.head : context.keyHead;
  int64_t width = type.getDimSize(3);
  Access access = kernel.accessOf(tensor);
  if (access == Access::contiguous)
    return contiguousMatrix(attention, tiles, pointer, context.batch, head,
                            type.getDimSize(attention.getHeadAxis()),
                            isQuery ? context.queryRows : context.keyRows,
                            width, type.getElementType(), firstRow);
  MemoryAttr memory = memoryOf(access, width, type.getElementType());
  kernel.requireInput(tensor, memory);
  return stridedMatrix(
      attention, tiles, pointer, context.batch, head, firstRow, width, memory,
      [&](int64_t axis) { return kernel.inputStride(tensor, axis); });
}

RowMatrix tile::outputMatrixOf(AttentionOp attention, KernelBuilder &kernel,
                               TileBuilder &tiles,
                               const AttentionContext &context) {
  Type element = attention.getQueryType().getElementType();
  int64_t width = attention.getValueDim();
  Access access = kernel.outputAccess(0);
  if (access == Access::contiguous)
    return contiguousMatrix(attention, tiles, kernel.output(0), context.batch,
                            context.head, attention.getNumQueryHeads(),
                            context.queryRows, width, element, Value());
  MemoryAttr memory = memoryOf(access, width, element);
  kernel.requireOutput(0, memory);
  return stridedMatrix(attention, tiles, kernel.output(0), context.batch,
                       context.head, Value(), width, memory, [&](int64_t axis) {
                         return kernel.outputStride(0, axis);
                       });
}

Value tile::matrixOf(TileBuilder &tiles, Value pointer, Value batch, Value head,
                     int64_t heads, Value rows, int64_t width, Value firstRow) {
  Value number = tiles.create<arith::AddIOp>(
      tiles.create<arith::MulIOp>(tiles.widen(batch), tiles.i64(heads)),
      tiles.widen(head));
  Value row = tiles.create<arith::MulIOp>(number, tiles.widen(rows));
  if (firstRow)
    row = tiles.create<arith::AddIOp>(row, tiles.widen(firstRow));
  return AdvanceOp::create(tiles.builder, tiles.loc, pointer,
                           tiles.create<arith::MulIOp>(row, tiles.i64(width)));
}
