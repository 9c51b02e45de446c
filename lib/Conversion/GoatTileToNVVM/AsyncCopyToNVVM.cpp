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

struct CopyAsyncLowering : OpConversionPattern<CopyAsyncOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CopyAsyncOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ScalarEmitter emitter(rewriter, op.getLoc());
    BufferType buffer = op.getBuffer().getType();
    int64_t elementBytes = buffer.getElementType().getIntOrFloatBitWidth() / 8;
    int64_t rows = buffer.getShape()[0];
    int64_t rowBytes = rowBytesOf(buffer);
    // A panel's chunks divide the threads, so each thread stays in its column,
    // and its addresses in both memories move by constants.
    int64_t panelBytes = panelBytesOf(buffer);
    int64_t panelChunks = panelBytes / chunkBytes;
    int64_t rowStep = getBlockThreads(op) / panelChunks;
    int64_t copiedBytes =
        op.getColumns() ? *op.getColumns() * elementBytes : rowBytes;

    Value firstRow = adaptor.getFirstRow().front();
    Value stride = adaptor.getStride().front();
    Value columnStride =
        op.getColumnStride() ? adaptor.getColumnStride().front() : Value();
    auto alongRow = [&](Value elements) {
      return columnStride ? emitter.mul(elements, columnStride) : elements;
    };
    Value thread = emitter.threadId();
    Value row = emitter.divide(thread, panelChunks);
    Value column = emitter.mul(emitter.remainder(thread, panelChunks),
                               chunkBytes / elementBytes);
    Value offset = emitter.add(
        emitter.mul(emitter.extend(emitter.add(firstRow, row)), stride),
        alongRow(emitter.extend(column)));
    Value global = emitter.elementPointer(adaptor.getPointer().front(),
                                          buffer.getElementType(), offset);
    std::optional<int64_t> sharedStep = getSharedStep(buffer, rowStep);
    Value shared;
    auto copyRow = [&] {
      Value inRange =
          emitter.less(emitter.add(firstRow, row), adaptor.getRows().front());
      for (int64_t first = 0; first < rowBytes; first += panelBytes) {
        // Panels lie one after another.
        Value target = emitter.elementPointer(
            emitter.sharedPointer(shared), rewriter.getI8Type(),
            emitter.i32(panelOffset(buffer, first)));
        SmallVector<Piece> pieces;
        for (int64_t byte = 0; byte < chunkBytes; byte += op.getAlignment()) {
          Value condition = inRange;
          int64_t columns = (copiedBytes - first - byte) / elementBytes;
          if (first + byte + panelBytes - chunkBytes >= copiedBytes)
            condition = emitter.both(
                condition, emitter.less(column, emitter.i32(columns)));
          Value distance = columnStride
                               ? emitter.constant(rewriter.getI64Type(),
                                                  (first + byte) / elementBytes)
                               : emitter.i32((first + byte) / elementBytes);
          pieces.push_back(
              {emitter.elementPointer(global, buffer.getElementType(),
                                      alongRow(distance)),
               condition});
        }
        copyChunk(emitter, buffer.getElementType(), op.getAlignment(), target,
                  pieces);
      }
    };
    for (int64_t first = 0; first < rows; first += rowStep) {
      if (first > 0) {
        row = emitter.add(row, rowStep);
        global = emitter.elementPointer(global, buffer.getElementType(),
                                        emitter.mul(stride, rowStep));
      }
      if (first == 0 || !sharedStep)
        shared =
            emitter.add(adaptor.getBuffer().front(),
                        getSharedOffset(emitter, buffer, row,
                                        emitter.mul(column, elementBytes)));
      else
        shared = emitter.add(shared, *sharedStep);

      if (first + rowStep <= rows) {
        copyRow();
        continue;
      }
      auto branch = scf::IfOp::create(rewriter, op.getLoc(),
                                      emitter.less(row, emitter.i32(rows)),
                                      /*withElseRegion=*/false);
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(branch.thenBlock());
      copyRow();
    }
    replaceTile(rewriter, op, {});
    return success();
  }

private:
  /// A part of a chunk: where it comes from, and whether it is there.
  struct Piece {
    Value global, condition;
  };

  /// Copies the pieces of one chunk, of `bytes` each.
  static void copyChunk(ScalarEmitter &emitter, Type element, int64_t bytes,
                        Value target, ArrayRef<Piece> pieces) {
    OpBuilder &builder = emitter.getBuilder();
    if (bytes >= leastAsyncBytes) {
      for (auto [number, piece] : llvm::enumerate(pieces))
        nvvm::copyAsync(builder, emitter.getLoc(),
                        emitter.elementPointer(target, builder.getI8Type(),
                                               emitter.i32(number * bytes)),
                        piece.global, bytes,
                        emitter.select(piece.condition, emitter.i32(bytes),
                                       emitter.i32(0)));
      return;
    }
    SmallVector<Value> elements;
    for (const Piece &piece : pieces)
      elements.append(
          loadElements(emitter, {piece.global, element}, 1, piece.condition));
    storeElements(emitter, {target, element}, elements, /*condition=*/{});
  }

  static int64_t rowBytesOf(BufferType buffer) {
    return buffer.getShape()[1] *
           buffer.getElementType().getIntOrFloatBitWidth() / 8;
  }

  /// The columns of a row that lie together, in bytes: those of a swizzled
  /// buffer's panel, or of the largest power of two that divides the row and
  /// that the threads can deal out.
  static int64_t panelBytesOf(BufferType buffer) {
    if (buffer.getSwizzled())
      return swizzleOf(buffer).panelBytes();
    int64_t rowBytes = rowBytesOf(buffer);
    return std::min<int64_t>(rowBytes & -rowBytes, 32 * chunkBytes);
  }

  static int64_t panelOffset(BufferType buffer, int64_t colByte) {
    return buffer.getSwizzled() ? colByte * buffer.getShape()[0] : colByte;
  }

  /// Where a row's byte `colByte` of the first panel lies.
  static Value getSharedOffset(ScalarEmitter &emitter, BufferType buffer,
                               Value row, Value colByte) {
    if (buffer.getSwizzled())
      return emitter.swizzledOffset(swizzleOf(buffer), row, colByte);
    return emitter.add(emitter.mul(row, rowBytesOf(buffer)), colByte);
  }

  /// How far `rowStep` rows are apart in shared memory; nothing if the swizzle
  /// makes that depend on the row.
  static std::optional<int64_t> getSharedStep(BufferType buffer,
                                              int64_t rowStep) {
    if (!buffer.getSwizzled())
      return rowStep * rowBytesOf(buffer);
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
