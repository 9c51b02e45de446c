//===- EmitPTXPass.cpp - PTX in place of kernels --------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "goat/Target/PTX/EmitPTX.h"
#include "goat/Target/PTX/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace goat {
#define GEN_PASS_DEF_GOATEMITPTX
#include "goat/Target/PTX/Passes.h.inc"
} // namespace goat

using namespace mlir;
using namespace goat;

namespace {

struct GoatEmitPTX : public goat::impl::GoatEmitPTXBase<GoatEmitPTX> {
  using GoatEmitPTXBase::GoatEmitPTXBase;

  void runOnOperation() override {
    llvm::Expected<ptx::ChipDescription> chip = ptx::findChip(target);
    if (!chip) {
      getOperation().emitError(llvm::toString(chip.takeError()));
      return signalPassFailure();
    }
    SmallVector<gpu::GPUModuleOp> modules(
        getOperation().getOps<gpu::GPUModuleOp>());
    for (gpu::GPUModuleOp module : modules) {
      FailureOr<std::string> text = ptx::emitPTX(module, *chip);
      if (failed(text))
        return signalPassFailure();
      OpBuilder builder(module);
      Attribute object = gpu::ObjectAttr::get(
          NVVM::NVVMTargetAttr::get(&getContext(), /*optLevel=*/3,
                                    "nvptx64-nvidia-cuda", chip->name),
          gpu::CompilationTarget::Assembly, builder.getStringAttr(*text));
      gpu::BinaryOp::create(builder, module.getLoc(), module.getName(),
                            /*offloadingHandler=*/Attribute(),
                            builder.getArrayAttr(object));
      module.erase();
    }
  }
};

} // namespace
