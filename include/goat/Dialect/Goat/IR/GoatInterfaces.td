//===- GoatInterfaces.td - the plug points of attention ----*- tablegen -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_INTERFACES_TD
#define GOAT_INTERFACES_TD

include "mlir/IR/OpBase.td"

def PluginOpInterface : OpInterface<"PluginOpInterface"> {
  let cppNamespace = "::goat";
  let description = [{
    What every prior, mask and exclusion can do: say its result in plain ops.
    An op that answers only this already works in every schedule.
  }];
  let methods = [
    InterfaceMethod<[{
      Build the op's result from `arith`, `math`, `tensor.extract`,
      `tensor.splat` and `goat` coordinate and row ops, on the op's own
      operands, at the builder's insertion point. The result has the type of
      the op's result. Values are those of one (batch, head, query, key) or, for
      an exclusion, of one row; the compiler evaluates the same ops on whole
      tiles of coordinates.
    }], "::mlir::Value", "buildExpansion",
    (ins "::mlir::OpBuilder &":$builder)>
  ];
}

def PriorOpInterface : OpInterface<"PriorOpInterface", [PluginOpInterface]> {
  let cppNamespace = "::goat";
  let description = [{
    A term of the logits. Its one result is an f32.
  }];
  let methods = [
    InterfaceMethod<[{
      What the result depends on, given what each operand depends on. The
      default is the union of the operands', which is right for every op that
      is a function of its operands and of captured tensors; an op with hidden
      coordinates must override it.
    }], "::goat::Dependence", "getDependence",
    (ins "::llvm::ArrayRef<::goat::Dependence>":$operands), [{}], [{
      return ::goat::uniteDependence(operands);
    }]>,
    InterfaceMethod<[{
      Whether |result| stays far below 1e25 for every parameter a model has. The
      score is clamped to at least −1e25; what is bounded need not be.
    }], "bool", "isBounded", (ins), [{}], [{ return false; }]>
  ];
}

def MaskOpInterface : OpInterface<"MaskOpInterface", [PluginOpInterface]> {
  let cppNamespace = "::goat";
  let description = [{
    Which keys a query may see. Its one result is an i1, true for "may".
  }];
  let methods = [
    InterfaceMethod<[{
      Which key positions a block of query positions can see at all, and which
      of them every query of the block sees. Bounds the op does not know stay
      null. Built from `arith` and `scf` ops on the block's integer type.

      The default knows nothing. Of an op that knows nothing the expansion is
      looked at: where it compares positions or rows with each other or with
      values that are the same in the whole block, the answer is read off it.
      So an op has to answer only what its expansion does not show.
    }], "::goat::KeyRange", "buildKeyRange",
    (ins "::mlir::OpBuilder &":$builder, "const ::goat::QueryBlock &":$block),
    [{}], [{ return ::goat::KeyRange(); }]>
  ];
}

def ExclusionOpInterface : OpInterface<"ExclusionOpInterface", [PluginOpInterface]> {
  let cppNamespace = "::goat";
  let description = [{
    What is done to a finished row. Its one result has the type of the row.
  }];
  let methods = [
    InterfaceMethod<[{
      Whether the result is linear in the row. A linear exclusion may be applied
      before partial results over the keys are merged, any other only after.
    }], "bool", "isLinear", (ins), [{}], [{ return false; }]>
  ];
}

#endif // GOAT_INTERFACES_TD
