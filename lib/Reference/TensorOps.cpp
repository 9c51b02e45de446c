//===- TensorOps.cpp - constants and the tensor dialect -------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants, and the tensor ops a region may use to read what it captured or
// to build a row.
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace goat;
using namespace goat::reference;

int64_t goat::reference::numElements(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

Tensor goat::reference::swapMiddleAxes(const Tensor &tensor) {
  ArrayRef<int64_t> shape = tensor.shape;
  Tensor result;
  result.shape = {shape[0], shape[2], shape[1], shape[3]};
  result.data.reserve(tensor.data.size());
  for (int64_t a = 0; a < shape[0]; ++a)
    for (int64_t c = 0; c < shape[2]; ++c)
      for (int64_t b = 0; b < shape[1]; ++b) {
        auto row = tensor.data.begin() +
                   ((a * shape[1] + b) * shape[2] + c) * shape[3];
        result.data.insert(result.data.end(), row, row + shape[3]);
      }
  return result;
}

static int64_t integerValue(const APInt &value) {
  return value.getBitWidth() == 1 ? value.getZExtValue() : value.getSExtValue();
}

static double floatValue(APFloat value) {
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

static Step compileConstant(arith::ConstantOp op, int result) {
  if (auto value = dyn_cast<FloatAttr>(op.getValue()))
    return [=, number = floatValue(value.getValue())](Frame &frame) {
      frame.scalars[result].f = number;
    };
  if (auto value = dyn_cast<IntegerAttr>(op.getValue()))
    return [=, number = integerValue(value.getValue())](Frame &frame) {
      frame.scalars[result].i = number;
    };
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!dense)
    return nullptr;
  std::vector<double> data;
  if (isa<FloatType>(dense.getElementType()))
    for (APFloat value : dense.getValues<APFloat>())
      data.push_back(floatValue(value));
  else if (dense.getElementType().isIntOrIndex())
    for (const APInt &value : dense.getValues<APInt>())
      data.push_back(static_cast<double>(integerValue(value)));
  else
    return nullptr;
  SmallVector<int64_t> shape(dense.getType().getShape());
  return [=](Frame &frame) { frame.define(result, shape).data = data; };
}

/// The scalar of `slot` as a tensor holds it.
static double asElement(const Frame &frame, int slot, Type type) {
  return isa<FloatType>(type) ? frame.scalars[slot].f
                              : static_cast<double>(frame.scalars[slot].i);
}

static Step compileExtract(tensor::ExtractOp op, const Slots &slots) {
  bool isFloat = isa<FloatType>(op.getResult().getType());
  int source = slots.operands.front(), result = slots.results.front();
  SmallVector<int> indices(llvm::drop_begin(slots.operands));
  return [=](Frame &frame) {
    const Tensor &tensor = *frame.tensors[source];
    int64_t at = 0;
    for (auto [dimension, slot] : llvm::enumerate(indices)) {
      int64_t index = frame.scalars[slot].i, size = tensor.shape[dimension];
      if (index < 0 || index >= size)
        return frame.fail(op, "expected index " + Twine(dimension) +
                                  " to lie in [0, " + Twine(size) +
                                  ") but got " + Twine(index));
      at = at * size + index;
    }
    if (isFloat)
      frame.scalars[result].f = tensor.data[at];
    else
      frame.scalars[result].i = static_cast<int64_t>(tensor.data[at]);
  };
}

/// A slice, with its dimensions of one dropped where the type drops them.
static Step compileSlice(tensor::ExtractSliceOp op, const Slots &slots) {
  int source = slots.operands.front(), result = slots.results.front();
  // A constant, or the slot of an operand.
  struct Number {
    int64_t constant;
    int slot;
    int64_t in(const Frame &frame) const {
      return slot < 0 ? constant : frame.scalars[slot].i;
    }
  };
  const int *next = slots.operands.begin() + 1;
  auto read = [&](ArrayRef<int64_t> constants) {
    SmallVector<Number> numbers;
    for (int64_t constant : constants)
      numbers.push_back(ShapedType::isDynamic(constant) ? Number{0, *next++}
                                                        : Number{constant, -1});
    return numbers;
  };
  SmallVector<Number> offsets = read(op.getStaticOffsets()),
                      sizes = read(op.getStaticSizes()),
                      strides = read(op.getStaticStrides());
  llvm::SmallBitVector dropped = op.getDroppedDims();
  return [=](Frame &frame) {
    const Tensor &tensor = *frame.tensors[source];
    int64_t rank = tensor.shape.size();
    SmallVector<int64_t> extents, shape;
    for (int64_t axis = 0; axis < rank; ++axis) {
      int64_t first = offsets[axis].in(frame), size = sizes[axis].in(frame),
              last = first + (size - 1) * strides[axis].in(frame),
              extent = tensor.shape[axis];
      if (size < 0 || (size > 0 && (std::min(first, last) < 0 ||
                                    std::max(first, last) >= extent)))
        return frame.fail(op, "expected index " + Twine(axis) +
                                  " to lie in [0, " + Twine(extent) +
                                  ") but got " + Twine(first) + " to " +
                                  Twine(last));
      extents.push_back(size);
      if (!dropped.test(axis))
        shape.push_back(size);
    }
    Tensor &target = frame.define(result, shape);
    SmallVector<int64_t> place(rank, 0);
    for (double &element : target.data) {
      int64_t at = 0;
      for (int64_t axis = 0; axis < rank; ++axis)
        at = at * tensor.shape[axis] + offsets[axis].in(frame) +
             place[axis] * strides[axis].in(frame);
      element = tensor.data[at];
      for (int64_t axis = rank; axis-- > 0;) {
        if (++place[axis] < extents[axis])
          break;
        place[axis] = 0;
      }
    }
  };
}

static Step compileSplat(tensor::SplatOp op, const Slots &slots) {
  auto type = cast<RankedTensorType>(op.getType());
  Type element = type.getElementType();
  int input = slots.operands.front(), result = slots.results.front();
  SmallVector<int> sizes(llvm::drop_begin(slots.operands));
  return [=](Frame &frame) {
    SmallVector<int64_t> shape(type.getShape());
    const int *size = sizes.begin();
    for (int64_t &extent : shape)
      if (ShapedType::isDynamic(extent))
        extent = std::max<int64_t>(0, frame.scalars[*size++].i);
    Tensor &target = frame.define(result, shape);
    std::fill(target.data.begin(), target.data.end(),
              asElement(frame, input, element));
  };
}

Step goat::reference::compileTensorOp(Operation *op, const Slots &slots) {
  int result = slots.results.empty() ? -1 : slots.results.front();
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return compileConstant(constant, result);
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return compileExtract(extract, slots);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return compileSlice(slice, slots);
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    return compileSplat(splat, slots);
  if (isa<tensor::DimOp>(op)) {
    int source = slots.operands[0], dimension = slots.operands[1];
    return [=](Frame &frame) {
      const Tensor &tensor = *frame.tensors[source];
      int64_t at = frame.scalars[dimension].i;
      if (at < 0 || at >= static_cast<int64_t>(tensor.shape.size()))
        return frame.fail(op, "expected a dimension of a tensor of rank " +
                                  Twine(tensor.shape.size()) + " but got " +
                                  Twine(at));
      frame.scalars[result].i = tensor.shape[at];
    };
  }
  if (auto castOp = dyn_cast<tensor::CastOp>(op)) {
    Type type = castOp.getType();
    if (!isa<RankedTensorType>(type))
      return nullptr;
    int source = slots.operands.front();
    return [=](Frame &frame) {
      const Tensor *tensor = frame.tensors[source];
      if (!fits(tensor->shape, type))
        return frame.fail(
            op, "expected a tensor of shape " +
                    shapeText(cast<RankedTensorType>(type).getShape()) +
                    " but got " + shapeText(tensor->shape));
      frame.tensors[result] = tensor;
    };
  }
  if (auto elements = dyn_cast<tensor::FromElementsOp>(op)) {
    auto type = cast<RankedTensorType>(elements.getType());
    SmallVector<int> operands = slots.operands;
    return [=](Frame &frame) {
      Tensor &target = frame.define(result, type.getShape());
      for (auto [element, slot] : llvm::zip(target.data, operands))
        element = asElement(frame, slot, type.getElementType());
    };
  }
  return nullptr;
}
