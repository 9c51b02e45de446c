//===- Program.cpp - a block as a list of steps ---------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a block becomes a Program, and how a Program runs.
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace goat;
using namespace goat::reference;

Tensor &Frame::define(int slot, ArrayRef<int64_t> shape) {
  Tensor &tensor = owned[slot];
  tensor.shape.assign(shape.begin(), shape.end());
  tensor.data.resize(numElements(shape));
  tensors[slot] = &tensor;
  return tensor;
}

/// `kernel` on scalars, or element by element when the result is a tensor; a
/// scalar operand then stands for every element.
static Step applyKernel(Operation *op, Kernel kernel, const Slots &slots) {
  SmallVector<int> operands = slots.operands;
  int result = slots.results.front();
  auto resultType = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!resultType)
    return [=](Frame &frame) {
      Scalar values[3];
      for (auto [value, slot] : llvm::zip(values, operands))
        value = frame.scalars[slot];
      frame.scalars[result] = kernel(values, frame);
    };

  bool floatResult = isa<FloatType>(resultType.getElementType());
  SmallVector<bool> isTensor, isFloat;
  for (Type type : op->getOperandTypes()) {
    isTensor.push_back(isa<RankedTensorType>(type));
    isFloat.push_back(isa<FloatType>(getElementTypeOrSelf(type)));
  }
  return [=](Frame &frame) {
    const Tensor *shapedLike = nullptr;
    for (unsigned n = 0; n < operands.size(); ++n) {
      if (!isTensor[n])
        continue;
      const Tensor *operand = frame.tensors[operands[n]];
      if (shapedLike && shapedLike->shape != operand->shape)
        return frame.fail(op, "expected operands of one shape but got " +
                                  shapeText(shapedLike->shape) + " and " +
                                  shapeText(operand->shape));
      shapedLike = operand;
    }
    Tensor &target = frame.define(result, shapedLike->shape);
    for (size_t at = 0; at < target.data.size(); ++at) {
      Scalar values[3];
      for (unsigned n = 0; n < operands.size(); ++n) {
        if (!isTensor[n]) {
          values[n] = frame.scalars[operands[n]];
          continue;
        }
        double element = frame.tensors[operands[n]]->data[at];
        if (isFloat[n])
          values[n].f = element;
        else
          values[n].i = static_cast<int64_t>(element);
      }
      Scalar value = kernel(values, frame);
      target.data[at] = floatResult ? value.f : static_cast<double>(value.i);
    }
  };
}

int Program::addSlot(Value value, Level level) {
  int slot = levels.size();
  levels.push_back(level);
  slots[value] = slot;
  return slot;
}

int Program::lookup(Value value, const Program *outer) {
  if (auto found = slots.find(value); found != slots.end())
    return found->second;
  int slot = addSlot(value, Level::Once);
  captures.push_back({slot, outer->slots.lookup(value)});
  return slot;
}

FailureOr<Program> Program::compile(Block &block,
                                    ArrayRef<Level> argumentLevels,
                                    const Program *outer) {
  Program program;
  for (auto [argument, level] : llvm::zip(block.getArguments(), argumentLevels))
    program.arguments.push_back(program.addSlot(argument, level));

  for (Operation &op : block.without_terminator()) {
    Slots slots;
    Level level = Level::Once;
    for (Value operand : op.getOperands()) {
      slots.operands.push_back(program.lookup(operand, outer));
      level = std::max(level, program.levels[slots.operands.back()]);
    }
    // A loop counter of a structured op changes with every element.
    if (isa<linalg::IndexOp>(op))
      level = Level::Pair;
    for (Value result : op.getResults())
      slots.results.push_back(program.addSlot(result, level));

    Step step;
    if (Kernel kernel = findKernel(&op)) {
      step = applyKernel(&op, std::move(kernel), slots);
    } else if (auto attention = dyn_cast<AttentionOp>(op)) {
      FailureOr<Step> compiled = compileAttention(attention, slots, program);
      if (failed(compiled))
        return failure();
      step = std::move(*compiled);
    } else {
      step = compileTensorOp(&op, slots);
      if (!step)
        step = compileGoatOp(&op, slots);
      if (!step)
        step = compileMaskOp(&op, slots);
      if (!step)
        step = compilePriorOp(&op, slots);
      if (!step) {
        FailureOr<Step> compiled = compileGraphOp(&op, slots, program);
        if (failed(compiled))
          return failure();
        step = std::move(*compiled);
      }
    }
    if (!step)
      return op.emitError("expected an op that the reference can evaluate but "
                          "got '")
             << op.getName()
             << "'; say it in arith, math, tensor and goat ops, or let it "
                "implement PluginOpInterface";
    program.steps[static_cast<int>(level)].push_back(std::move(step));
  }
  for (Value operand : block.getTerminator()->getOperands())
    program.results.push_back(program.lookup(operand, outer));
  return program;
}

Frame Program::makeFrame(const Frame *outer,
                         const Coordinates *coordinates) const {
  Frame frame;
  frame.scalars.resize(levels.size());
  frame.tensors.resize(levels.size());
  frame.owned.resize(levels.size());
  frame.coordinates = coordinates;
  frame.calls = outer ? outer->calls : nullptr;
  for (auto [slot, outerSlot] : captures) {
    frame.scalars[slot] = outer->scalars[outerSlot];
    frame.tensors[slot] = outer->tensors[outerSlot];
  }
  return frame;
}

void Program::run(Frame &frame) const {
  for (int level = static_cast<int>(frame.stale); level < 4; ++level)
    for (const Step &step : steps[level]) {
      step(frame);
      if (frame.failedAt)
        return;
    }
  frame.stale = Level::Pair;
}

bool goat::reference::fits(ArrayRef<int64_t> shape, Type type) {
  auto tensorType = dyn_cast<RankedTensorType>(type);
  if (!tensorType)
    return shape.empty();
  return shape.size() == static_cast<size_t>(tensorType.getRank()) &&
         llvm::all_of(llvm::zip(shape, tensorType.getShape()), [](auto sizes) {
           auto [size, expected] = sizes;
           return size >= 0 &&
                  (ShapedType::isDynamic(expected) || size == expected);
         });
}

std::string goat::reference::shapeText(ArrayRef<int64_t> shape) {
  if (shape.empty())
    return "a scalar";
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : "x") +
            (ShapedType::isDynamic(size) ? "?" : std::to_string(size));
  return text;
}
