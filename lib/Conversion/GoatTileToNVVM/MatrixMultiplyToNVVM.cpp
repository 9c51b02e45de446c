//===- MatrixMultiplyToNVVM.cpp - mma.sync and its fragments --------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// goat_tile.mma on mma.sync m16n8k16. Fragments come from shared memory by
// ldmatrix in the order in which the mma takes them; each k-step loads what it
// multiplies, so that few fragments are alive at a time.
//
//===----------------------------------------------------------------------===//

#include "MemoryAccess.h"
#include "NVVMInstructions.h"
#include "Patterns.h"
#include "ScalarEmitter.h"

using namespace mlir;
using namespace goat;
using namespace goat::tile;

namespace {

using Words = SmallVector<Value, 4>;

/// The addresses of the 8×8 matrices of a buffer of 16-bit elements, for
/// ldmatrix: each lane gives the address of one row of one matrix.
///
/// One address per thread is computed; the others follow from it by a constant
/// offset and, in a swizzled buffer, one xor: the rows a lane addresses are
/// equal modulo 8, so its swizzle is a constant of the thread, and the address
/// bits a swizzle reaches are clear in a buffer's start.
class MatrixAddresses {
public:
  /// `row` is the row each lane addresses, `half` which of two neighbouring
  /// matrices of a row (0 or 1), both i32.
  MatrixAddresses(ScalarEmitter &emitter, BufferType buffer, Value start,
                  Value row, Value half)
      : emitter(emitter), buffer(buffer) {
    int64_t rowBytes = buffer.getShape()[1] * 2;
    if (!buffer.getSwizzled()) {
      lane = emitter.add(start, emitter.add(emitter.mul(row, rowBytes),
                                            emitter.mul(half, 16)));
      return;
    }
    layout::SwizzledTile tile = swizzleOf(buffer);
    lane = emitter.add(
        start, emitter.swizzledOffset(tile, row, emitter.mul(half, 16)));
    swizzleMask = ((int64_t(1) << tile.swizzle().bits) - 1)
                  << tile.swizzle().base;
  }

  /// `count` matrices from the rows and columns that start at (row, column):
  /// row a multiple of 16, or of 8 if only the first 8 rows are addressed;
  /// column a multiple of 16.
  Words load(int64_t row, int64_t column, unsigned count, bool transposed) {
    int64_t colByte = column * 2, offset = 0, pattern = 0;
    if (buffer.getSwizzled()) {
      layout::SwizzledTile tile = swizzleOf(buffer);
      pattern = colByte % tile.panelBytes() & swizzleMask;
      offset = int64_t(tile.offset(row, colByte)) - pattern;
    } else {
      offset = row * buffer.getShape()[1] * 2 + colByte;
    }
    Value &pointer = pointers[pattern];
    if (!pointer)
      pointer = emitter.sharedPointer(
          pattern ? emitter.bitXor(lane, emitter.i32(pattern)) : lane);
    Value address = emitter.elementPointer(
        pointer, emitter.getBuilder().getI8Type(), emitter.i32(offset));
    return nvvm::loadMatrix(emitter.getBuilder(), emitter.getLoc(), address,
                            count, transposed);
  }

private:
  ScalarEmitter &emitter;
  BufferType buffer;
  Value lane;
  int64_t swizzleMask = 0;
  DenseMap<int64_t, Value> pointers; // by the xor that makes them
};

/// The words of a 16×16 fragment of A whose elements are registers.
Words packFragment(ScalarEmitter &emitter, ValueRange registers,
                   int64_t fragment) {
  Words words;
  for (int64_t reg = fragment * 8; reg < fragment * 8 + 8; reg += 2)
    words.push_back(packPair(emitter, registers[reg], registers[reg + 1]));
  return words;
}

/// Where the fragments of A come from: shared memory or registers.
class OperandA {
public:
  OperandA(ScalarEmitter &emitter, MmaOp op, ValueRange values)
      : emitter(emitter) {
    auto buffer = dyn_cast<BufferType>(op.getA().getType());
    if (!buffer) {
      registers = values;
      depthTiles =
          cast<RankedTensorType>(op.getA().getType()).getDimSize(1) / 16;
      return;
    }
    auto encoding =
        cast<MmaAttr>(cast<RankedTensorType>(op.getType()).getEncoding());
    Value thread = emitter.threadId();
    // Matrices in the order of a0 to a7: both row halves, then both column
    // halves.
    Value row = emitter.bitAnd(thread, 15);
    int64_t rowsPerWarp = buffer.getShape()[0] / encoding.getWarps();
    if (encoding.getWarps() > 1)
      row = emitter.add(
          row, emitter.mul(emitter.shiftRight(thread, 5), rowsPerWarp));
    Value half = emitter.bitAnd(emitter.shiftRight(thread, 4), 1);
    addresses.emplace(emitter, buffer, values.front(), row, half);
  }

