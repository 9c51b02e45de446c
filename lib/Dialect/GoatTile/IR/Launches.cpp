//===- Launches.cpp - the kernels of a module, in order -------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finding the kernels and the main one, and what must hold of them together.
//
//===----------------------------------------------------------------------===//

#include "goat/Dialect/GoatTile/IR/Launches.h"

#include "goat/Dialect/GoatTile/IR/GoatTileDialect.h"

using namespace mlir;
using namespace goat::tile;

static llvm::SmallVector<FunctionOpInterface> getKernels(Operation *module) {
  llvm::SmallVector<FunctionOpInterface> kernels;
  for (auto function : module->getRegion(0).getOps<FunctionOpInterface>())
    if (function->hasAttr("gpu.kernel") || function->hasAttr("nvvm.kernel"))
      kernels.push_back(function);
  return kernels;
}

bool goat::tile::describesLaunches(Operation *module) {
  return llvm::any_of(getKernels(module), [](FunctionOpInterface kernel) {
    return kernel->hasAttr("goat_tile.grid") ||
           kernel->hasAttr("goat_tile.source");
  });
}

/// The number of regions; every one must be a size in bytes.
static FailureOr<int64_t> countWorkspaces(FunctionOpInterface main,
                                          StringRef label) {
  Attribute attribute = main->getAttr("goat_tile.workspaces");
  if (!attribute)
    return 0;
  auto sizes = dyn_cast<ArrayAttr>(attribute);
  auto dims = main->getAttrOfType<ArrayAttr>("goat_tile.workspace_dims");
  if (!sizes || !dims)
    return main->emitError(label)
           << "expected goat_tile.workspaces to be an array of sizes with "
              "goat_tile.workspace_dims beside it";
  for (Attribute size : sizes) {
    auto map = dyn_cast<AffineMapAttr>(size);
    if (!map || map.getValue().getNumDims() != 0 ||
        map.getValue().getNumSymbols() != dims.size() ||
        map.getValue().getNumResults() != 1)
      return main->emitError(label)
             << "expected goat_tile.workspaces of one result and a symbol for "
                "each of goat_tile.workspace_dims but got "
             << size;
  }
  return sizes.size();
}

static LogicalResult verifyKernel(FunctionOpInterface kernel,
                                  FunctionOpInterface main,
                                  int64_t numWorkspaces, StringRef label) {
  if (!kernel->getAttrOfType<AffineMapAttr>("goat_tile.grid"))
    return kernel->emitError(label)
           << "expected a kernel of a module that is launched to have a "
              "goat_tile.grid";
  if (kernel != main && kernel->hasAttr("goat_tile.workspaces"))
    return kernel->emitError(label)
           << "expected goat_tile.workspaces on the main kernel '"
           << main.getName() << "' alone";
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
    auto role =
        dyn_cast_or_null<WorkspaceAttr>(kernel.getArgAttr(i, "goat_tile.role"));
    if (role && (role.getIndex() < 0 || role.getIndex() >= numWorkspaces))
      return kernel->emitError(label)
             << "expected argument " << i << " to be one of the "
             << numWorkspaces << " goat_tile.workspaces of '" << main.getName()
             << "' but got " << role;
  }
  return success();
}

/// Finds the main kernel of a sequence and checks all of them.
static LogicalResult complete(Operation *module, LaunchSequence &sequence,
                              StringRef label) {
  for (FunctionOpInterface kernel : sequence.kernels) {
    if (!kernel->hasAttr("goat_tile.source"))
      continue;
    if (sequence.main)
      return kernel->emitError(label)
             << "expected one main kernel in a module but got '"
             << sequence.main.getName() << "' and '" << kernel.getName()
             << "' with goat_tile.source";
    sequence.main = kernel;
  }
  if (!sequence.main)
    return module->emitError(label)
           << "expected one of the " << sequence.kernels.size()
           << " kernels of this module to be the main one, with "
              "goat_tile.source";
  FailureOr<int64_t> numWorkspaces = countWorkspaces(sequence.main, label);
  if (failed(numWorkspaces))
    return failure();
  for (FunctionOpInterface kernel : sequence.kernels)
    if (failed(verifyKernel(kernel, sequence.main, *numWorkspaces, label)))
      return failure();
  return success();
}

FailureOr<llvm::SmallVector<LaunchSequence, 1>>
goat::tile::getLaunches(Operation *module, StringRef label) {
  llvm::SmallVector<LaunchSequence, 1> variants;
  for (FunctionOpInterface kernel : getKernels(module)) {
    auto attribute = kernel->getAttrOfType<StringAttr>("goat_tile.variant");
    StringRef name = attribute ? attribute.getValue() : "contiguous";
    auto found = llvm::find_if(variants, [&](const LaunchSequence &sequence) {
      return sequence.name == name;
    });
    if (found == variants.end()) {
      variants.push_back({name, {}, nullptr});
      found = std::prev(variants.end());
    }
    found->kernels.push_back(kernel);
  }
  if (variants.empty())
    variants.emplace_back();
  for (LaunchSequence &sequence : variants)
    if (failed(complete(module, sequence, label)))
      return failure();
  return variants;
}
