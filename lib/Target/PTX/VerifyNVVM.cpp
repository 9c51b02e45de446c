//===- VerifyNVVM.cpp - check that PTX can be emitted from a module -------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The labels (V1), (V2), … are those of Passes.td.
//
//===----------------------------------------------------------------------===//

#include "goat/Target/PTX/Passes.h"

#include "goat/Dialect/GoatTile/IR/Launches.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace goat {
#define GEN_PASS_DEF_GOATVERIFYNVVM
#include "goat/Target/PTX/Passes.h.inc"
} // namespace goat

using namespace mlir;
using namespace goat;

static LogicalResult verifyKernel(FunctionOpInterface function) {
  if (!function->hasAttr("nvvm.kernel"))
    return success();
  if (!function->hasAttr("nvvm.reqntid"))
    return function.emitOpError("(V2) expected a kernel to say its block size "
                                "by nvvm.reqntid");
  if (!function->hasAttr("goat_tile.grid"))
    return success();
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (!function.getArgAttr(i, "goat_tile.role"))
      return function.emitOpError("(V3) expected argument ")
             << i << " to say its goat_tile.role";
  return success();
}

static LogicalResult verifyOp(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  if (dialect != "llvm" && dialect != "nvvm")
    return op->emitOpError("(V1) expected ops of llvm and nvvm only");
  if (auto function = dyn_cast<FunctionOpInterface>(op))
    return verifyKernel(function);
  return success();
}

namespace {

struct GoatVerifyNVVM : public goat::impl::GoatVerifyNVVMBase<GoatVerifyNVVM> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    WalkResult result = getOperation().getBodyRegion().walk([](Operation *op) {
      return failed(verifyOp(op)) ? WalkResult::interrupt()
                                  : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    if (tile::describesLaunches(getOperation()) &&
        failed(tile::getLaunches(getOperation(), "(V4) ")))
      signalPassFailure();
  }
};

} // namespace
