//===- AsyncCopyToNVVM.cpp - cp.async, its groups and barriers ------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads of a block deal out the 16-byte chunks of a copy in turn:
// neighbouring threads copy neighbouring chunks of a row.
//
//===----------------------------------------------------------------------===//

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

/// The threads of the block of an op's kernel, which is converted before what
/// is in it.
int64_t getBlockThreads(Operation *op) {
  auto kernel = op->getParentOfType<FunctionOpInterface>();
  return kernel->getAttrOfType<DenseI32ArrayAttr>("nvvm.reqntid")[0];
}

struct CopyAsyncLowering : OpConversionPattern<CopyAsyncOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CopyAsyncOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ScalarEmitter emitter(rewriter, op.getLoc());
    BufferType buffer = op.getBuffer().getType();
    int64_t elementBytes = buffer.getElementType().getIntOrFloatBitWidth() / 8;
    int64_t chunksPerRow = buffer.getShape()[1] * elementBytes / chunkBytes;
    int64_t numChunks = buffer.getShape()[0] * chunksPerRow;
    int64_t copiedChunks = op.getColumns()
                               ? *op.getColumns() * elementBytes / chunkBytes
                               : chunksPerRow;

    int64_t threads = getBlockThreads(op);

    Value pointer = adaptor.getPointer().front();
    Value start = adaptor.getBuffer().front();
    Value firstRow = adaptor.getFirstRow().front();
    Value rows = adaptor.getRows().front();
    Value stride = adaptor.getStride().front();
    Value thread = emitter.threadId();
    Value zero = emitter.i32(0), full = emitter.i32(chunkBytes);

    // When whole rows are dealt out, each thread stays in its column, and its
    // addresses in both memories move by constants.
    bool byRows = threads % chunksPerRow == 0;
    int64_t rowStep = threads / chunksPerRow;
    std::optional<int64_t> sharedStep =
        byRows ? getSharedStep(buffer, rowStep) : std::nullopt;
    Value row, column, global, shared;
    for (int64_t first = 0; first < numChunks; first += threads) {
      if (first == 0 || !byRows) {
        Value chunk = emitter.add(thread, first);
        row = emitter.divide(chunk, chunksPerRow);
        column = emitter.remainder(chunk, chunksPerRow);
        Value offset = emitter.add(
            emitter.mul(emitter.extend(emitter.add(firstRow, row)), stride),
            emitter.extend(emitter.mul(column, chunkBytes / elementBytes)));
        global =
            emitter.elementPointer(pointer, buffer.getElementType(), offset);
      } else {
        row = emitter.add(row, rowStep);
        global = emitter.elementPointer(global, buffer.getElementType(),
                                        emitter.mul(stride, rowStep));
      }
      if (first == 0 || !sharedStep)
        shared =
            emitter.add(start, getSharedOffset(emitter, buffer, row, column));
      else
        shared = emitter.add(shared, *sharedStep);

      Value inRange = emitter.less(emitter.add(firstRow, row), rows);
      if (copiedChunks < chunksPerRow)
        inRange = emitter.both(inRange,
                               emitter.less(column, emitter.i32(copiedChunks)));
      auto copy = [&] {
        nvvm::copyAsync(rewriter, op.getLoc(), emitter.sharedPointer(shared),
                        global, emitter.select(inRange, full, zero));
      };
      if (first + threads <= numChunks) {
        copy();
        continue;
      }
      Value isChunk = emitter.less(thread, emitter.i32(numChunks - first));
      auto branch = scf::IfOp::create(rewriter, op.getLoc(), isChunk,
                                      /*withElseRegion=*/false);
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(branch.thenBlock());
      copy();
    }
    replaceTile(rewriter, op, {});
    return success();
  }

private:
  static Value getSharedOffset(ScalarEmitter &emitter, BufferType buffer,
                               Value row, Value column) {
    Value colByte = emitter.mul(column, chunkBytes);
    if (buffer.getSwizzled())
      return emitter.swizzledOffset(swizzleOf(buffer), row, colByte);
    int64_t rowBytes = buffer.getStageType().getNumBytes();
    return emitter.add(emitter.mul(row, rowBytes), colByte);
  }

  /// How far `rowStep` rows are apart in shared memory; nothing if the swizzle
  /// makes that depend on the row.
  static std::optional<int64_t> getSharedStep(BufferType buffer,
                                              int64_t rowStep) {
    if (!buffer.getSwizzled())
      return rowStep * buffer.getStageType().getNumBytes();
    layout::SwizzledTile tile = swizzleOf(buffer);
    if (rowStep % 8 != 0 && tile.swizzle().bits)
      return std::nullopt;
    return rowStep * tile.panelBytes();
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
  patterns
      .add<CopyAsyncLowering, CommitLowering, WaitLowering, BarrierLowering>(
          converter, patterns.getContext());
}
