//===- OutlineAttention.cpp - a function for each attention ---------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "goat/Conversion/LinalgToGoat/LinalgToGoat.h"

#include "goat/Dialect/Goat/IR/GoatDialect.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace goat;

namespace goat {
#define GEN_PASS_DEF_OUTLINEATTENTION
#include "goat/Conversion/LinalgToGoat/Passes.h.inc"
} // namespace goat

namespace {

/// Values the attention reads from outside, operands first.
SmallVector<Value> readBy(AttentionOp attention) {
  llvm::SmallSetVector<Value, 8> values;
  attention->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (operand.getParentBlock() == attention->getBlock())
        values.insert(operand);
  });
  return values.takeVector();
}

/// A scalar constant moves along with an attention; a constant tensor is data,
/// which a kernel takes as an argument.
bool movesAlong(Value value) {
  return matchPattern(value, m_Constant()) &&
         !isa<RankedTensorType>(value.getType());
}

bool standsAlone(AttentionOp attention) {
  return llvm::all_of(*attention->getBlock(),
                      [&](Operation &op) {
                        return &op == attention || isa<func::ReturnOp>(op) ||
                               op.hasTrait<OpTrait::ConstantLike>();
                      }) &&
         llvm::all_of(readBy(attention), [](Value value) {
           return isa<BlockArgument>(value) || movesAlong(value);
         });
}

struct OutlineAttention : goat::impl::OutlineAttentionBase<OutlineAttention> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions) {
      SmallVector<AttentionOp> attentions;
      function.walk([&](AttentionOp op) { attentions.push_back(op); });
      for (auto [number, attention] : llvm::enumerate(attentions))
        if (!standsAlone(attention))
          outline(function, attention, number, symbols);
    }
  }

  void outline(func::FuncOp function, AttentionOp attention, size_t number,
               SymbolTable &symbols) {
    Location loc = attention.getLoc();
    SmallVector<Value> arguments;
    SmallVector<Operation *> constants;
    for (Value value : readBy(attention)) {
      if (movesAlong(value))
        constants.push_back(value.getDefiningOp());
      else
        arguments.push_back(value);
    }
    OpBuilder builder(function);
    builder.setInsertionPointAfter(function);
    auto type = builder.getFunctionType(ValueRange(arguments).getTypes(),
                                        attention->getResultTypes());
    auto body = func::FuncOp::create(
        builder, loc,
        (function.getName() + "_attention_" + Twine(number)).str(), type);
    symbols.insert(body);
    Block *entry = body.addEntryBlock();
    builder.setInsertionPointToStart(entry);
    IRMapping mapping;
    mapping.map(arguments, entry->getArguments());
    for (Operation *constant : constants)
      builder.clone(*constant, mapping);
    Operation *clone = builder.clone(*attention, mapping);
    func::ReturnOp::create(builder, loc, clone->getResults());
    nameArguments(body, cast<AttentionOp>(clone));

    builder.setInsertionPoint(attention);
    auto call = func::CallOp::create(builder, loc, body, arguments);
    attention->replaceAllUsesWith(call.getResults());
    attention->erase();
  }

  /// Names a reader of the kernel's description knows.
  void nameArguments(func::FuncOp function, AttentionOp attention) {
    auto name = [&](Value value, StringRef called) {
      auto argument = dyn_cast_or_null<BlockArgument>(value);
      if (argument && argument.getOwner() == &function.getBody().front() &&
          !function.getArgAttr(argument.getArgNumber(), "goat.name"))
        function.setArgAttr(argument.getArgNumber(), "goat.name",
                            StringAttr::get(function.getContext(), called));
    };
    name(attention.getQuery(), "query");
    name(attention.getKey(), "key");
    name(attention.getValue(), "value");
    name(attention.getSink(), "sink");
    function.setResultAttr(0, "goat.name",
                           StringAttr::get(function.getContext(), "out"));
  }
};

} // namespace
