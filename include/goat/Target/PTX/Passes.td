//===- Passes.td - what PTX may be emitted from ------------*- tablegen -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_TARGET_PTX_PASSES_TD
#define GOAT_TARGET_PTX_PASSES_TD

include "mlir/Pass/PassBase.td"

def GoatVerifyNVVM : Pass<"goat-verify-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "check that a module holds nothing but what one thread does";
  let description = [{
    The contract between the lowering and the emission of PTX:
    - (V1) every op is of the llvm or nvvm dialect.
    - (V2) a kernel says its block size by `nvvm.reqntid`.
    - (V3) every argument of a kernel that has a `goat_tile.grid` says its
      `goat_tile.role`.
    - (V4) when a kernel has a `goat_tile.grid` or `goat_tile.source`, the
      kernels are launches that belong together as (V7) of
      `--goat-verify-tile` says.
  }];
}

def GoatEmitPTX : Pass<"goat-emit-ptx", "::mlir::ModuleOp"> {
  let summary = "replace each module of kernels by its PTX";
  let description = [{
    Every `gpu.module` of llvm and nvvm ops becomes a `gpu.binary` of its name
    with one object: the PTX text for `target`. It is the text that
    `goat-translate --nvvm-to-ptx` prints.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"sm_90\"",
           "the chip the PTX is for">
  ];
  let dependentDialects = ["::mlir::gpu::GPUDialect",
                           "::mlir::NVVM::NVVMDialect"];
}

#endif // GOAT_TARGET_PTX_PASSES_TD
