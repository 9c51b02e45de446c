//===- Comparison.cpp - is an output right? -------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds from the reference's outputs and the layer's inputs, and comparison.
//
//===----------------------------------------------------------------------===//

#include "goat/Runtime/Comparison.h"
#include "goat/Dialect/Goat/IR/GoatDialect.h"
#include "goat/Runtime/LayerInputs.h"
#include "goat/Runtime/Tolerances.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace goat;
using namespace goat::runtime;

static double toleranceOf(const Precision &precision) {
  if (precision.isLse)
    return tolerances::lse + tolerances::score +
           (precision.isTF32 ? tolerances::tf32 : 0);
  switch (precision.dtype) {
  case DType::F16:
    return tolerances::f16;
  case DType::BF16:
    return tolerances::bf16;
  case DType::F32:
    if (precision.isTF32)
      return tolerances::tf32;
    return tolerances::f32 + (precision.hasPriors ? tolerances::score : 0);
  case DType::I1:
  case DType::I8:
  case DType::I32:
  case DType::I64:
    return 0;
  }
  llvm_unreachable("unknown dtype");
}

Bounds goat::runtime::boundsOf(const Tensor &expected,
                               const Precision &precision,
                               llvm::ArrayRef<double> magnitudes,
                               double scoreError) {
  Bounds bounds;
  bounds.relativeL2 =
      toleranceOf(precision) + (precision.isLse ? scoreError : 0);
  bounds.rows.shape = expected.shape;
  const double cancellation = precision.isTF32 ? tolerances::tf32Cancellation
                                               : tolerances::cancellation;
  const bool hasRows = !precision.isLse && !expected.shape.empty();
  const int64_t width = hasRows ? bounds.rows.shape.pop_back_val() : 1;
  const int64_t rows = reference::numElements(bounds.rows.shape);
  double squaredNorm = 0, squaredFloor = 0;
  for (int64_t row = 0; row < rows; ++row) {
    double squared = 0;
    for (double element :
         llvm::ArrayRef(expected.data).slice(row * width, width))
      if (std::isfinite(element))
        squared += element * element;
    double floor = 0, relative = tolerances::rowFactor * bounds.relativeL2;
    if (precision.isLse) {
      floor = std::isfinite(expected.data[row])
                  ? bounds.relativeL2 * std::max(1.0, std::sqrt(squared))
                  : 0;
      relative = 0;
    } else if (!magnitudes.empty()) {
      floor = cancellation * std::sqrt(width) * magnitudes[row];
      if (width < tolerances::narrowRow)
        floor += bounds.relativeL2 * std::sqrt(width) * magnitudes[row];
    }
    // What is stored rounds to a subnormal at worst; zeros stay zeros.
    if (precision.dtype == DType::F16 && squared > 0)
      floor += tolerances::f16Underflow * std::sqrt(width);
    squaredNorm += squared;
    squaredFloor += floor * floor;
    bounds.rows.data.push_back(relative * std::sqrt(squared) + floor);
  }
  bounds.total = std::sqrt(bounds.relativeL2 * bounds.relativeL2 * squaredNorm +
                           squaredFloor);
  return bounds;
}

bool goat::runtime::isInTF32(const ptx::Artifact &artifact) {
  return artifact.kernel.choices.getString("f32_product") == "tf32";
}

/// What the function's parameter holds that `value` is; null for other values.
static const Tensor *inputOf(Value value, llvm::ArrayRef<Tensor> inputs) {
  auto argument = dyn_cast_or_null<BlockArgument>(value);
  return argument ? &inputs[argument.getArgNumber()] : nullptr;
}

/// The largest finite element of an input, and of what a load region that keeps
/// or normalises lengths makes of it.
static double largestElement(const Tensor *tensor) {
  double largest = tolerances::largestOfRow;
  if (tensor)
    for (double element : tensor->data)
      if (std::isfinite(element))
        largest = std::max(largest, std::abs(element));
  return largest;
}