  Words fragment(int64_t rowTile, int64_t depthTile) {
    if (addresses)
      return addresses->load(rowTile * 16, depthTile * 16, 4, false);
    return packFragment(emitter, registers, rowTile * depthTiles + depthTile);
  }

private:
  ScalarEmitter &emitter;
  ValueRange registers;
  int64_t depthTiles = 0;
  std::optional<MatrixAddresses> addresses;
};

/// Fragments of B, two column tiles at a time.
class OperandB {
public:
  OperandB(ScalarEmitter &emitter, MmaOp op, Value start)
      : transposed(op.getBTransposed()) {
    Value thread = emitter.threadId();
    Value low = emitter.bitAnd(thread, 7);
    Value bit3 = emitter.bitAnd(emitter.shiftRight(thread, 3), 1);
    Value bit4 = emitter.bitAnd(emitter.shiftRight(thread, 4), 1);
    // Matrices in the order b0 b1, b2 b3 of one column tile, then of the next:
    // the depth halves first. Depth runs along the buffer's columns when b is
    // transposed, along its rows when not.
    Value rowHalf = transposed ? bit4 : bit3;
    Value row = emitter.add(low, emitter.mul(rowHalf, 8));
    addresses.emplace(emitter, op.getB().getType(), start, row,
                      transposed ? bit3 : bit4);
  }

  /// The words of column tiles `tile` (even) and, if `count` is 2, the next.
  Words fragments(int64_t depthTile, int64_t tile, unsigned count) {
    if (transposed)
      return addresses->load(tile * 8, depthTile * 16, count * 2, false);
    return addresses->load(depthTile * 16, tile * 8, count * 2, true);
  }

private:
  bool transposed;
  std::optional<MatrixAddresses> addresses;
};

struct MmaLowering : OpConversionPattern<MmaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MmaOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ScalarEmitter emitter(rewriter, op.getLoc());
    BufferType b = op.getB().getType();
    auto type = cast<RankedTensorType>(op.getType());
    int64_t warps = cast<MmaAttr>(type.getEncoding()).getWarps();
    int64_t rowTiles = type.getDimSize(0) / warps / 16;
    int64_t colTiles = type.getDimSize(1) / 8;
    int64_t depthTiles = b.getShape()[op.getBTransposed() ? 1 : 0] / 16;

    OperandA operandA(emitter, op, adaptor.getA());
    OperandB operandB(emitter, op, adaptor.getB().front());
    SmallVector<Value> accumulator(adaptor.getAccumulator());
    for (int64_t depth = 0; depth < depthTiles; ++depth) {
      SmallVector<Words> aFragments;
      for (int64_t row = 0; row < rowTiles; ++row)
        aFragments.push_back(operandA.fragment(row, depth));
      for (int64_t col = 0; col < colTiles; col += 2) {
        unsigned count = std::min<int64_t>(2, colTiles - col);
        Words bWords = operandB.fragments(depth, col, count);
        for (int64_t row = 0; row < rowTiles; ++row)
          for (unsigned i = 0; i < count; ++i) {
            MutableArrayRef<Value> c =
                MutableArrayRef(accumulator)
                    .slice((row * colTiles + col + i) * 4, 4);
            Words sum = nvvm::multiplyMatrix(
                rewriter, op.getLoc(), b.getElementType(), aFragments[row],
                ArrayRef(bWords).slice(i * 2, 2), ArrayRef<Value>(c));
            llvm::copy(sum, c.begin());
          }
      }
    }
    replaceTile(rewriter, op, std::move(accumulator));
    return success();
  }
};

