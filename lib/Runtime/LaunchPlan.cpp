//===- LaunchPlan.cpp - a kernel description at given sizes ---------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks and evaluation before a launch.
//
//===----------------------------------------------------------------------===//

#include "goat/Runtime/LaunchPlan.h"
#include "goat/Runtime/Tensors.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace goat;
using namespace goat::runtime;
using ptx::Guard;

static std::string show(llvm::ArrayRef<std::optional<int64_t>> shape) {
  std::string text;
  for (std::optional<int64_t> size : shape)
    text += (text.empty() ? "" : "x") + (size ? std::to_string(*size) : "?");
  return text.empty() ? "scalar" : text;
}

static std::string show(const Shape &shape) {
  return show(
      llvm::SmallVector<std::optional<int64_t>>(shape.begin(), shape.end()));
}

static bool fits(const ptx::InputSpec &input, const Shape &shape) {
  if (input.shape.size() != shape.size())
    return false;
  for (auto [wanted, size] : llvm::zip(input.shape, shape))
    if (wanted && *wanted != size)
      return false;
  return true;
}

Shape goat::runtime::contiguousStrides(llvm::ArrayRef<int64_t> shape) {
  Shape strides(shape.size());
  int64_t stride = 1;
  for (size_t axis = shape.size(); axis-- > 0; stride *= shape[axis])
    strides[axis] = stride;
  return strides;
}

int64_t goat::runtime::spanOf(llvm::ArrayRef<int64_t> shape,
                              llvm::ArrayRef<int64_t> strides) {
  int64_t last = 0;
  for (auto [size, stride] : llvm::zip_equal(shape, strides)) {
    if (size == 0)
      return 0;
    last += (size - 1) * stride;
  }
  return last + 1;
}

/// Strides without what an axis of at most one index says.
static Shape normalised(llvm::ArrayRef<int64_t> shape, Shape strides) {
  for (auto [axis, size] : llvm::enumerate(shape))
    if (size <= 1)
      strides[axis] = axis + 1 == shape.size() ? 1 : 0;
  return strides;
}

/// Whether two indices may lead to one element: they do not where, sorted by
/// stride, each axis steps over all of the ones before.
static bool isOverlapping(llvm::ArrayRef<int64_t> shape,
                          llvm::ArrayRef<int64_t> strides) {
  llvm::SmallVector<std::pair<int64_t, int64_t>> axes;
  for (auto [size, stride] : llvm::zip_equal(shape, strides)) {
    if (size == 0)
      return false;
    if (size > 1)
      axes.emplace_back(stride, size);
  }
  llvm::sort(axes);
  int64_t reach = 0;
  for (auto [stride, size] : axes) {
    if (stride <= reach)
      return true;
    reach += (size - 1) * stride;
  }
  return false;
}

llvm::Error CallSizes::setStrides(bool isOutput, llvm::ArrayRef<Shape> shapes,
                                  llvm::ArrayRef<Shape> given) {
  std::vector<Shape> &result = isOutput ? strides.outputs : strides.inputs;
  for (auto [index, shape] : llvm::enumerate(shapes)) {
    const std::string &name =
        isOutput ? kernel->outputs[index].name : kernel->inputs[index].name;
    const Shape contiguous = normalised(shape, contiguousStrides(shape));
    if (index >= given.size() || given[index].empty()) {
      result.push_back(contiguous);
      continue;
    }
    if (given[index].size() != shape.size())
      return llvm::createStringError(
          llvm::formatv("expected {0} strides of '{1}' but got {2}",
                        shape.size(), name, given[index].size()));
    const Shape own = normalised(shape, given[index]);
    const std::string text =
        llvm::formatv("{0:$[, ]}", llvm::make_range(own.begin(), own.end()));
    if (llvm::any_of(own, [](int64_t stride) { return stride < 0; }))
      return llvm::createStringError("expected strides of at least 0 for '" +
                                     name + "' but got " + text +
                                     "; make it contiguous");
    const bool isStrided = isOutput ? kernel->outputs[index].isStrided
                                    : kernel->inputs[index].isStrided;
    if (!isStrided && own != contiguous)
      return llvm::createStringError(
          "expected '" + name + "' to be contiguous but got strides " + text +
          "; mark it goat.strided where the kernel is compiled, or make it "
          "contiguous");
    if (isOutput && isOverlapping(shape, own))
      return llvm::createStringError("expected the elements of '" + name +
                                     "' not to overlap but got strides " +
                                     text + " for " + shapeString(shape));
    result.push_back(own);
  }
  return llvm::Error::success();
}

