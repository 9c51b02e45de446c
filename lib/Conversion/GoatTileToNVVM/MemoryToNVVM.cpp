//===- MemoryToNVVM.cpp - loads, stores and buffers -----------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryAccess.h"
#include "Patterns.h"
#include "ScalarEmitter.h"
#include "TileAddresses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace goat;
using namespace goat::tile;

layout::SwizzledTile goat::tile::swizzleOf(BufferType buffer) {
  ArrayRef<int64_t> shape = buffer.getShape().take_back(2);
  return *layout::SwizzledTile::create(
      shape[0], shape[1] * buffer.getElementType().getIntOrFloatBitWidth() / 8);
}

namespace {

//===----------------------------------------------------------------------===//
// Global memory, element by element
//===----------------------------------------------------------------------===//

struct AdvanceLowering : OpConversionPattern<AdvanceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(AdvanceOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ScalarEmitter emitter(rewriter, op.getLoc());
    rewriter.replaceOp(
        op, emitter.elementPointer(adaptor.getPointer().front(),
                                   op.getPointer().getType().getElementType(),
                                   adaptor.getOffset().front()));
    return success();
  }
};

/// Which elements of a tile a thread holds, as conditions.
class Holder {
public:
  Holder(ScalarEmitter &emitter, Type type) : emitter(emitter) {
    if (auto tile = dyn_cast<RankedTensorType>(type))
      layout = getTileLayout(tile);
    if (layout && layout->rank() == 1)
      base = emitter.threadBase(*layout, 0);
  }

  unsigned numRegisters() const { return layout ? layout->numRegisters() : 1; }

  /// Whether register `reg` is an element of the tile; null if always.
  Value holds(unsigned reg) {
    return base ? emitter.isInRange(*layout, reg, base) : Value();
  }

  /// Whether this thread is the one of its holders that writes; null if it is
  /// the only one.
  Value writes() {
    return layout ? emitter.isFirstHolder(*layout)
                  : emitter.equal(emitter.threadId(), 0);
  }

private:
  ScalarEmitter &emitter;
  std::optional<layout::TileLayout> layout;
  Value base;
};

struct LoadLowering : OpConversionPattern<LoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LoadOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ScalarEmitter emitter(rewriter, op.getLoc());
    Type element = op.getPointer().getType().getElementType();
    Holder holder(emitter, op.getType());
    SmallVector<Value> results;
    for (unsigned reg = 0; reg < holder.numRegisters(); ++reg) {
      Value mask = op.getMask() ? adaptor.getMask()[reg] : Value();
      Value address = emitter.elementPointer(adaptor.getPointer().front(),
                                             element, adaptor.getOffset()[reg]);
      results.append(loadElements(emitter, {address, element}, 1,
                                  emitter.both(mask, holder.holds(reg))));
    }
    replaceTile(rewriter, op, std::move(results));
    return success();
  }
};

