//===- Layer.cpp - a function that can be compiled ------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The labels (V2) to (V6) are those of Passes.td.
//
//===----------------------------------------------------------------------===//

#include "goat/Dialect/Goat/Transforms/Layer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace goat;

/// Constraint (V2).
static LogicalResult verifyShape(func::FuncOp function) {
  if (function.isDeclaration())
    return function.emitError(
        "(V2) expected a function with a body; drop the declaration");
  if (!function.getBody().hasOneBlock())
    return function.emitError(
               "(V2) expected a function with one block but got ")
           << function.getBody().getBlocks().size()
           << "; compute branches before the call";
  StringRef name = function.getName();
  if (name.empty() || llvm::isDigit(name.front()) ||
      !llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; }))
    return function.emitError("(V2) expected a name of letters, digits and '_' "
                              "but got '")
           << name << "'; rename the function";
  return success();
}

/// Whether a launcher can pass a value of this type.
static bool isPassable(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  Type element = tensor ? tensor.getElementType() : type;
  return element.isF32() || element.isBF16() || element.isF16() ||
         element.isInteger(1) || element.isInteger(8) ||
         element.isInteger(32) || element.isInteger(64) ||
         (!tensor && element.isIndex());
}

/// Constraint (V3).
static LogicalResult verifyArguments(func::FuncOp function) {
  for (auto [number, type] : llvm::enumerate(function.getArgumentTypes())) {
    if (!isPassable(type))
      return function.emitError("(V3) expected argument ")
             << number
             << " to be a scalar or a tensor of f32, f16, bf16, i1, i8, i32 or "
                "i64 but got "
             << type << "; convert it before the call";
    auto tensor = dyn_cast<RankedTensorType>(type);
    for (int64_t size : tensor ? tensor.getShape() : ArrayRef<int64_t>())
      if (!ShapedType::isDynamic(size) && !llvm::isInt<32>(size))
        return function.emitError("(V3) expected sizes below 2^31 but got ")
               << size << " in argument " << number
               << "; split the tensor into calls";
  }
  return success();
}

FailureOr<AttentionOp> goat::findLayer(func::FuncOp function) {
  if (failed(verifyShape(function)) || failed(verifyArguments(function)))
    return failure();
  AttentionOp attention;
  for (Operation &op : function.getBody().front()) {
    if (auto candidate = dyn_cast<AttentionOp>(op)) {
      if (attention) {
        InFlightDiagnostic diagnostic = candidate.emitError(
            "(V4) expected one goat.attention per function but got another; "
            "give each its own function, and its own kernel");
        diagnostic.attachNote(attention.getLoc()) << "the first one";
        return diagnostic;
      }
      attention = candidate;
    } else if (!isa<func::ReturnOp, arith::ConstantOp>(op)) {
      return op.emitError("(V4) expected only goat.attention in a function to "
                          "be compiled but got ")
             << op.getName() << "; compute it before the call";
    }
  }
  if (!attention)
    return function.emitError(
        "(V4) expected a goat.attention in the function but got none");
  auto returned =
      cast<func::ReturnOp>(function.getBody().front().getTerminator());
  if (!llvm::equal(returned.getOperands(), attention->getResults()))
    return returned.emitError("(V5) expected the function to return the "
                              "results of its goat.attention, in order");
  for (Value operand : attention->getOperands())
    if (!isa<BlockArgument>(operand))
      return attention.emitError(
          "(V6) expected the operands of goat.attention to be "
          "arguments of the function; pass a constant "
          "scale or offset as an attribute");
  return attention;
}
