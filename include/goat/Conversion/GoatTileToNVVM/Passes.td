//===- Passes.td - from goat_tile to threads ---------------*- tablegen -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_CONVERSION_GOATTILETONVVM_PASSES_TD
#define GOAT_CONVERSION_GOATTILETONVVM_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertGoatTileToNVVM
    : Pass<"convert-goat-tile-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "from what a thread block does to what one thread does";
  let description = [{
    Every tile becomes one scalar for each register of its layout, every
    elementwise op one op for each register; buffers become addresses in shared
    memory, pointers become `!llvm.ptr<1>`, tokens and groups vanish. A `gpu.func`
    kernel becomes an `llvm.func` with `nvvm.kernel` and `nvvm.reqntid`; its
    attributes and those of its arguments stay. Scalar `arith`, `math` and `scf`
    are left to upstream's conversions.

    Buffers must have been placed (`--goat-tile-place-buffers`). They lie in one
    external array in address space 3, aligned to 128 bytes.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect"];
}

#endif // GOAT_CONVERSION_GOATTILETONVVM_PASSES_TD
