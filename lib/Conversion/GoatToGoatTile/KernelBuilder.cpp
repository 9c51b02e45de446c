//===- KernelBuilder.cpp - a kernel and what its launcher passes ----------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"

using namespace mlir;
using namespace goat;
using namespace goat::tile;

/// The kernel's type for a value of the source function; null if none.
static Type kernelType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  Type element = tensor ? tensor.getElementType() : type;
  if (tensor && tensor.getRank() == 0)
    return nullptr;
  bool isScalar = element.isF32() || element.isInteger(32);
  if (!isScalar && !(tensor && (element.isBF16() || element.isF16())))
    return nullptr;
  return tensor ? Type(PointerType::get(type.getContext(), element)) : type;
}

FailureOr<KernelBuilder> KernelBuilder::create(func::FuncOp source,
                                               OpBuilder &builder) {
  KernelBuilder result(source);
  MLIRContext *context = source.getContext();
  Location loc = source.getLoc();
  SmallVector<Type> types;
  for (auto [number, type] : llvm::enumerate(source.getArgumentTypes())) {
    types.push_back(kernelType(type));
    if (!types.back())
      return source.emitError("expected argument ")
             << number
             << " to be a tensor of f32, f16, bf16 or i32 with at least one "
                "dimension, or an f32 or i32 scalar, but got "
             << type << "; convert it before the call";
    auto tensor = dyn_cast<RankedTensorType>(type);
    for (int64_t size : tensor ? tensor.getShape() : ArrayRef<int64_t>())
      if (!ShapedType::isDynamic(size) && !llvm::isInt<32>(size))
        return source.emitError("expected sizes below 2^31 but got ")
               << size << " in argument " << number
               << "; split the tensor into calls";
    result.roles.push_back(InputAttr::get(context, number));
  }
  for (auto [number, type] : llvm::enumerate(source.getResultTypes())) {
    types.push_back(kernelType(type));
    result.roles.push_back(OutputAttr::get(context, number));
  }

  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfter(source);
  auto module = gpu::GPUModuleOp::create(builder, loc, source.getName());
  builder.setInsertionPointToStart(module.getBody());
  result.kernel = gpu::GPUFuncOp::create(builder, loc, source.getName(),
                                         FunctionType::get(context, types, {}));
  result.kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                         UnitAttr::get(context));
  auto arguments = result.kernel.getArguments();
  result.inputs.assign(arguments.begin(),
                       arguments.begin() + source.getNumArguments());
  result.outputs.assign(arguments.begin() + source.getNumArguments(),
                        arguments.end());
  return result;
}

KernelBuilder KernelBuilder::createBefore(StringRef suffix) {
  KernelBuilder result(source);
  MLIRContext *context = source.getContext();
  SmallVector<Type> types;
  for (auto [number, type] : llvm::enumerate(source.getArgumentTypes())) {
    types.push_back(kernelType(type));
    result.roles.push_back(InputAttr::get(context, number));
  }
  OpBuilder builder(kernel);
  result.kernel = gpu::GPUFuncOp::create(
      builder, source.getLoc(), (source.getName() + "_" + suffix).str(),
      FunctionType::get(context, types, {}));
  result.kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                         UnitAttr::get(context));
  auto arguments = result.kernel.getArguments();
  result.inputs.assign(arguments.begin(), arguments.end());
  return result;
}

Value KernelBuilder::addArgument(Type type, Attribute role) {
  roles.push_back(role);
  return kernel.getBody().front().addArgument(type, kernel.getLoc());
}

unsigned KernelBuilder::addWorkspace(AffineMap bytes,
                                     ArrayRef<Attribute> sizes) {
  MLIRContext *context = kernel.getContext();
  SmallVector<AffineExpr> symbols;
  for (Attribute size : sizes) {
    if (auto constant = dyn_cast<IntegerAttr>(size)) {
      symbols.push_back(getAffineConstantExpr(constant.getInt(), context));
      continue;
    }
    auto *known = llvm::find(workspaceDims, size);
    symbols.push_back(
        getAffineSymbolExpr(known - workspaceDims.begin(), context));
    if (known == workspaceDims.end())
      workspaceDims.push_back(size);
  }
  workspaces.push_back(AffineMapAttr::get(
      bytes.replaceDimsAndSymbols({}, symbols, 0, workspaceDims.size())));
  return workspaces.size() - 1;
}

Value KernelBuilder::workspace(unsigned region, Type element) {
  return addArgument(PointerType::get(kernel.getContext(), element),
                     WorkspaceAttr::get(kernel.getContext(), region));
}

Attribute KernelBuilder::dimAttr(Value tensor, int64_t axis) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(axis))
    return IntegerAttr::get(IntegerType::get(type.getContext(), 64),
                            type.getDimSize(axis));
  return DimAttr::get(type.getContext(),
                      cast<BlockArgument>(tensor).getArgNumber(), axis);
}

