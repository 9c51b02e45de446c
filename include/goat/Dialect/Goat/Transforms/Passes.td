//===- Passes.td - passes on attention ---------------------*- tablegen -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_DIALECT_GOAT_TRANSFORMS_PASSES_TD
#define GOAT_DIALECT_GOAT_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def GoatVerifyGoat : Pass<"goat-verify-goat", "::mlir::ModuleOp"> {
  let summary = "check that a module holds nothing but attention to be compiled";
  let description = [{
    The contract between what is written and the schedules; `goat.attention`
    itself is checked by its own verifier.
    - (V1) the module holds functions only.
    - (V2) a function has a body of one block, and a name of letters, digits and
      underscores that does not begin with a digit: it becomes a symbol of the
      PTX.
    - (V3) an argument is a scalar or a tensor of f32, f16, bf16, i1, i8, i32 or
      i64, or an index; static sizes are below 2^31.
    - (V4) the function holds one `goat.attention` and constants, and nothing
      else.
    - (V5) it returns the results of its `goat.attention`, in order.
    - (V6) the operands of `goat.attention` are arguments of the function.
  }];
}

#endif // GOAT_DIALECT_GOAT_TRANSFORMS_PASSES_TD