struct StoreLowering : OpConversionPattern<StoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(StoreOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ScalarEmitter emitter(rewriter, op.getLoc());
    Type element = op.getPointer().getType().getElementType();
    Holder holder(emitter, op.getValue().getType());
    Value writes = holder.writes();
    for (unsigned reg = 0; reg < holder.numRegisters(); ++reg) {
      Value mask = op.getMask() ? adaptor.getMask()[reg] : Value();
      Value condition =
          emitter.both(emitter.both(mask, holder.holds(reg)), writes);
      Value address = emitter.elementPointer(adaptor.getPointer().front(),
                                             element, adaptor.getOffset()[reg]);
      storeElements(emitter, {address, element}, adaptor.getValue()[reg],
                    condition);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Global memory, row by row
//===----------------------------------------------------------------------===//

/// The accesses of one thread to the rows of a row-major matrix.
class RowAccess {
public:
  /// Up to `columns` columns of the tile are accessed, `alignment` bytes at a
  /// time at most; `columnStride` is null where it is 1.
  RowAccess(ScalarEmitter &emitter, RankedTensorType type, int64_t columns,
            int64_t alignment, Value columnStride)
      : emitter(emitter), type(type), layout(*getTileLayout(type)),
        columns(columns), columnStride(columnStride),
        source(layout.broadcastSource(1)),
        columnBase(emitter.threadBase(layout, 1)) {
    for (unsigned bit = 0; bit < layout::TileLayout::laneBits; ++bit)
      lastThreadColumn |= layout.laneBasis(bit)[1];
    for (unsigned bit = 0; 1u << bit < layout.numWarps(); ++bit)
      lastThreadColumn |= layout.warpBasis(bit)[1];
    unsigned bits = type.getElementType().getIntOrFloatBitWidth();
    for (width = std::max<int64_t>(1, 8 * alignment / bits); width > 1;
         width /= 2)
      if (isWidth(width))
        break;
  }

  /// Calls `access(first register, number of registers, address, condition)`
  /// for every run of neighbouring columns. The condition may be null; runs
  /// that no thread accesses are left out.
  template <typename Access>
  void forEachRun(Value pointer, ValueRange rows, ValueRange masks,
                  Value stride, Access access) {
    SmallVector<Value> rowPointers(rows.size());
    for (unsigned reg = 0, end = layout.numRegisters(); reg < end;
         reg += width) {
      int64_t column = layout.registerOffset(reg)[1];
      if (column >= columns)
        continue;
      Value &rowPointer = rowPointers[source[reg]];
      if (!rowPointer) {
        Value start = emitter.mul(emitter.extend(rows[source[reg]]), stride);
        Value along = emitter.extend(columnBase);
        if (columnStride)
          along = emitter.mul(along, columnStride);
        rowPointer = emitter.elementPointer(pointer, type.getElementType(),
                                            emitter.add(start, along));
      }
      Value condition = masks[source[reg]];
      if (column + lastThreadColumn + width > columns)
        condition = emitter.both(
            condition, emitter.less(columnBase, emitter.i32(columns - column)));
      ElementAddress address{rowPointer, type.getElementType(), column};
      if (columnStride)
        address = {emitter.elementPointer(rowPointer, type.getElementType(),
                                          emitter.mul(columnStride, column)),
                   type.getElementType()};
      access(reg, width, address, condition);
    }
  }

private:
  /// Whether registers come in aligned runs of `candidate` columns.
  bool isWidth(unsigned candidate) const {
    if (layout.numRegisters() % candidate || lastThreadColumn % candidate ||
        columns % candidate)
      return false;
    for (unsigned bit = 0; bit < layout::TileLayout::laneBits; ++bit)
      if (layout.laneBasis(bit)[1] % candidate)
        return false;
    for (unsigned reg = 0, end = layout.numRegisters(); reg < end; ++reg) {
      layout::Coordinate first = layout.registerOffset(reg - reg % candidate);
      first[1] += reg % candidate;
      if (unsigned(first[1]) % candidate != reg % candidate ||
          layout.registerOffset(reg) != first)
        return false;
    }
    return true;
  }

  ScalarEmitter &emitter;
  RankedTensorType type;
  layout::TileLayout layout;
  int64_t columns;
  Value columnStride;
  std::vector<unsigned> source; // of each register, the row's
  Value columnBase;
  int32_t lastThreadColumn = 0;
  unsigned width;
};

template <typename OpT, typename AdaptorT>
RowAccess getRowAccess(ScalarEmitter &emitter, OpT op, AdaptorT adaptor,
                       RankedTensorType type) {
  std::optional<uint64_t> columns = op.getColumns();
  return RowAccess(
      emitter, type,
      columns ? static_cast<int64_t>(*columns) : type.getDimSize(1),
      op.getAlignment(),
      op.getColumnStride() ? adaptor.getColumnStride().front() : Value());
}

struct LoadRowsLowering : OpConversionPattern<LoadRowsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LoadRowsOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ScalarEmitter emitter(rewriter, op.getLoc());
    auto type = cast<RankedTensorType>(op.getType());
    Value zero =
        LLVM::ZeroOp::create(rewriter, op.getLoc(), type.getElementType());
    SmallVector<Value> results(layoutOf(type).numRegisters(), zero);
    getRowAccess(emitter, op, adaptor, type)
        .forEachRun(adaptor.getPointer().front(), adaptor.getRow(),
                    adaptor.getMask(), adaptor.getStride().front(),
                    [&](unsigned reg, unsigned count, ElementAddress address,
                        Value condition) {
                      llvm::copy(
                          loadElements(emitter, address, count, condition),
                          results.begin() + reg);
                    });
    replaceTile(rewriter, op, std::move(results));
    return success();
  }
};

