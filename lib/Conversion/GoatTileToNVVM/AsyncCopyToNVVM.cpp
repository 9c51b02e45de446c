//===- AsyncCopyToNVVM.cpp - cp.async, its groups and barriers ------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads of a block deal out the 16-byte chunks of a copy in turn, panel
// by panel of the swizzle: eight neighbouring threads copy 128 bytes that meet
// each bank of shared memory once, and whole sectors of global memory. Where
// rows are not aligned to 16 bytes a thread copies its chunk in pieces.
//
//===----------------------------------------------------------------------===//

#include "MemoryAccess.h"
#include "NVVMInstructions.h"
#include "Patterns.h"
#include "ScalarEmitter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace goat;
using namespace goat::tile;

namespace {

constexpr int64_t chunkBytes = 16;
/// What cp.async copies at least.
constexpr int64_t leastAsyncBytes = 4;

/// The threads of the block of an op's kernel, which is converted before what
/// is in it.
int64_t getBlockThreads(Operation *op) {
  auto kernel = op->getParentOfType<FunctionOpInterface>();
  return kernel->getAttrOfType<DenseI32ArrayAttr>("nvvm.reqntid")[0];
}

/// The chunks of a buffer of rank 2 that one thread copies. A panel's chunks
/// divide the threads, so each thread stays in its column, and its addresses
/// move by constants.
class ThreadChunks {
public:
  ThreadChunks(ScalarEmitter &emitter, BufferType buffer, Value address,
               int64_t threads)
      : emitter(emitter), buffer(buffer), address(address),
        elementBytes(buffer.getElementType().getIntOrFloatBitWidth() / 8),
        rowBytes(buffer.getShape()[1] * elementBytes),
        panelBytes(panelBytesOf(buffer, rowBytes)),
        rowStep(threads / (panelBytes / chunkBytes)) {
    Value thread = emitter.threadId();
    int64_t panelChunks = panelBytes / chunkBytes;
    row = emitter.divide(thread, panelChunks);
    column = emitter.mul(emitter.remainder(thread, panelChunks),
                         chunkBytes / elementBytes);
  }

  /// For each of the thread's rows calls `advance(isFirst)` and then, for each
  /// panel, `visit(byte, pointer, condition)`: the first byte of the panel's
  /// columns, the chunk in shared memory, and whether the buffer has that row
  /// (i1; empty if it has). A predicate costs less than a branch around one
  /// panel, and more than one around several.
  void forEach(llvm::function_ref<void(bool)> advance,
               llvm::function_ref<void(int64_t, Value, Value)> visit) {
    OpBuilder &builder = emitter.getBuilder();
    int64_t rows = buffer.getShape()[0];
    std::optional<int64_t> step = sharedStep();
    Value shared;
    auto visitRow = [&](Value condition) {
      for (int64_t byte = 0; byte < rowBytes; byte += panelBytes)
        visit(byte,
              emitter.elementPointer(emitter.sharedPointer(shared),
                                     builder.getI8Type(),
                                     emitter.i32(panelOffset(byte))),
              condition);
    };
    for (int64_t first = 0; first < rows; first += rowStep) {
      if (first > 0)
        row = emitter.add(row, rowStep);
      advance(first == 0);
      shared = first > 0 && step ? emitter.add(shared, *step)
                                 : emitter.add(address, offsetOfRow());
      if (first + rowStep <= rows) {
        visitRow(/*condition=*/Value());
        continue;
      }
      Value isRow = emitter.less(row, emitter.i32(rows));
      if (rowBytes == panelBytes) {
        visitRow(isRow);
        continue;
      }
      auto branch = scf::IfOp::create(builder, emitter.getLoc(), isRow,
                                      /*withElseRegion=*/false);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(branch.thenBlock());
      visitRow(/*condition=*/Value());
    }
  }

private:
  /// The columns of a row that lie together, in bytes: those of a swizzled
  /// buffer's panel, or of the largest power of two that divides the row and
  /// that the threads can deal out.
  static int64_t panelBytesOf(BufferType buffer, int64_t rowBytes) {
    if (buffer.getSwizzled())
      return swizzleOf(buffer).panelBytes();
    return std::min<int64_t>(rowBytes & -rowBytes, 32 * chunkBytes);
  }

  /// Where the columns from a panel's first byte on lie: panels of a swizzled
  /// buffer one after another.
  int64_t panelOffset(int64_t byte) const {
    return buffer.getSwizzled() ? byte * buffer.getShape()[0] : byte;
  }

  /// Where the row's chunk of the first panel lies.
  Value offsetOfRow() {
    Value colByte = emitter.mul(column, elementBytes);
    if (buffer.getSwizzled())
      return emitter.swizzledOffset(swizzleOf(buffer), row, colByte);
    return emitter.add(emitter.mul(row, rowBytes), colByte);
  }

  /// How far `rowStep` rows are apart in shared memory; nothing if the swizzle
  /// makes that depend on the row.
  std::optional<int64_t> sharedStep() const {
    if (!buffer.getSwizzled())
      return rowStep * rowBytes;
    if (rowStep % 8 != 0 && swizzleOf(buffer).swizzle().bits)
      return std::nullopt;
    return rowStep * panelBytes;
  }

