//===- GoatTileToNVVM.cpp - from goat_tile to threads ---------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass, the types and the kernel itself.
//
//===----------------------------------------------------------------------===//

#include "goat/Conversion/GoatTileToNVVM/Passes.h"

#include "NVVMInstructions.h"
#include "Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"

namespace goat {
#define GEN_PASS_DEF_CONVERTGOATTILETONVVM
#include "goat/Conversion/GoatTileToNVVM/Passes.h.inc"
} // namespace goat

using namespace mlir;
using namespace goat;
using namespace goat::tile;

namespace {

class TileTypeConverter : public TypeConverter {
public:
  explicit TileTypeConverter(MLIRContext *context) {
    addConversion([](Type type) { return type; });
    addConversion(
        [](RankedTensorType type,
           SmallVectorImpl<Type> &registers) -> std::optional<LogicalResult> {
          std::optional<layout::TileLayout> layout = getTileLayout(type);
          if (!layout)
            return failure();
          registers.append(layout->numRegisters(), type.getElementType());
          return success();
        });
    addConversion([context](PointerType) -> Type {
      return LLVM::LLVMPointerType::get(context, 1);
    });
    addConversion([context](BufferType) -> Type {
      return IntegerType::get(context, 32);
    });
    addConversion([](TokenType, SmallVectorImpl<Type> &) { return success(); });
    addConversion([](GroupType, SmallVectorImpl<Type> &) { return success(); });
  }
};

struct KernelLowering : OpConversionPattern<gpu::GPUFuncOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(gpu::GPUFuncOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    TypeConverter::SignatureConversion signature(op.getNumArguments());
    for (auto [i, type] : llvm::enumerate(op.getArgumentTypes())) {
      Type converted = getTypeConverter()->convertType(type);
      if (!converted || !LLVM::isCompatibleType(converted))
        return op.emitOpError("expected argument ")
               << i << " to be a pointer or a scalar with a width but got "
               << type;
      signature.addInputs(i, converted);
    }
    auto function = LLVM::LLVMFuncOp::create(
        rewriter, op.getLoc(), op.getName(),
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(getContext()),
                                    signature.getConvertedTypes()));
    for (NamedAttribute attribute : op->getDiscardableAttrs())
      if (isa_and_nonnull<GoatTileDialect>(attribute.getNameDialect()))
        function->setAttr(attribute.getName(), attribute.getValue());
    if (ArrayAttr attributes = op.getArgAttrsAttr())
      function.setArgAttrsAttr(attributes);
    function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                      rewriter.getUnitAttr());
    function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                      op.getKnownBlockSizeAttr());
    rewriter.inlineRegionBefore(op.getBody(), function.getBody(),
                                function.end());
    if (failed(rewriter.convertRegionTypes(&function.getBody(),
                                           *getTypeConverter(), &signature)))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
};

struct ReturnLowering : OpConversionPattern<gpu::ReturnOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(gpu::ReturnOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::ReturnOp>(op, ValueRange());
    return success();
  }
};

struct BlockIdLowering : OpConversionPattern<gpu::BlockIdOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(gpu::BlockIdOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value id = nvvm::blockId(rewriter, op.getLoc(),
                             static_cast<unsigned>(op.getDimension()));
    rewriter.replaceOpWithNewOp<arith::IndexCastOp>(op, rewriter.getIndexType(),
                                                    id);
    return success();
  }
};

/// Inline PTX with side effects, which LLVM neither merges nor moves.
struct BlockIndexLowering : OpConversionPattern<BlockIndexOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(BlockIndexOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    static constexpr StringRef registers[] = {"%ctaid.x", "%ctaid.y",
                                              "%ctaid.z"};
    auto assembly = LLVM::InlineAsmOp::create(
        rewriter, op.getLoc(), rewriter.getI32Type(), ValueRange(),
        ("mov.u32 $0, " + registers[op.getAxis()] + ";").str(), "=r",
        /*has_side_effects=*/true, /*is_align_stack=*/false,
        LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
    rewriter.replaceOp(op, assembly.getRes());
    return success();
  }
};

struct ConvertGoatTileToNVVM
    : public goat::impl::ConvertGoatTileToNVVMBase<ConvertGoatTileToNVVM> {
  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    for (auto kernel : module.getOps<gpu::GPUFuncOp>())
      if (failed(verifyBlockSize(kernel)))
        return signalPassFailure();
    std::string sharedMemory = declareSharedMemory(module);

    MLIRContext *context = &getContext();
    TileTypeConverter converter(context);
    RewritePatternSet patterns(context);
    ConversionTarget target(*context);
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                         target);
    populateComputePatterns(converter, patterns);
    populateMatrixMultiplyPatterns(converter, patterns);
    populateMemoryPatterns(converter, patterns, sharedMemory);
    populateAsyncCopyPatterns(converter, patterns);
    patterns.add<KernelLowering, ReturnLowering, BlockIdLowering,
                 BlockIndexLowering>(converter, context);
    target.addIllegalDialect<GoatTileDialect, gpu::GPUDialect>();
    target.addLegalOp<gpu::GPUModuleOp>();
    target.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect>();
    target.markUnknownOpDynamicallyLegal(
        [&](Operation *op) { return converter.isLegal(op); });

    ConversionConfig config;
    config.allowPatternRollback = false;
    config.foldingMode = DialectConversionFoldingMode::Never;
    if (failed(applyPartialConversion(module.getOperation(), target,
                                      std::move(patterns), config)))
      signalPassFailure();
  }

  static LogicalResult verifyBlockSize(gpu::GPUFuncOp kernel) {
    std::optional<ArrayRef<int32_t>> size = kernel.getKnownBlockSize();
    if (!kernel.isKernel() || !size || (*size)[1] != 1 || (*size)[2] != 1)
      return kernel.emitOpError("expected a kernel with known_block_size "
                                "[n, 1, 1]");
    return success();
  }

  /// Declares the dynamic shared memory of every kernel's block; returns its
  /// name.
  std::string declareSharedMemory(gpu::GPUModuleOp module) {
    OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), 0);
    auto global = LLVM::GlobalOp::create(
        builder, module.getLoc(), type, /*isConstant=*/false,
        LLVM::Linkage::External, "goat_shared", Attribute(),
        /*alignment=*/128, /*addrSpace=*/3);
    return global.getName().str();
  }
};

} // namespace