struct StoreRowsLowering : OpConversionPattern<StoreRowsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(StoreRowsOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ScalarEmitter emitter(rewriter, op.getLoc());
    auto type = cast<RankedTensorType>(op.getValue().getType());
    Value writes = emitter.isFirstHolder(layoutOf(type));
    getRowAccess(emitter, op, adaptor, type)
        .forEachRun(adaptor.getPointer().front(), adaptor.getRow(),
                    adaptor.getMask(), adaptor.getStride().front(),
                    [&](unsigned reg, unsigned count, ElementAddress address,
                        Value condition) {
                      storeElements(emitter, address,
                                    adaptor.getValue().slice(reg, count),
                                    emitter.both(condition, writes));
                    });
    rewriter.eraseOp(op);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

struct AllocLowering : OpConversionPattern<AllocOp> {
  AllocLowering(TypeConverter &converter, MLIRContext *context,
                StringRef sharedMemory)
      : OpConversionPattern(converter, context), sharedMemory(sharedMemory) {}

  LogicalResult
  matchAndRewrite(AllocOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getOffset())
      return op.emitOpError("expected an offset; run --goat-tile-place-buffers "
                            "first");
    ScalarEmitter emitter(rewriter, op.getLoc());
    Value start = LLVM::AddressOfOp::create(
        rewriter, op.getLoc(), LLVM::LLVMPointerType::get(getContext(), 3),
        sharedMemory);
    Value address = LLVM::PtrToIntOp::create(rewriter, op.getLoc(),
                                             rewriter.getI32Type(), start);
    rewriter.replaceOp(op, emitter.add(address, *op.getOffset()));
    return success();
  }

private:
  StringRef sharedMemory;
};

struct StageLowering : OpConversionPattern<StageOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(StageOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ScalarEmitter emitter(rewriter, op.getLoc());
    rewriter.replaceOp(op,
                       emitter.add(adaptor.getBuffer().front(),
                                   emitter.mul(adaptor.getIndex().front(),
                                               op.getType().getNumBytes())));
    return success();
  }
};

struct WindowLowering : OpConversionPattern<WindowOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(WindowOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ScalarEmitter emitter(rewriter, op.getLoc());
    BufferType type = op.getType();
    int64_t bytes = type.getNumBytes() / type.getShape()[0];
    rewriter.replaceOp(
        op, emitter.add(adaptor.getBuffer().front(),
                        emitter.mul(adaptor.getStart().front(), bytes)));
    return success();
  }
};

/// The shared memory a thread's part of a vector lies in: the element of
/// register r is `registerOffset(r)` elements on.
Value vectorPointer(ScalarEmitter &emitter, const layout::TileLayout &layout,
                    Type element, Value start) {
  Value offset = emitter.mul(emitter.threadBase(layout, 0),
                             element.getIntOrFloatBitWidth() / 8);
  return emitter.sharedPointer(emitter.add(start, offset));
}

struct WriteLowering : OpConversionPattern<WriteOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(WriteOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ScalarEmitter emitter(rewriter, op.getLoc());
    Type element = op.getBuffer().getType().getElementType();
    layout::TileLayout layout = layoutOf(op.getValue().getType());
    Value pointer =
        vectorPointer(emitter, layout, element, adaptor.getBuffer().front());
    Holder holder(emitter, op.getValue().getType());
    Value writes = holder.writes();
    for (unsigned reg = 0, end = layout.numRegisters(); reg < end; ++reg)
      storeElements(emitter, {pointer, element, layout.registerOffset(reg)[0]},
                    adaptor.getValue()[reg],
                    emitter.both(holder.holds(reg), writes));
    rewriter.eraseOp(op);
    return success();
  }
};