llvm::Expected<CallSizes> CallSizes::create(const ptx::Kernel &kernel,
                                            llvm::ArrayRef<Shape> inputs,
                                            const CallStrides &strides) {
  if (inputs.size() != kernel.inputs.size())
    return llvm::createStringError(
        llvm::formatv("expected {0} inputs of '{1}' but got {2}",
                      kernel.inputs.size(), kernel.name, inputs.size()));
  for (auto [input, shape] : llvm::zip(kernel.inputs, inputs))
    if (!fits(input, shape))
      return llvm::createStringError(
          llvm::formatv("expected input '{0}' of shape {1} but got {2}",
                        input.name, show(input.shape), show(shape)));
  CallSizes sizes;
  sizes.kernel = &kernel;
  sizes.inputs = inputs.vec();
  for (const ptx::Requirement &requirement : kernel.requirements) {
    llvm::Expected<int64_t> left = sizes.evaluate(requirement.left);
    if (!left)
      return left.takeError();
    llvm::Expected<int64_t> right = sizes.evaluate(requirement.right);
    if (!right)
      return right.takeError();
    if (*left != *right)
      return llvm::createStringError(
          llvm::formatv("expected that {0} but got {1} and {2}",
                        requirement.message, *left, *right));
  }
  if (llvm::Error error = sizes.setStrides(false, inputs, strides.inputs))
    return error;
  llvm::Expected<std::vector<Shape>> outputs = sizes.outputShapes();
  if (!outputs)
    return outputs.takeError();
  if (llvm::Error error = sizes.setStrides(true, *outputs, strides.outputs))
    return error;
  return sizes;
}

llvm::Expected<int64_t> CallSizes::evaluate(const ptx::Expr &expr) const {
  return expr.evaluate([&](ptx::DimRef dim) -> llvm::Expected<int64_t> {
    if (size_t(dim.input) < inputs.size() &&
        size_t(dim.axis) < inputs[dim.input].size())
      return inputs[dim.input][dim.axis];
    return llvm::createStringError(
        llvm::formatv("expected an axis of one of {0} inputs but got axis {1} "
                      "of input {2}",
                      inputs.size(), dim.axis, dim.input));
  });
}

