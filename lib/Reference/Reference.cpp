//===- Reference.cpp - evaluating a function ------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the arguments, replaces plug-in ops of other dialects by what they
// say they are, compiles the body and runs it.
//
//===----------------------------------------------------------------------===//

#include "goat/Reference/Reference.h"

#include "Program.h"

using namespace mlir;
using namespace goat;
using namespace goat::reference;

static LogicalResult checkArguments(func::FuncOp function,
                                    ArrayRef<Tensor> arguments) {
  if (arguments.size() != function.getNumArguments())
    return function.emitError("expected ")
           << function.getNumArguments() << " arguments but got "
           << arguments.size();
  for (auto [number, argument, type] :
       llvm::enumerate(arguments, function.getArgumentTypes())) {
    auto tensorType = dyn_cast<RankedTensorType>(type);
    if (!tensorType && !type.isIntOrIndexOrFloat())
      return function.emitError("expected argument ")
             << number << " to be a ranked tensor or a number but got type "
             << type;
    if (!fits(argument.shape, type))
      return function.emitError("expected argument ")
             << number << " to have shape "
             << shapeText(tensorType ? tensorType.getShape()
                                     : ArrayRef<int64_t>())
             << " but got " << shapeText(argument.shape);
    if (static_cast<int64_t>(argument.data.size()) !=
        numElements(argument.shape))
      return function.emitError("expected argument ")
             << number << " to hold " << numElements(argument.shape)
             << " elements but got " << argument.data.size();
  }
  return success();
}

/// A plug-in op whose formula is not known here.
static PluginOpInterface asForeignPlugin(Operation *op) {
  return isa_and_nonnull<GoatDialect>(op->getDialect())
             ? PluginOpInterface()
             : dyn_cast<PluginOpInterface>(op);
}

/// Replaces foreign plug-in ops by their expansions, which may hold others.
static LogicalResult expandForeignPlugins(func::FuncOp function) {
  constexpr int depthLimit = 16;
  for (int depth = 0; depth < depthLimit; ++depth) {
    SmallVector<PluginOpInterface> plugins;
    function.walk([&](Operation *op) {
      if (PluginOpInterface plugin = asForeignPlugin(op))
        plugins.push_back(plugin);
    });
    if (plugins.empty())
      return success();
    for (PluginOpInterface plugin : plugins) {
      OpBuilder builder(plugin);
      Value expansion = plugin.buildExpansion(builder);
      if (!expansion || plugin->getNumResults() != 1 ||
          expansion.getType() != plugin->getResult(0).getType())
        return plugin->emitError("expected buildExpansion to give a value of "
                                 "the type of the op's one result");
      plugin->getResult(0).replaceAllUsesWith(expansion);
      plugin->erase();
    }
  }
  return function.emitError("expected plug-in ops to expand to plain ops but "
                            "their expansions still hold plug-in ops after ")
         << depthLimit << " rounds";
}

FailureOr<std::vector<Tensor>>
goat::reference::evaluate(func::FuncOp function, ArrayRef<Tensor> arguments,
                          const CallHandler *calls) {
  if (!function.getBody().hasOneBlock())
    return function.emitError("expected a function with a body of one block");
  if (failed(checkArguments(function, arguments)))
    return failure();

  OwningOpRef<func::FuncOp> expanded;
  if (function
          .walk([](Operation *op) {
            return asForeignPlugin(op) ? WalkResult::interrupt()
                                       : WalkResult::advance();
          })
          .wasInterrupted()) {
    expanded = function.clone();
    function = *expanded;
    if (failed(expandForeignPlugins(function)))
      return failure();
  }

  SmallVector<Level> levels(function.getNumArguments(), Level::Once);
  FailureOr<Program> program =
      Program::compile(function.getBody().front(), levels, nullptr);
  if (failed(program))
    return failure();

  Frame frame = program->makeFrame(nullptr, nullptr);
  frame.calls = calls;
  for (auto [number, argument, type] :
       llvm::enumerate(arguments, function.getArgumentTypes())) {
    int slot = program->getArgument(number);
    if (isa<RankedTensorType>(type))
      frame.tensors[slot] = &argument;
    else if (isa<FloatType>(type))
      frame.scalars[slot].f = argument.data[0];
    else
      frame.scalars[slot].i = static_cast<int64_t>(argument.data[0]);
  }
  program->run(frame);
  if (frame.failedAt)
    return frame.failedAt->emitError(frame.message);

  std::vector<Tensor> results;
  for (auto [number, type] : llvm::enumerate(function.getResultTypes())) {
    int slot = program->getResult(number);
    if (isa<RankedTensorType>(type))
      results.push_back(*frame.tensors[slot]);
    else
      results.push_back({{},
                         {isa<FloatType>(type)
                              ? frame.scalars[slot].f
                              : static_cast<double>(frame.scalars[slot].i)}});
  }
  return results;
}