struct WriteRowsLowering : OpConversionPattern<WriteRowsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(WriteRowsOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ScalarEmitter emitter(rewriter, op.getLoc());
    BufferType buffer = op.getBuffer().getType();
    int64_t bytes = buffer.getElementType().getIntOrFloatBitWidth() / 8;
    layout::TileLayout layout = layoutOf(op.getValue().getType());
    TileAddresses addresses(emitter, buffer, adaptor.getBuffer().front(),
                            emitter.threadBase(layout, 0),
                            emitter.mul(emitter.threadBase(layout, 1), bytes));
    Value writes = emitter.isFirstHolder(layout);
    for (unsigned reg = 0, end = layout.numRegisters(); reg < end; ++reg) {
      layout::Coordinate offset = layout.registerOffset(reg);
      storeElements(
          emitter,
          addresses.at(op.getFirstRow() + offset[0], offset[1] * bytes),
          adaptor.getValue()[reg], writes);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct ReadLowering : OpConversionPattern<ReadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ReadOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ScalarEmitter emitter(rewriter, op.getLoc());
    Type element = op.getBuffer().getType().getElementType();
    layout::TileLayout layout = layoutOf(op.getType());
    Value pointer =
        vectorPointer(emitter, layout, element, adaptor.getBuffer().front());
    Holder holder(emitter, op.getType());
    SmallVector<Value> results;
    for (unsigned reg = 0, end = layout.numRegisters(); reg < end; ++reg)
      results.append(loadElements(
          emitter, {pointer, element, layout.registerOffset(reg)[0]}, 1,
          holder.holds(reg)));
    replaceTile(rewriter, op, std::move(results));
    return success();
  }
};

/// x as three bf16 that add up to it: each takes what is left of the ones
/// before, exactly, until the last is rounded. An infinity leaves nothing.
SmallVector<Value> splitToBF16(ScalarEmitter &emitter, Value x) {
  OpBuilder &builder = emitter.getBuilder();
  Location loc = emitter.getLoc();
  Type bf16 = builder.getBF16Type(), f32 = builder.getF32Type();
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(0.0));
  SmallVector<Value> parts;
  for (unsigned part = 0; part < 3; ++part) {
    Value narrow = arith::TruncFOp::create(builder, loc, bf16, x);
    parts.push_back(narrow);
    if (part == 2)
      break;
    Value rest = arith::SubFOp::create(
        builder, loc, x, arith::ExtFOp::create(builder, loc, f32, narrow));
    Value isNumber = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::ORD, rest, rest);
    x = arith::SelectOp::create(builder, loc, isNumber, rest, zero);
  }
  return parts;
}

/// The 16 bytes of x's row among parts: the parts and zeros, as words.
SmallVector<Value> partWords(ScalarEmitter &emitter, Value x) {
  OpBuilder &builder = emitter.getBuilder();
  Value none =
      LLVM::ZeroOp::create(builder, emitter.getLoc(), builder.getBF16Type());
  SmallVector<Value> parts = splitToBF16(emitter, x);
  Value zero = emitter.i32(0);
  return {packPair(emitter, parts[0], parts[1]),
          packPair(emitter, parts[2], none), zero, zero};
}

struct WritePartsLowering : OpConversionPattern<WritePartsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(WritePartsOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ScalarEmitter emitter(rewriter, op.getLoc());
    layout::TileLayout layout = layoutOf(op.getValue().getType());
    constexpr int64_t rowBytes = 16;
    Value pointer = emitter.sharedPointer(
        emitter.add(adaptor.getBuffer().front(),
                    emitter.mul(emitter.threadBase(layout, 0), rowBytes)));
    Holder holder(emitter, op.getValue().getType());
    Value writes = holder.writes();
    Type i32 = rewriter.getI32Type();
    for (unsigned reg = 0, end = layout.numRegisters(); reg < end; ++reg)
      storeElements(
          emitter, {pointer, i32, layout.registerOffset(reg)[0] * rowBytes / 4},
          partWords(emitter, adaptor.getValue()[reg]),
          emitter.both(holder.holds(reg), writes));
    rewriter.eraseOp(op);
    return success();
  }
};

