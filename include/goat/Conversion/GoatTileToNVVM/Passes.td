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

def GoatExpandMath : Pass<"goat-expand-math"> {
  let summary = "scalar functions into what the NVPTX backend selects";
  let description = [{
    Expands f32 functions of `math` that LLVM's NVPTX backend cannot select, or
    selects with no stated error. Bounds below are for finite arguments and
    normal results; results smaller than 2^-126 become 0.

    | op | becomes | error |
    |---|---|---|
    | exp2 | ex2.approx.ftz | 2^-22 relative |
    | exp | 2^n · ex2(x·log2 e − n), the product in two floats | 2^-21 relative; +∞ from 88.38 on |
    | log2 | lg2.approx.ftz | 2^-22 absolute in [1/2, 2], 2^-22 relative elsewhere |
    | log | lg2.approx.ftz · ln 2 | the same, and one rounding |
    | log10 | lg2.approx.ftz · log10 2 | the same, and one rounding |
    | expm1 | a series below 1/2, exp(x) − 1 from there | 2^-20 relative |
    | sinh, cosh | from exp(\|x\|/2); sinh a series below 1 | 2^-19 relative |
    | asinh, acosh, atanh | from log1p | 2^-19 relative; atanh (1 + 1/(1 − \|x\|))·2^-21 absolute |
    | erf, erfc | a series below 1, a formula with exp from there; erfc is 1 − erf | 2^-21 absolute |
    | atan, atan2, asin, acos | a polynomial in the first octant | 2^-20 absolute |
    | cbrt | ex2(lg2 \|x\|/3) and a step of Newton | 2^-21 relative |
    | tan | sin.approx / cos.approx after reduction | (1 + tan² x)·2^-18 absolute for \|x\| ≤ 2^18 |
    | log1p | a series below 1/2, log(1 + x) from there | 2^-21 relative |
    | tanh | a series below 1/4, 1 − 2/(exp(2\|x\|) + 1) from there | 2^-19 relative |
    | sin, cos | reduction by 2π in two floats, then sin.approx, cos.approx | 2^-19 absolute for \|x\| ≤ 2^18 |
    | rsqrt | rsqrt.approx.ftz | 2^-22 relative |
    | divf with `fastmath<afn>` | x · rcp.approx.ftz(y), 0 for \|y\| > 2^126 | 2^-22 relative |
    | pow, fpowi | ex2(y·log2 \|x\|), sign by the parity of y | (1 + \|y·log2 x\|)·2^-21 relative; \|y\|·2^-21 near x = 1 |

    round and clampf are exact. sin, cos and tanh with `fastmath<afn>` stay: they select one instruction.
    absf, absi, ceil, copysign, ctlz, ctpop, cttz, floor, fma, isfinite, isinf,
    isnan, roundeven, sqrt and trunc stay. Every other op of `math`, and other
    types, are refused.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect"];
}

def GoatOrderElements : Pass<"goat-order-elements"> {
  let summary = "evaluate what varies per element for one element after the other";
  let description = [{
    Moves every op with the attribute `goat_tile.per_element`, which a schedule
    sets on pure ops that it evaluates for each element of a tile, to before its
    first user in its block, and drops the attribute. Without it an expression of
    n ops on a tile of r registers keeps r values alive from each op to the next.
  }];
}

#endif // GOAT_CONVERSION_GOATTILETONVVM_PASSES_TD