/// For each row of out the largest finite |value| that its head may read, times
/// √Lk where each of the weights may be 1.
static std::vector<double> magnitudesOf(AttentionOp op,
                                        llvm::ArrayRef<Tensor> inputs,
                                        llvm::ArrayRef<int64_t> outShape,
                                        const Tensor *lse) {
  const Tensor *given = inputOf(op.getValue(), inputs);
  if (!given ||
      (op.getExclude().empty() && op.getValueDim() >= tolerances::narrowRow))
    return {};
  const bool isSwapped = op.getLayout() == Layout::bshd;
  const Tensor swapped =
      isSwapped ? reference::swapMiddleAxes(*given) : Tensor();
  const Tensor *value = isSwapped ? &swapped : given;
  const Tensor *lengths = inputOf(op.getKLengths(), inputs);
  const int64_t heads = outShape[op.getHeadAxis()],
                queries = outShape[op.getLengthAxis()];
  const int64_t keyHeads = value->shape[1], keys = value->shape[2];
  const int64_t width = value->shape[3];
  std::vector<double> magnitudes;
  for (int64_t b = 0; b < outShape[0]; ++b)
    for (int64_t h = 0; h < heads; ++h) {
      const int64_t read =
          lengths ? std::clamp<int64_t>(lengths->data[b], 0, keys) : keys;
      const int64_t first =
          (b * keyHeads + h / (heads / keyHeads)) * keys * width;
      double largest = 0;
      for (double element :
           llvm::ArrayRef(value->data).slice(first, read * width))
        if (std::isfinite(element))
          largest = std::max(largest, std::abs(element));
      // Weights that do not sum to one: what their roundings add up to.
      if (op.getNormalizer() == Normalizer::sigmoid)
        largest *= std::sqrt(double(std::max<int64_t>(read, 1)));
      for (int64_t i = 0; i < queries; ++i) {
        const bool isMasked = lse && std::isinf(lse->data[magnitudes.size()]);
        magnitudes.push_back(isMasked ? 0 : largest);
      }
    }
  if (isSwapped)
    return reference::swapMiddleAxes(
               {{outShape[0], heads, queries, 1}, std::move(magnitudes)})
        .data;
  return magnitudes;
}

llvm::Expected<Bounds> goat::runtime::boundsOf(func::FuncOp function,
                                               unsigned index,
                                               llvm::ArrayRef<Tensor> inputs,
                                               llvm::ArrayRef<Tensor> expected,
                                               bool isTF32) {
  llvm::Expected<DType> dtype = dtypeOf(function.getResultTypes()[index]);
  if (!dtype)
    return dtype.takeError();
  OperandRange returned =
      function.getBody().front().getTerminator()->getOperands();
  std::vector<double> magnitudes;
  Precision precision{*dtype};
  auto op = returned[index].getDefiningOp<AttentionOp>();
  if (op) {
    precision.isLse = returned[index] == op.getLse();
    precision.isTF32 = isTF32 && op.getQueryType().getElementType().isF32();
    precision.hasPriors = !op.getScore().empty();
  }
  if (op && !precision.isLse) {
    const Tensor *lse = nullptr;
    for (auto [value, tensor] : llvm::zip_equal(returned, expected))
      if (value == op.getLse())
        lse = &tensor;
    magnitudes = magnitudesOf(op, inputs, expected[index].shape, lse);
  }
  double scoreError = 0;
  if (op && (!op.getLoadQ().empty() || !op.getLoadK().empty())) {
    llvm::Expected<DType> element = dtypeOf(op.getQueryType());
    if (!element)
      return element.takeError();
    const Tensor *scale = inputOf(op.getScale(), inputs);
    scoreError =
        tolerances::loaded * toleranceOf(Precision{*element}) *
        std::abs(scale ? scale->data[0] : op.getConstantScale().value_or(1)) *
        largestElement(inputOf(op.getQuery(), inputs)) *
        largestElement(inputOf(op.getKey(), inputs));
  }
  return boundsOf(expected[index], precision, magnitudes, scoreError);
}

/// The indices of element `at` of a tensor of this shape.
static llvm::SmallVector<int64_t> indicesOf(int64_t at,
                                            llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t> indices(shape.size());
  for (size_t axis = shape.size(); axis-- > 0; at /= shape[axis])
    indices[axis] = at % shape[axis];
  return indices;
}

Comparison goat::runtime::compare(const Tensor &actual, const Tensor &expected,
                                  const Bounds &bounds) {
  const double infinity = std::numeric_limits<double>::infinity();
  Comparison result;
  result.tolerance = bounds.relativeL2;
  const size_t rows = bounds.rows.data.size();
  const size_t width = rows == 0 ? 0 : expected.data.size() / rows;
  double squaredError = 0, squaredNorm = 0, worstShare = -1;
  bool areRowsWithin = true;
  for (size_t row = 0; row < rows; ++row) {
    double squaredRow = 0;
    for (size_t i = row * width; i < (row + 1) * width; ++i) {
      double error = actual.data[i] == expected.data[i]
                         ? 0
                         : std::abs(actual.data[i] - expected.data[i]);
      if (std::isnan(error))
        error = infinity;
      result.maxAbs = std::max(result.maxAbs, error);
      squaredRow += error * error;
      if (std::isfinite(expected.data[i]))
        squaredNorm += expected.data[i] * expected.data[i];
    }
    squaredError += squaredRow;
    const double error = std::sqrt(squaredRow), bound = bounds.rows.data[row];
    areRowsWithin &= error <= bound;
    // A bound of 0 that is kept is no worse than any other.
    const double share = error == 0 ? 0 : error / bound;
    if (share > worstShare) {
      worstShare = share;
      result.worstRow = indicesOf(row, bounds.rows.shape);
      result.worstRowError = error;
      result.worstRowBound = bound;
    }
  }
  if (squaredError > 0)
    result.relativeL2 =
        squaredNorm > 0 ? std::sqrt(squaredError / squaredNorm) : infinity;
  result.isWithin = areRowsWithin && std::sqrt(squaredError) <= bounds.total;
  return result;
}