Value KernelBuilder::dim(Value tensor, int64_t axis) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Value &size = dims[{cast<BlockArgument>(tensor).getArgNumber(), axis}];
  if (size)
    return size;
  Block &body = kernel.getBody().front();
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  if (!type.isDynamicDim(axis)) {
    size = arith::ConstantOp::create(
        builder, kernel.getLoc(),
        builder.getI32IntegerAttr(type.getDimSize(axis)));
    return size;
  }
  size = addArgument(builder.getI32Type(), dimAttr(tensor, axis));
  return size;
}

static Attribute pairOf(Attribute a, Attribute b) {
  return ArrayAttr::get(a.getContext(), {a, b});
}

void KernelBuilder::requireEqual(Attribute a, Attribute b) {
  if (a != b)
    equalDims.insert(pairOf(a, b));
}

void KernelBuilder::requireAtLeast(Attribute a, Attribute b) {
  if (a != b)
    atLeastDims.insert(pairOf(a, b));
}

void KernelBuilder::setGrid(AffineMap grid, ArrayRef<Attribute> sizes) {
  MLIRContext *context = kernel.getContext();
  SmallVector<AffineExpr> symbols;
  SmallVector<Attribute> dynamic;
  for (Attribute size : sizes) {
    if (auto constant = dyn_cast<IntegerAttr>(size)) {
      symbols.push_back(getAffineConstantExpr(constant.getInt(), context));
      continue;
    }
    symbols.push_back(getAffineSymbolExpr(dynamic.size(), context));
    dynamic.push_back(size);
  }
  grid = grid.replaceDimsAndSymbols({}, symbols, 0, dynamic.size());
  kernel->setAttr("goat_tile.grid", AffineMapAttr::get(grid));
  kernel->setAttr("goat_tile.grid_dims", ArrayAttr::get(context, dynamic));
}

/// The names given by the attribute goat.name, or stem0, stem1, …
static ArrayAttr names(MLIRContext *context, unsigned count, StringRef stem,
                       llvm::function_ref<Attribute(unsigned)> given) {
  SmallVector<Attribute> result;
  for (unsigned i = 0; i < count; ++i) {
    auto name = dyn_cast_or_null<StringAttr>(given(i));
    result.push_back(name ? name : StringAttr::get(context, stem + Twine(i)));
  }
  return ArrayAttr::get(context, result);
}

void KernelBuilder::writeSignature(int64_t numThreads) {
  MLIRContext *context = kernel.getContext();
  SmallVector<Type> types(kernel.getBody().front().getArgumentTypes());
  kernel.setFunctionType(FunctionType::get(context, types, {}));
  for (auto [number, role] : llvm::enumerate(roles))
    kernel.setArgAttr(number, "goat_tile.role", role);
  kernel.setKnownBlockSizeAttr(DenseI32ArrayAttr::get(
      context, {static_cast<int32_t>(numThreads), 1, 1}));
}

void KernelBuilder::finishBefore(KernelBuilder &main, int64_t numThreads) {
  Block &body = kernel.getBody().front();
  for (unsigned i = body.getNumArguments(); i-- > 0;) {
    if (!body.getArgument(i).use_empty())
      continue;
    body.eraseArgument(i);
    roles.erase(roles.begin() + i);
  }
  writeSignature(numThreads);
  main.equalDims.insert_range(equalDims);
  main.atLeastDims.insert_range(atLeastDims);
}

void KernelBuilder::finish(int64_t numThreads, ArrayRef<Attribute> resultDims) {
  MLIRContext *context = kernel.getContext();
  writeSignature(numThreads);
  kernel->setAttr("goat_tile.source", TypeAttr::get(source.getFunctionType()));
  kernel->setAttr(
      "goat_tile.argument_names",
      names(context, source.getNumArguments(), "arg",
            [&](unsigned i) { return source.getArgAttr(i, "goat.name"); }));
  kernel->setAttr(
      "goat_tile.result_names",
      names(context, source.getNumResults(), "result",
            [&](unsigned i) { return source.getResultAttr(i, "goat.name"); }));
  kernel->setAttr("goat_tile.result_dims", ArrayAttr::get(context, resultDims));
  kernel->setAttr("goat_tile.equal_dims",
                  ArrayAttr::get(context, equalDims.getArrayRef()));
  kernel->setAttr("goat_tile.at_least_dims",
                  ArrayAttr::get(context, atLeastDims.getArrayRef()));
  kernel->setAttr("goat_tile.choices", DictionaryAttr::get(context, choices));
  if (workspaces.empty())
    return;
  SmallVector<Attribute> maps;
  // Each in terms of all sizes, those of later regions too.
  for (Attribute bytes : workspaces)
    maps.push_back(AffineMapAttr::get(
        AffineMap::get(0, workspaceDims.size(),
                       cast<AffineMapAttr>(bytes).getValue().getResult(0))));
  kernel->setAttr("goat_tile.workspaces", ArrayAttr::get(context, maps));
  kernel->setAttr("goat_tile.workspace_dims",
                  ArrayAttr::get(context, workspaceDims));
}
