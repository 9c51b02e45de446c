//===- GoatDialect.td - the goat dialect and its attributes -*- tablegen -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_DIALECT_TD
#define GOAT_DIALECT_TD

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Goat_Dialect : Dialect {
  let name = "goat";
  let cppNamespace = "::goat";
  let summary = "Attention as one operation with pluggable priors, masks and exclusions";
  let description = [{
    Level 0 of the compiler: what an attention layer means, on whole tensors.
    Nothing here knows of tiles, threads or chips.

    One row of `goat.attention` is computed in this order:
    `scale·(q·k)` → score region → mask region → (the sink logit joins the row)
    → normaliser → weights · value → exclusion region.
    Priors, masks and exclusions are ops inside those regions; a compiler pass
    asks them questions through interfaces and never looks at their names.
  }];
  let useDefaultAttributePrinterParser = 1;
  // Expansions of plug-in ops build their ops.
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect"];
  let extraClassDeclaration = [{
    /// Version written into bytecode; readers refuse a newer one.
    static constexpr int64_t bytecodeVersion = 1;
  }];
}

class Goat_I32Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::goat";
  let genSpecializedAttr = 0;
}

def Goat_Normalizer : Goat_I32Enum<"Normalizer", "how logits become weights", [
  I32EnumAttrCase<"softmax", 0>,
  I32EnumAttrCase<"sigmoid", 1>
]>;
def Goat_NormalizerAttr : EnumAttr<Goat_Dialect, Goat_Normalizer, "normalizer"> {
  let assemblyFormat = "`<` $value `>`";
}

def Goat_EpsMode : Goat_I32Enum<"EpsMode", "how XSA guards 1/‖v‖²", [
  I32EnumAttrCase<"clamp", 0>,
  I32EnumAttrCase<"add", 1>,
  I32EnumAttrCase<"where", 2>
]>;
def Goat_EpsModeAttr : EnumAttr<Goat_Dialect, Goat_EpsMode, "eps_mode"> {
  let assemblyFormat = "`<` $value `>`";
}

def Goat_Pairing : Goat_I32Enum<"Pairing", "which columns RoPE rotates together", [
  I32EnumAttrCase<"halves", 0>,
  I32EnumAttrCase<"neighbours", 1>
]>;
def Goat_PairingAttr : EnumAttr<Goat_Dialect, Goat_Pairing, "pairing"> {
  let assemblyFormat = "`<` $value `>`";
}

def Goat_Layout : Goat_I32Enum<"Layout", "the order of a tensor's axes", [
  I32EnumAttrCase<"bhsd", 0>,
  I32EnumAttrCase<"bshd", 1>
]>;
def Goat_LayoutAttr : EnumAttr<Goat_Dialect, Goat_Layout, "layout"> {
  let assemblyFormat = "`<` $value `>`";
}

class Goat_Op<string mnemonic, list<Trait> traits = []>
    : Op<Goat_Dialect, mnemonic, traits>;

#endif // GOAT_DIALECT_TD
