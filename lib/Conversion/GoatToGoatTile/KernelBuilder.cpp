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

/// The kernel's type for a value of the source function. An i1 is a byte, an
/// index 64 bits.
static Type kernelType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  Type element = tensor ? tensor.getElementType() : type;
  MLIRContext *context = type.getContext();
  if (element.isInteger(1))
    element = IntegerType::get(context, 8);
  else if (element.isIndex())
    element = IntegerType::get(context, 64);
  return tensor ? Type(PointerType::get(context, element)) : element;
}

void KernelBuilder::createKernel(OpBuilder &builder, StringRef name,
                                 bool hasOutputs) {
  MLIRContext *context = source.getContext();
  SmallVector<Type> types;
  for (auto [number, type] : llvm::enumerate(source.getArgumentTypes())) {
    types.push_back(kernelType(type));
    roles.push_back(InputAttr::get(context, number));
  }
  if (hasOutputs)
    for (auto [number, type] : llvm::enumerate(source.getResultTypes())) {
      types.push_back(kernelType(type));
      roles.push_back(OutputAttr::get(context, number));
    }
  kernel = gpu::GPUFuncOp::create(builder, source.getLoc(), name,
                                  FunctionType::get(context, types, {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                  UnitAttr::get(context));
  if (variant)
    kernel->setAttr("goat_tile.variant", variant);
  auto arguments = kernel.getArguments();
  inputs.assign(arguments.begin(),
                arguments.begin() + source.getNumArguments());
  outputs.assign(arguments.begin() + source.getNumArguments(), arguments.end());
  memories.resize(types.size());
}

KernelBuilder KernelBuilder::create(func::FuncOp source, OpBuilder &builder) {
  KernelBuilder result(source);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfter(source);
  auto module =
      gpu::GPUModuleOp::create(builder, source.getLoc(), source.getName());
  builder.setInsertionPointToStart(module.getBody());
  result.createKernel(builder, source.getName(), /*hasOutputs=*/true);
  return result;
}

void KernelBuilder::setVariant(StringRef name, Access access) {
  variant = StringAttr::get(source.getContext(), name);
  strided = access;
  kernel->setAttr("goat_tile.variant", variant);
}

KernelBuilder KernelBuilder::createVariant(StringRef name, Access access) {
  KernelBuilder result(source);
  result.variant = StringAttr::get(source.getContext(), name);
  result.strided = access;
  OpBuilder builder = OpBuilder::atBlockEnd(kernel->getBlock());
  result.createKernel(builder, (source.getName() + "_" + name).str(),
                      /*hasOutputs=*/true);
  return result;
}

KernelBuilder KernelBuilder::createBefore(StringRef suffix) {
  KernelBuilder result(source);
  result.variant = variant;
  result.strided = strided;
  OpBuilder builder(kernel);
  // A name that no other kernel of the module has.
  std::string stem = (kernel.getName() + "_" + suffix).str(), name = stem;
  for (unsigned number = 2; SymbolTable::lookupSymbolIn(
           kernel->getParentOp(), StringAttr::get(kernel.getContext(), name));
       ++number)
    name = stem + "_" + std::to_string(number);
  result.createKernel(builder, name, /*hasOutputs=*/false);
  return result;
}

Access KernelBuilder::accessOf(Value tensor) {
  return source.getArgAttr(cast<BlockArgument>(tensor).getArgNumber(),
                           "goat.strided")
             ? strided
             : Access::contiguous;
}

Access KernelBuilder::outputAccess(unsigned index) {
  return source.getResultAttr(index, "goat.strided") ? strided
                                                     : Access::contiguous;
}

Value KernelBuilder::strideArgument(Attribute role) {
  Value &stride = strides[role];
  if (!stride)
    stride = addArgument(IntegerType::get(kernel.getContext(), 64), role);
  return stride;
}

Value KernelBuilder::inputStride(Value tensor, int64_t axis) {
  return strideArgument(InputStrideAttr::get(
      kernel.getContext(), cast<BlockArgument>(tensor).getArgNumber(), axis));
}

Value KernelBuilder::outputStride(unsigned index, int64_t axis) {
  return strideArgument(
      OutputStrideAttr::get(kernel.getContext(), index, axis));
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
  for (auto [all, own] : llvm::zip(main.memories, memories))
    if (own)
      all = own;
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
  if (llvm::any_of(memories, [](Attribute memory) { return bool(memory); })) {
    for (Attribute &memory : memories)
      if (!memory)
        memory = MemoryAttr::get(context, Access::contiguous, 16);
    kernel->setAttr("goat_tile.memory", ArrayAttr::get(context, memories));
  }
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
