//===- ComputeToNVVM.cpp - arithmetic on tiles, register by register ------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A constant, a splat and an expanded vector are one value under many names:
// ops on equal operands are created once, so they stay so.
//
//===----------------------------------------------------------------------===//

#include "NVVMInstructions.h"
#include "Patterns.h"
#include "ScalarEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace goat;
using namespace goat::tile;

namespace {

using Registers = SmallVector<Value>;

bool isTile(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa_and_nonnull<LayoutAttrInterface>(tensor.getEncoding());
}

/// An elementwise op on tiles becomes the same op on scalars.
struct ElementwiseLowering : ConversionPattern {
  ElementwiseLowering(TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/0,
                          context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<ValueRange> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (op->getNumResults() != 1 || !isTile(op->getResult(0).getType()) ||
        !OpTrait::hasElementwiseMappableTraits(op))
      return failure();
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    unsigned count = layoutOf(type).numRegisters();
    for (auto [operand, registers] : llvm::zip(op->getOperands(), operands))
      if (registers.size() != (isTile(operand.getType()) ? count : 1))
        return rewriter.notifyMatchFailure(op, "operands of other layouts");

    NamedAttrList attributes(op->getAttrDictionary());
    DenseMap<ArrayRef<Value>, Value> created;
    // The keys of `created` point into here.
    SmallVector<SmallVector<Value, 3>> tuples(count);
    Registers results;
    for (unsigned reg = 0; reg < count; ++reg) {
      for (ValueRange registers : operands)
        tuples[reg].push_back(
            registers.size() == 1 && count > 1 ? registers[0] : registers[reg]);
      auto [entry, isNew] = created.try_emplace(tuples[reg]);
      if (isNew)
        entry->second = rewriter
                            .create(op->getLoc(), op->getName().getIdentifier(),
                                    tuples[reg], type.getElementType(),
                                    attributes.getAttrs())
                            ->getResult(0);
      results.push_back(entry->second);
    }
    replaceTile(rewriter, op, std::move(results));
    return success();
  }
};

struct ConstantLowering : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto splat = dyn_cast<SplatElementsAttr>(op.getValue());
    if (!splat || !isTile(op.getType()))
      return rewriter.notifyMatchFailure(op, "expected a splat");
    Value scalar = arith::ConstantOp::create(rewriter, op.getLoc(),
                                             splat.getSplatValue<TypedAttr>());
    replaceTile(rewriter, op,
                Registers(layoutOf(op.getType()).numRegisters(), scalar));
    return success();
  }
};

struct SplatLowering : OpConversionPattern<SplatOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(SplatOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    replaceTile(rewriter, op,
                Registers(layoutOf(op.getType()).numRegisters(),
                          adaptor.getValue().front()));
    return success();
  }
};

struct IotaLowering : OpConversionPattern<IotaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(IotaOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ScalarEmitter emitter(rewriter, op.getLoc());
    layout::TileLayout layout = layoutOf(op.getType());
    Value base = emitter.threadBase(layout, 0);
    Registers results;
    for (unsigned reg = 0, end = layout.numRegisters(); reg < end; ++reg)
      results.push_back(emitter.add(base, layout.registerOffset(reg)[0]));
    replaceTile(rewriter, op, std::move(results));
    return success();
  }
};

struct ExpandLowering : OpConversionPattern<ExpandOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ExpandOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Registers results;
    for (unsigned source : layoutOf(op.getType()).broadcastSource(op.getAxis()))
      results.push_back(adaptor.getVector()[source]);
    replaceTile(rewriter, op, std::move(results));
    return success();
  }
};

struct ConvertLayoutLowering : OpConversionPattern<ConvertLayoutOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ConvertLayoutOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::vector<unsigned> sources = *layout::conversion(
        layoutOf(op.getTile().getType()), layoutOf(op.getType()));
    Registers results;
    for (unsigned source : sources)
      results.push_back(adaptor.getTile()[source]);
    replaceTile(rewriter, op, std::move(results));
    return success();
  }
};

/// Combines values in pairs of pairs: short chains, and sums that lose little.
Value combineAll(Registers level,
                 llvm::function_ref<Value(Value, Value)> combine) {
  while (level.size() > 1) {
    Registers next;
    for (size_t i = 0; i + 1 < level.size(); i += 2)
      next.push_back(combine(level[i], level[i + 1]));
    if (level.size() % 2)
      next.push_back(level.back());
    level = std::move(next);
  }
  return level[0];
}

Registers select(ValueRange registers, const std::vector<unsigned> &group) {
  Registers selected;
  for (unsigned reg : group)
    selected.push_back(registers[reg]);
  return selected;
}

struct FoldLowering : OpConversionPattern<FoldOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(FoldOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto groups = *layout::rowGroups(layoutOf(op.getTile().getType()),
                                     layoutOf(op.getType()));
    Registers results;
    for (const std::vector<unsigned> &group : groups)
      results.push_back(combineAll(
          select(adaptor.getTile(), group), [&](Value a, Value b) -> Value {
            return arith::AddFOp::create(rewriter, op.getLoc(), a, b);
          }));
    replaceTile(rewriter, op, std::move(results));
    return success();
  }
};

struct ReduceLowering : OpConversionPattern<ReduceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ReduceOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto combine = [&](Value a, Value b) -> Value {
      if (op.getKind() == Reduction::max)
        return arith::MaxNumFOp::create(rewriter, loc, a, b);
      return arith::AddFOp::create(rewriter, loc, a, b);
    };
    layout::TileLayout layout = layoutOf(op.getTile().getType());
    Registers results;
    for (const std::vector<unsigned> &group :
         layout.registerGroups(op.getAxis()))
      results.push_back(combineAll(select(adaptor.getTile(), group), combine));
    for (unsigned laneMask : layout.reductionLaneMasks(op.getAxis()))
      for (Value &value : results)
        value =
            combine(value, nvvm::shuffleXor(rewriter, loc, value, laneMask));
    replaceTile(rewriter, op, std::move(results));
    return success();
  }
};

struct WarpAnyLowering : OpConversionPattern<WarpAnyOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(WarpAnyOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value any = combineAll(
        Registers(adaptor.getTile()), [&](Value a, Value b) -> Value {
          return arith::OrIOp::create(rewriter, op.getLoc(), a, b);
        });
    rewriter.replaceOp(op, nvvm::voteAny(rewriter, op.getLoc(), any));
    return success();
  }
};

} // namespace

void goat::tile::populateComputePatterns(TypeConverter &converter,
                                         RewritePatternSet &patterns) {
  patterns.add<ElementwiseLowering, ConstantLowering, SplatLowering,
               IotaLowering, ExpandLowering, ConvertLayoutLowering,
               FoldLowering, ReduceLowering, WarpAnyLowering>(
      converter, patterns.getContext());
}