llvm::Expected<std::vector<Shape>> CallSizes::outputShapes() const {
  std::vector<Shape> shapes;
  for (const ptx::OutputSpec &output : kernel->outputs) {
    Shape shape;
    for (const ptx::Expr &size : output.shape) {
      llvm::Expected<int64_t> value = evaluate(size);
      if (!value)
        return value.takeError();
      shape.push_back(*value);
    }
    if (!isReasonable(shape))
      return llvm::createStringError(
          "expected at most " + llvm::Twine(maxElements) + " elements of '" +
          output.name + "' but got " + shapeString(shape));
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

llvm::Expected<std::string>
CallSizes::whyNot(const Guard &guard, llvm::ArrayRef<uint64_t> inputAddresses,
                  llvm::ArrayRef<uint64_t> outputAddresses) const {
  if (guard.kind == Guard::Kind::Less) {
    llvm::Expected<int64_t> left = evaluate(guard.left);
    if (!left)
      return left.takeError();
    llvm::Expected<int64_t> right = evaluate(guard.right);
    if (!right)
      return right.takeError();
    if (*left < *right)
      return std::string();
    return llvm::formatv("{0} is not less than {1}", *left, *right).str();
  }
  const std::string &name = guard.isOutput ? kernel->outputs[guard.index].name
                                           : kernel->inputs[guard.index].name;
  if (guard.kind == Guard::Kind::Aligned) {
    uint64_t address =
        (guard.isOutput ? outputAddresses : inputAddresses)[guard.index];
    if (address % guard.bytes == 0)
      return std::string();
    return llvm::formatv("the address of '{0}' is not a multiple of {1}", name,
                         guard.bytes)
        .str();
  }
  const int64_t stride = stridesOf(guard.isOutput, guard.index)[guard.axis];
  const bool isMultiple = guard.kind == Guard::Kind::StrideMultiple;
  if (isMultiple ? stride % guard.number == 0 : stride == guard.number)
    return std::string();
  return llvm::formatv("the stride of axis {0} of '{1}', {2}, is not {3}{4}",
                       guard.axis, name, stride,
                       isMultiple ? "a multiple of " : "", guard.number)
      .str();
}

llvm::Expected<const ptx::Variant *>
CallSizes::chooseVariant(llvm::ArrayRef<uint64_t> inputAddresses,
                         llvm::ArrayRef<uint64_t> outputAddresses) const {
  std::string reasons;
  for (const ptx::Variant &variant : kernel->variants) {
    std::string first;
    for (const Guard &guard : variant.guards) {
      llvm::Expected<std::string> reason =
          whyNot(guard, inputAddresses, outputAddresses);
      if (!reason)
        return reason.takeError();
      if (first.empty())
        first = std::move(*reason);
    }
    if (first.empty())
      return &variant;
    reasons += "; variant '" + variant.name + "': " + first;
  }
  return llvm::createStringError("no variant of '" + kernel->name +
                                 "' takes these inputs" + reasons);
}

llvm::Expected<int64_t>
CallSizes::workspaceBytes(const ptx::Variant &variant) const {
  llvm::Expected<int64_t> bytes = evaluate(variant.workspaceBytes);
  if (bytes && *bytes < 0)
    return llvm::createStringError(
        llvm::formatv("expected a workspace of at least 0 bytes for variant "
                      "'{0}' but got {1}",
                      variant.name, *bytes));
  return bytes;
}

llvm::Expected<LaunchSizes> CallSizes::sizesOf(const ptx::Launch &launch,
                                               int64_t workspaceBytes) const {
  LaunchSizes sizes;
  for (int axis = 0; axis < 3; ++axis) {
    llvm::Expected<int64_t> extent = evaluate(launch.grid[axis]);
    if (!extent)
      return extent.takeError();
    if (*extent < 0 || *extent > ptx::maxGridExtents[axis])
      return llvm::createStringError(llvm::formatv(
          "expected from 0 to {0} blocks on axis {1} of the grid of '{2}' but "
          "got {3}",
          ptx::maxGridExtents[axis], axis, launch.entry, *extent));
    sizes.grid[axis] = *extent;
  }
  llvm::Expected<int64_t> shared = evaluate(launch.sharedBytes);
  if (!shared)
    return shared.takeError();
  if (!llvm::isUInt<32>(*shared))
    return llvm::createStringError(
        llvm::formatv("expected a number of bytes below 2^32 of shared memory "
                      "for '{0}' but got {1}",
                      launch.entry, *shared));
  sizes.sharedBytes = *shared;
  for (const ptx::Parameter &parameter : launch.parameters) {
    if (parameter.kind != ptx::Parameter::Kind::Workspace)
      continue;
    llvm::Expected<int64_t> offset = evaluate(parameter.offset);
    if (!offset)
      return offset.takeError();
    if (*offset < 0 || *offset > workspaceBytes)
      return llvm::createStringError(llvm::formatv(
          "expected '{0}' to be given an address in the workspace of {1} bytes "
          "but got offset {2}",
          launch.entry, workspaceBytes, *offset));
  }
  return sizes;
}