struct StorePartsLowering : OpConversionPattern<StorePartsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(StorePartsOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ScalarEmitter emitter(rewriter, op.getLoc());
    constexpr int64_t rowWords = 4;
    Type i32 = rewriter.getI32Type();
    Holder holder(emitter, op.getValue().getType());
    Value writes = holder.writes();
    for (unsigned reg = 0; reg < holder.numRegisters(); ++reg) {
      Value offset =
          emitter.mul(emitter.extend(adaptor.getRow()[reg]), rowWords);
      storeElements(
          emitter,
          {emitter.elementPointer(adaptor.getPointer().front(), i32, offset),
           i32},
          partWords(emitter, adaptor.getValue()[reg]),
          emitter.both(emitter.both(adaptor.getMask()[reg], holder.holds(reg)),
                       writes));
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct ReadAtLowering : OpConversionPattern<ReadAtOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ReadAtOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ScalarEmitter emitter(rewriter, op.getLoc());
    Type element = op.getBuffer().getType().getElementType();
    Holder holder(emitter, cast<RankedTensorType>(op.getType()));
    // Addresses of 32 bits, so that one instruction makes one of an offset.
    SmallVector<Value> results;
    for (auto [reg, offset] : llvm::enumerate(adaptor.getOffset())) {
      Value address =
          emitter.add(adaptor.getBuffer().front(),
                      emitter.mul(offset, element.getIntOrFloatBitWidth() / 8));
      results.append(loadElements(emitter,
                                  {emitter.sharedPointer(address), element}, 1,
                                  holder.holds(reg)));
    }
    replaceTile(rewriter, op, std::move(results));
    return success();
  }
};

struct ReadDiagonalQuadsLowering : OpConversionPattern<ReadDiagonalQuadsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ReadDiagonalQuadsOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ScalarEmitter emitter(rewriter, op.getLoc());
    auto type = cast<RankedTensorType>(op.getType());
    Type f32 = type.getElementType();
    layout::TileLayout layout = layoutOf(type);
    constexpr int64_t quadBytes = 16;
    Value distance = emitter.sub(emitter.threadBase(layout, 0),
                                 emitter.threadBase(layout, 1));
    Value pointer = emitter.sharedPointer(emitter.add(
        adaptor.getStrip().front(), emitter.mul(distance, quadBytes)));
    DenseMap<int32_t, SmallVector<Value>> loaded; // by the quad's distance
    SmallVector<Value> results;
    for (unsigned reg = 0, end = layout.numRegisters(); reg < end; reg += 4) {
      layout::Coordinate offset = layout.registerOffset(reg);
      int32_t diagonal = offset[0] - offset[1];
      SmallVector<Value> &quad = loaded[diagonal];
      if (quad.empty())
        quad = loadElements(
            emitter, {pointer, f32, (diagonal + type.getDimSize(1) - 1) * 4}, 4,
            /*condition=*/{});
      results.append(quad);
    }
    replaceTile(rewriter, op, std::move(results));
    return success();
  }
};

struct ReadDiagonalsLowering : OpConversionPattern<ReadDiagonalsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ReadDiagonalsOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ScalarEmitter emitter(rewriter, op.getLoc());
    Type element = op.getStrip().getType().getElementType();
    auto type = cast<RankedTensorType>(op.getType());
    layout::TileLayout layout = layoutOf(type);
    Value distance = emitter.sub(emitter.threadBase(layout, 0),
                                 emitter.threadBase(layout, 1));
    Value pointer = emitter.sharedPointer(emitter.add(
        adaptor.getStrip().front(),
        emitter.mul(distance, element.getIntOrFloatBitWidth() / 8)));
    DenseMap<int32_t, Value> loaded; // by distance of the register's offsets
    SmallVector<Value> results;
    for (unsigned reg = 0, end = layout.numRegisters(); reg < end; ++reg) {
      layout::Coordinate offset = layout.registerOffset(reg);
      int32_t diagonal = offset[0] - offset[1];
      Value &value = loaded[diagonal];
      if (!value)
        value = loadElements(
                    emitter,
                    {pointer, element, diagonal + type.getDimSize(1) - 1}, 1,
                    /*condition=*/{})
                    .front();
      results.push_back(value);
    }
    replaceTile(rewriter, op, std::move(results));
    return success();
  }
};

} // namespace

void goat::tile::populateMemoryPatterns(TypeConverter &converter,
                                        RewritePatternSet &patterns,
                                        StringRef sharedMemory) {
  MLIRContext *context = patterns.getContext();
  patterns.add<AdvanceLowering, LoadLowering, StoreLowering, LoadRowsLowering,
               StoreRowsLowering, StageLowering, WindowLowering, WriteLowering,
               WriteRowsLowering, ReadLowering, ReadAtLowering,
               StorePartsLowering, WritePartsLowering, ReadDiagonalsLowering,
               ReadDiagonalQuadsLowering>(converter, context);
  patterns.add<AllocLowering>(converter, context, sharedMemory);
}
