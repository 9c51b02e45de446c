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

#endif // GOAT_TARGET_PTX_PASSES_TD