  ScalarEmitter &emitter;
  BufferType buffer;
  Value address;

public:
  const int64_t elementBytes, rowBytes, panelBytes, rowStep;
  /// The thread's row, and its first column in the first panel.
  Value row, column;
};

struct CopyAsyncLowering : OpConversionPattern<CopyAsyncOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CopyAsyncOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ScalarEmitter emitter(rewriter, op.getLoc());
    BufferType buffer = op.getBuffer().getType();
    Type element = buffer.getElementType();
    ThreadChunks chunks(emitter, buffer, adaptor.getBuffer().front(),
                        getBlockThreads(op));
    int64_t elementBytes = chunks.elementBytes;
    int64_t copiedBytes =
        op.getColumns() ? *op.getColumns() * elementBytes : chunks.rowBytes;
    Value firstRow = adaptor.getFirstRow().front();
    Value stride = adaptor.getStride().front();
    Value columnStride =
        op.getColumnStride() ? adaptor.getColumnStride().front() : Value();
    auto alongRow = [&](Value elements) {
      return columnStride ? emitter.mul(elements, columnStride) : elements;
    };
    Value offset = emitter.add(
        emitter.mul(emitter.extend(emitter.add(firstRow, chunks.row)), stride),
        alongRow(emitter.extend(chunks.column)));
    Value global =
        emitter.elementPointer(adaptor.getPointer().front(), element, offset);
    auto advance = [&](bool isFirst) {
      if (!isFirst)
        global = emitter.elementPointer(global, element,
                                        emitter.mul(stride, chunks.rowStep));
    };
    Value wanted = op.getCondition() ? adaptor.getCondition().front() : Value();
    chunks.forEach(advance, [&](int64_t first, Value target, Value isRow) {
      Value inRange = emitter.less(emitter.add(firstRow, chunks.row),
                                   adaptor.getRows().front());
      SmallVector<Piece> pieces;
      for (int64_t byte = 0; byte < chunkBytes; byte += op.getAlignment()) {
        Value condition = inRange;
        int64_t columns = (copiedBytes - first - byte) / elementBytes;
        if (first + byte + chunks.panelBytes - chunkBytes >= copiedBytes)
          condition = emitter.both(
              condition, emitter.less(chunks.column, emitter.i32(columns)));
        Value distance = columnStride
                             ? emitter.constant(rewriter.getI64Type(),
                                                (first + byte) / elementBytes)
                             : emitter.i32((first + byte) / elementBytes);
        pieces.push_back(
            {emitter.elementPointer(global, element, alongRow(distance)),
             condition});
      }
      Value isCopied = isRow && wanted ? emitter.both(isRow, wanted)
                       : isRow         ? isRow
                                       : wanted;
      copyChunk(emitter, element, op.getAlignment(), target, pieces, isCopied);
    });
    replaceTile(rewriter, op, {});
    return success();
  }

private:
  /// A part of a chunk: where it comes from, and whether it is there.
  struct Piece {
    Value global, condition;
  };

  /// Copies the pieces of one chunk, of `bytes` each, if `isCopied` is empty or
  /// holds.
  static void copyChunk(ScalarEmitter &emitter, Type element, int64_t bytes,
                        Value target, ArrayRef<Piece> pieces, Value isCopied) {
    OpBuilder &builder = emitter.getBuilder();
    if (bytes >= leastAsyncBytes) {
      for (auto [number, piece] : llvm::enumerate(pieces))
        nvvm::copyAsync(
            builder, emitter.getLoc(),
            emitter.elementPointer(target, builder.getI8Type(),
                                   emitter.i32(number * bytes)),
            piece.global, bytes,
            emitter.select(piece.condition, emitter.i32(bytes), emitter.i32(0)),
            isCopied);
      return;
    }
    SmallVector<Value> elements;
    for (const Piece &piece : pieces)
      elements.append(loadElements(emitter, {piece.global, element}, 1,
                                   isCopied
                                       ? emitter.both(piece.condition, isCopied)
                                       : piece.condition));
    storeElements(emitter, {target, element}, elements, isCopied);
  }
};

struct RoundTF32Lowering : OpConversionPattern<RoundTF32Op> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(RoundTF32Op op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ScalarEmitter emitter(rewriter, op.getLoc());
    ThreadChunks chunks(emitter, op.getBuffer().getType(),
                        adaptor.getBuffer().front(), getBlockThreads(op));
    chunks.forEach(
        [](bool) {},
        [&](int64_t, Value shared, Value isRow) {
          SmallVector<Value> words;
          for (Value element :
               loadElements(emitter, {shared, rewriter.getF32Type()},
                            chunkBytes / chunks.elementBytes, isRow))
            words.push_back(nvvm::roundToTF32(rewriter, op.getLoc(), element));
          storeElements(emitter, {shared, rewriter.getI32Type()}, words, isRow);
        });
    rewriter.eraseOp(op);
    return success();
  }
};

struct CommitLowering : OpConversionPattern<CommitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CommitOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    nvvm::commitGroup(rewriter, op.getLoc());
    replaceTile(rewriter, op, {});
    return success();
  }
};

struct WaitLowering : OpConversionPattern<WaitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(WaitOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    nvvm::waitGroup(rewriter, op.getLoc(), op.getPending());
    rewriter.eraseOp(op);
    return success();
  }
};

struct BarrierLowering : OpConversionPattern<BarrierOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(BarrierOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    nvvm::barrier(rewriter, op.getLoc());
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void goat::tile::populateAsyncCopyPatterns(TypeConverter &converter,
                                           RewritePatternSet &patterns) {
  patterns.add<CopyAsyncLowering, RoundTF32Lowering, CommitLowering,
               WaitLowering, BarrierLowering>(converter, patterns.getContext());
}