// Pairs of ones.
constexpr int32_t onesBF16 = 0x3f803f80, onesF16 = 0x3c003c00;

struct MmaOnesLowering : OpConversionPattern<MmaOnesOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MmaOnesOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ScalarEmitter emitter(rewriter, op.getLoc());
    auto type = cast<RankedTensorType>(op.getType());
    int64_t warps = cast<MmaAttr>(type.getEncoding()).getWarps();
    int64_t rowTiles = type.getDimSize(0) / warps / 16;
    int64_t colTiles = type.getDimSize(1) / 8;
    // B: lane 4n + t holds columns 2t, 2t + 1 of row n, the word of its number.
    constexpr int64_t tileBytes = 8 * 16;
    Value pointer = emitter.sharedPointer(
        emitter.add(adaptor.getB().front(),
                    emitter.mul(emitter.bitAnd(emitter.threadId(), 31), 4)));
    Value ones = emitter.i32(onesBF16);
    SmallVector<Value> accumulator(adaptor.getAccumulator());
    for (int64_t col = 0; col < colTiles; ++col) {
      Value word =
          loadElements(emitter,
                       {pointer, rewriter.getI32Type(), col * tileBytes / 4}, 1,
                       /*condition=*/{})
              .front();
      for (int64_t row = 0; row < rowTiles; ++row) {
        MutableArrayRef<Value> c =
            MutableArrayRef(accumulator).slice((row * colTiles + col) * 4, 4);
        Words sum =
            nvvm::multiplyNarrow(rewriter, op.getLoc(), ValueRange{ones, ones},
                                 word, ArrayRef<Value>(c));
        llvm::copy(sum, c.begin());
      }
    }
    replaceTile(rewriter, op, std::move(accumulator));
    return success();
  }
};

struct MmaRowSumLowering : OpConversionPattern<MmaRowSumOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MmaRowSumOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ScalarEmitter emitter(rewriter, op.getLoc());
    auto a = cast<RankedTensorType>(op.getA().getType());
    int64_t warps = cast<MmaOperandAttr>(a.getEncoding()).getWarps();
    int64_t rowTiles = a.getDimSize(0) / warps / 16;
    int64_t depthTiles = a.getDimSize(1) / 16;
    Value ones = emitter.i32(a.getElementType().isBF16() ? onesBF16 : onesF16);

    SmallVector<Value> accumulator(adaptor.getAccumulator());
    for (int64_t depth = 0; depth < depthTiles; ++depth)
      for (int64_t row = 0; row < rowTiles; ++row) {
        MutableArrayRef<Value> c =
            MutableArrayRef(accumulator).slice(row * 4, 4);
        Words sum = nvvm::multiplyMatrix(
            rewriter, op.getLoc(), a.getElementType(),
            packFragment(emitter, adaptor.getA(), row * depthTiles + depth),
            ValueRange{ones, ones}, ArrayRef<Value>(c));
        llvm::copy(sum, c.begin());
      }
    replaceTile(rewriter, op, std::move(accumulator));
    return success();
  }
};

} // namespace

void goat::tile::populateMatrixMultiplyPatterns(TypeConverter &converter,
                                                RewritePatternSet &patterns) {
  patterns.add<MmaLowering, MmaOnesLowering, MmaRowSumLowering>(
      converter, patterns.getContext());
}
