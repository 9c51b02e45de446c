//===- ForeignDialect.td - plug-ins of somebody else -------*- tablegen -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOREIGN_DIALECT_TD
#define FOREIGN_DIALECT_TD

include "goat/Dialect/Goat/IR/GoatInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Foreign_Dialect : Dialect {
  let name = "foreign";
  let cppNamespace = "::foreign";
  let summary = "priors, masks and exclusions from outside of goat";
  let description = [{
    Shows that whatever implements the interfaces of the goat dialect is
    compiled like goat's own ops, and how that is done.
  }];
  // What the expansions below are made of.
  let dependentDialects = ["::goat::GoatDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect"];
}

class Foreign_Op<string mnemonic, list<Trait> traits>
    : Op<Foreign_Dialect, mnemonic,
         [Pure, DeclareOpInterfaceMethods<PluginOpInterface>] # traits>;

//===----------------------------------------------------------------------===//
// Priors
//===----------------------------------------------------------------------===//

def KerpleOp : Foreign_Op<"kerple", [PriorOpInterface]> {
  let summary = "−p·log(1 + a·|δ|)";
  let description = [{
    The logarithmic kernel of KERPLE (arXiv 2205.09921), with p and a known at
    run time. It depends on what its operands depend on, so with `goat.distance`
    for δ it is a relative prior.
  }];
  let arguments = (ins F32:$p, F32:$a, Index:$distance);
  let results = (outs F32:$result);
  let assemblyFormat = "$p `,` $a `distance` $distance attr-dict";
}

def BucketPriorOp : Foreign_Op<"bucket_prior", [PriorOpInterface]> {
  let summary = "table[head, min(max(δ, 0), N − 1)]";
  let description = [{ A learned bias per distance, constant past the last. }];
  let arguments = (ins 2DTensorOf<[F32]>:$table, Index:$head, Index:$distance);
  let results = (outs F32:$result);
  let assemblyFormat = [{
    $table `at` $head `distance` $distance attr-dict `:` type($table)
  }];
  let hasVerifier = 1;
}

def RecencyOp : Foreign_Op<"recency", [
    DeclareOpInterfaceMethods<PriorOpInterface, ["getDependence"]>]> {
  let summary = "−slope·δ of the pair it stands at";
  let description = [{
    Takes no coordinate: it reads those of the score region around it, and says
    so by overriding `getDependence`.
  }];
  let arguments = (ins F32:$slope);
  let results = (outs F32:$result);
  let assemblyFormat = "$slope attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

def WindowMaskOp : Foreign_Op<"window_mask", [
    DeclareOpInterfaceMethods<MaskOpInterface, ["buildKeyRange"]>]> {
  let summary = "−right ≤ δ ≤ left";
  let description = [{
    A sliding window in positions, of widths known at run time. It says which
    keys a block of queries sees, so the others are never read.
  }];
  let arguments = (ins I32:$left, I32:$right, Index:$batch, Index:$query,
                       Index:$key);
  let results = (outs I1:$result);
  let assemblyFormat = [{
    $left `,` $right `at` `(` $batch `,` $query `,` $key `)` attr-dict
  }];
}

def DilatedMaskOp : Foreign_Op<"dilated_mask", [MaskOpInterface]> {
  let summary = "δ is a multiple of the dilation";
  let description = [{
    Says nothing but its expansion: every tile of keys evaluates it.
  }];
  let arguments = (ins I64Attr:$dilation, Index:$distance);
  let results = (outs I1:$result);
  let assemblyFormat = "$distance `dilation` `=` $dilation attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Exclusions
//===----------------------------------------------------------------------===//

def RemoveMeanOp : Foreign_Op<"remove_mean", [AllTypesMatch<["row", "result"]>,
    DeclareOpInterfaceMethods<ExclusionOpInterface, ["isLinear"]>]> {
  let summary = "y − mean(y)";
  let arguments = (ins 1DTensorOf<[F32]>:$row);
  let results = (outs 1DTensorOf<[F32]>:$result);
  let assemblyFormat = "$row attr-dict `:` type($row)";
}

def GatedXsaOp : Foreign_Op<"gated_xsa", [
    AllTypesMatch<["row", "own", "result"]>, ExclusionOpInterface]> {
  let summary = "y − σ(gate)·max(y·v, 0)/(‖v‖² + 1e-6)·v";
  let description = [{
    Removes the component along the own value v, only where it points the same
    way, by a learned share. Not linear in y, which is the interface's default.
  }];
  let arguments = (ins 1DTensorOf<[F32]>:$row, 1DTensorOf<[F32]>:$own,
                       F32:$gate);
  let results = (outs 1DTensorOf<[F32]>:$result);
  let assemblyFormat = [{
    $row `,` $own `gate` `(` $gate `)` attr-dict `:` type($row)
  }];
}

#endif // FOREIGN_DIALECT_TD
