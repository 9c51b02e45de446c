//===- MatrixMultiplyToNVVM.cpp - mma.sync and its fragments --------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// goat_tile.mma of 16-bit elements on mma.sync m16n8k16. Fragments come from
// shared memory by ldmatrix in the order in which the mma takes them; each
// k-step loads what it multiplies, so that few fragments are alive at a time.
//
//===----------------------------------------------------------------------===//

#include "F32MultiplyToNVVM.h"
#include "MatrixLoader.h"
#include "NVVMInstructions.h"
#include "Patterns.h"
#include "ScalarEmitter.h"

using namespace mlir;
using namespace goat;
using namespace goat::tile;

namespace {

using Words = SmallVector<Value, 4>;

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
    loader.emplace(MatrixLoader::forA(emitter, op, values.front()));
  }

  Words fragment(int64_t rowTile, int64_t depthTile) {
    if (loader)
      return loader->load(rowTile * 16, depthTile * 16, 4, false);
    return packFragment(emitter, registers, rowTile * depthTiles + depthTile);
  }

private:
  ScalarEmitter &emitter;
  ValueRange registers;
  int64_t depthTiles = 0;
  std::optional<MatrixLoader> loader;
};

struct MmaLowering : OpConversionPattern<MmaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MmaOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ScalarEmitter emitter(rewriter, op.getLoc());
    if (op.getF32Product()) {
      replaceTile(rewriter, op,
                  multiplyF32(emitter, op, adaptor.getA(),
                              adaptor.getB().front(),
                              adaptor.getAccumulator()));
      return success();
    }
    BufferType b = op.getB().getType();
    auto type = cast<RankedTensorType>(op.getType());
    int64_t warps = cast<MmaAttr>(type.getEncoding()).getWarps();
    int64_t rowTiles = type.getDimSize(0) / warps / 16;
    int64_t colTiles = type.getDimSize(1) / 8;
    int64_t depthTiles = b.getShape()[op.getBTransposed() ? 1 : 0] / 16;

    OperandA operandA(emitter, op, adaptor.getA());
    bool transposed = op.getBTransposed();
    MatrixLoader operandB =
        MatrixLoader::forB(emitter, op, adaptor.getB().front());
    SmallVector<Value> accumulator(adaptor.getAccumulator());
    for (int64_t depth = 0; depth < depthTiles; ++depth) {
      SmallVector<Words> aFragments;
      for (int64_t row = 0; row < rowTiles; ++row)
        aFragments.push_back(operandA.fragment(row, depth));
      for (int64_t col = 0; col < colTiles; col += 2) {
        unsigned count = std::min<int64_t>(2, colTiles - col);
        Words bWords =
            transposed ? operandB.load(col * 8, depth * 16, count * 2, false)
                       : operandB.load(depth * 16, col * 8, count * 2, true);
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
    // Matrices of 8 rows lie one after another, 16 bytes a row, so that each of
    // 16 lanes addresses the row of its number. Four at a time would be fewer
    // loads, but what they bring waits in registers while the other operands
    // arrive: at D = 96, ptxas spilled for it.
    constexpr int64_t rowBytes = 16;
    Value start = emitter.sharedPointer(emitter.add(
        adaptor.getB().front(),
        emitter.mul(emitter.bitAnd(emitter.threadId(), 15), rowBytes)));
    Value ones = emitter.i32(onesBF16);
    SmallVector<Value> accumulator(adaptor.getAccumulator());
    for (int64_t first = 0; first < colTiles; first += 2) {
      unsigned count = std::min<int64_t>(2, colTiles - first);
      Words words = nvvm::loadMatrix(
          rewriter, op.getLoc(),
          emitter.elementPointer(start, rewriter.getI8Type(),
                                 emitter.i32(first * 8 * rowBytes)),
          count, /*transposed=*/false);
      for (auto [col, word] : llvm::enumerate(words))
        for (int64_t row = 0; row < rowTiles; ++row) {
          MutableArrayRef<Value> c =
              MutableArrayRef(accumulator)
                  .slice((row * colTiles + first + col) * 4, 4);
          Words sum = nvvm::multiplyNarrow(rewriter, op.getLoc(),
                                           ValueRange{ones, ones}, word,
                                           ArrayRef<Value>(c));
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
