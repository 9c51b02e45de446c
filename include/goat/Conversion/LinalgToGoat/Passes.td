//===- Passes.td - from graphs to attention ----------------*- tablegen -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_CONVERSION_LINALGTOGOAT_PASSES_TD
#define GOAT_CONVERSION_LINALGTOGOAT_PASSES_TD

include "mlir/Pass/PassBase.td"

def RaiseAttention : Pass<"goat-raise-attention", "::mlir::func::FuncOp"> {
  let summary = "find attention in linalg, arith, math and tensor ops";
  let description = [{
    Replaces each multiplication of weights by values, where the weights are a
    softmax or a sigmoid of logits from one product of query and key, by a
    `goat.attention`, together with what is done to its rows afterwards with
    the help of their own value row. What a graph spells is first read as an
    expression of one element's indices, so that transposes, broadcasts,
    reshapes, named ops and generics, heads that share keys by repetition, and
    the ways of writing a stable softmax need no rule each:

    - the logits become the score region, `arith.select` with −∞ and additive
      masks of 0 and −∞ the mask region, also where they are computed of a few
      conditions in numbers. A finite number at or below −1e9, and −65504 in
      f16, is taken for −∞ only where all masks together provably leave every
      row a key, for a row without one means something else then;
    - a sink's logit may be added to the denominator, or joined to the logits and
      dropped after the softmax; rows may be divided by their sum after the
      product with the values;
    - of several products of query and key the longest is the attention's, and
      shorter ones are part of the score;
    - a prior that is packed into columns of query and key, as the method is
      published, is unpacked into the score, with a remark: where the columns
      are joined from A cos ωi + B sin ωi, A sin ωi − B cos ωi against cos ωj,
      sin ωj, or are single ones, maybe gated by row;
    - indices stay indices: `q_offset` is 0, so that nothing is aligned anew;
    - score, mask and exclusion are computed in f32, whatever types the graph
      computed them in. Weights are not rounded between softmax and product.

    Nothing else is touched. Why a product that looks like attention was left
    alone is a remark at its place.
  }];
  let dependentDialects = [
    "::goat::GoatDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def OutlineAttention : Pass<"goat-outline-attention", "::mlir::ModuleOp"> {
  let summary = "give each attention a function of its own";
  let description = [{
    A function that holds an attention beside other ops is left with a call of
    a new function `<name>_attention_<number>`, whose arguments are what the
    attention reads. These functions are what the compiler makes kernels of.
    Constants that an attention captures move with it.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

#endif // GOAT_CONVERSION_LINALGTOGOAT_PASSES_TD
