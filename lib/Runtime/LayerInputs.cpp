//===- LayerInputs.cpp - the inputs of a layer, given or generated --------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which axes share a size, what the sizes are, and random values.
//
//===----------------------------------------------------------------------===//

#include "goat/Runtime/LayerInputs.h"

#include "goat/Dialect/Goat/IR/GoatDialect.h"
#include "goat/Target/PTX/DescribeKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace goat;
using namespace goat::runtime;

//===----------------------------------------------------------------------===//
// Names and types
//===----------------------------------------------------------------------===//

std::string goat::runtime::parameterName(func::FuncOp function,
                                         unsigned index) {
  auto name = function.getArgAttrOfType<StringAttr>(index, "goat.name");
  return name ? name.str() : "arg" + std::to_string(index);
}

std::string goat::runtime::resultName(func::FuncOp function, unsigned index) {
  auto name = function.getResultAttrOfType<StringAttr>(index, "goat.name");
  return name ? name.str() : "result" + std::to_string(index);
}

llvm::Expected<DType> goat::runtime::dtypeOf(Type type) {
  if (std::optional<DType> dtype = ptx::dtypeOf(getElementTypeOrSelf(type)))
    return *dtype;
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << type;
  return llvm::createStringError(
      "expected elements of type f16, bf16, f32, i1, i8, i32 or i64 but got " +
      text);
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

int LayerInputs::find(int size) const {
  while (sizes[size].parent != size)
    size = sizes[size].parent;
  return size;
}

llvm::Error LayerInputs::fix(int size, int64_t value,
                             const llvm::Twine &origin) {
  Size &root = sizes[find(size)];
  if (!root.value) {
    root.value = value;
    root.origin = origin.str();
    return llvm::Error::success();
  }
  if (*root.value == value)
    return llvm::Error::success();
  return llvm::createStringError("expected " + sizes[size].name + " to be " +
                                 llvm::Twine(*root.value) + " as " +
                                 root.origin + " says but got " +
                                 llvm::Twine(value) + " from " + origin);
}

llvm::Error LayerInputs::unite(int left, int right) {
  int from = find(right), to = find(left);
  if (from == to)
    return llvm::Error::success();
  if (sizes[from].value)
    if (llvm::Error error = fix(left, *sizes[from].value, sizes[from].origin))
      return error;
  sizes[from].parent = to;
  return llvm::Error::success();
}

/// The place of a value among the function's parameters, −1 for none of them.
int LayerInputs::parameterOf(Value value) const {
  auto argument = dyn_cast_or_null<BlockArgument>(value);
  if (!argument || argument.getOwner() != &function->getRegion(0).front())
    return -1;
  return argument.getArgNumber();
}

/// Unites the axes of an operand, if it is a parameter, with `sizes`; −1 leaves
/// an axis alone.
llvm::Error LayerInputs::uniteOperand(Value operand, llvm::ArrayRef<int> with,
                                      Role role) {
  int parameter = parameterOf(operand);
  if (parameter < 0)
    return llvm::Error::success();
  roles[parameter] = role;
  if (auto tensor = dyn_cast<RankedTensorType>(operand.getType()))
    for (int axis = 0; axis < tensor.getRank(); ++axis)
      if (size_t(axis) < with.size() && with[axis] >= 0)
        if (llvm::Error error = unite(with[axis], axes[parameter] + axis))
          return error;
  return llvm::Error::success();
}

llvm::Error LayerInputs::uniteAttention() {
  llvm::Error result = llvm::Error::success();
  auto operand = [&](Value value, llvm::ArrayRef<int> with,
                     Role role = Role::Data) {
    if (!result)
      result = uniteOperand(value, with, role);
  };
  function.walk([&](AttentionOp op) {
    auto axes = [&](int length) -> std::array<int, 4> {
      if (op.getLayout() == Layout::bshd)
        return {batch, length, -1, -1};
      return {batch, -1, length, -1};
    };
    operand(op.getQuery(), axes(queryLength));
    operand(op.getKey(), axes(keyLength));
    operand(op.getValue(), axes(keyLength));
    operand(op.getQOffset(), {batch});
    operand(op.getKOffset(), {batch});
    operand(op.getQLengths(), {batch}, Role::QueryLengths);
    operand(op.getKLengths(), {batch}, Role::KeyLengths);
    operand(op.getScale(), {}, Role::Scale);
  });
  return result;
}

/// The size that a region argument of an attention runs over, −1 for none.
static int extentOf(Value index, llvm::ArrayRef<int> extents) {
  auto argument = dyn_cast_or_null<BlockArgument>(index);
  if (!argument)
    return -1;
  auto attention = dyn_cast<AttentionOp>(argument.getOwner()->getParentOp());
  if (!attention)
    return -1;
  // The indices b, h, i[, j] come last but for what stands before them.
  unsigned place = argument.getArgNumber();
  Region *region = argument.getParentRegion();
  if (region == &attention.getScore())
    place -= 1;
  if (region == &attention.getExclude())
    place -= 2;
  if (region == &attention.getLoadQ() || region == &attention.getLoadK())
    place -= 1;
  // Keys are the fourth.
  if (region == &attention.getLoadK() && place == 2)
    place = 3;
  return place < extents.size() ? extents[place] : -1;
}

/// What a plug-in reads is seen in its expansion, whatever its name is.
llvm::Error LayerInputs::uniteCaptured() {
  // Expansions are written in these dialects, whatever the file uses.
  function->getContext()
      ->loadDialect<arith::ArithDialect, math::MathDialect,
                    tensor::TensorDialect>();
  func::FuncOp expanded = function.clone();
  IRMapping toOriginal;
  for (auto [copy, original] :
       llvm::zip(expanded.getArguments(), function.getArguments()))
    toOriginal.map(copy, original);
  OpBuilder builder(expanded.getContext());
  expanded.walk([&](PluginOpInterface op) {
    builder.setInsertionPoint(op);
    op.buildExpansion(builder);
  });
  llvm::Error result = llvm::Error::success();
  auto uniteIndices = [&](Value tensor, llvm::ArrayRef<OpFoldResult> indices) {
    llvm::SmallVector<int> with;
    for (OpFoldResult index : indices)
      with.push_back(extentOf(dyn_cast<Value>(index),
                              {batch, -1, queryLength, keyLength}));
    if (!result)
      result = uniteOperand(toOriginal.lookupOrNull(tensor), with, Role::Data);
  };
  expanded.walk([&](tensor::ExtractOp op) {
    llvm::SmallVector<OpFoldResult> indices(op.getIndices().begin(),
                                            op.getIndices().end());
    uniteIndices(op.getTensor(), indices);
  });
  expanded.walk([&](tensor::ExtractSliceOp op) {
    uniteIndices(op.getSource(), op.getMixedOffsets());
  });
  expanded.erase();
  return result;
}

llvm::Expected<LayerInputs> LayerInputs::create(func::FuncOp function) {
  LayerInputs inputs(function);
  int place = 0;
  for (const char *name : {"B", "Lq", "Lk"})
    inputs.sizes.push_back({place++, name, std::nullopt, ""});
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
    std::string name = parameterName(function, index);
    llvm::Expected<DType> dtype = dtypeOf(type);
    if (!dtype)
      return llvm::createStringError("parameter '" + name +
                                     "': " + llvm::toString(dtype.takeError()));
    inputs.axes.push_back(place);
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      for (auto [axis, size] : llvm::enumerate(tensor.getShape())) {
        std::optional<int64_t> known;
        if (!ShapedType::isDynamic(size))
          known = size;
        inputs.sizes.push_back({place++, name + "." + std::to_string(axis),
                                known, "the type of '" + name + "'"});
      }
    inputs.parameterNames.push_back(std::move(name));
    inputs.dtypes.push_back(*dtype);
  }
  inputs.roles.resize(inputs.dtypes.size(), Role::Data);
  inputs.values.resize(inputs.dtypes.size());
  if (llvm::Error error = inputs.uniteCaptured())
    return error;
  if (llvm::Error error = inputs.uniteAttention())
    return error;
  return inputs;
}

llvm::Error LayerInputs::setSize(llvm::StringRef name, int64_t value) {
  if (value < 0)
    return llvm::createStringError("expected a size of at least 0 for " + name +
                                   " but got " + llvm::Twine(value));
  std::string known;
  for (int i = 0; i < int(sizes.size()); ++i) {
    if (name == sizes[i].name)
      return fix(i, value, "--size");
    if (i < firstAxis || sizes[i].origin.empty() || !sizes[i].value)
      known += (known.empty() ? "" : ", ") + sizes[i].name;
  }
  return llvm::createStringError("expected one of the sizes " + known +
                                 " but got '" + name + "'");
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

llvm::Error LayerInputs::setTensor(llvm::StringRef name, Tensor value,
                                   llvm::StringRef origin) {
  auto found = llvm::find(parameterNames, name);
  if (found == parameterNames.end())
    return llvm::createStringError("expected one of the parameters " +
                                   llvm::join(parameterNames, ", ") +
                                   " but got '" + name + "'");
  const size_t index = found - parameterNames.begin();
  auto tensor = dyn_cast<RankedTensorType>(function.getArgumentTypes()[index]);
  const size_t rank = tensor ? tensor.getRank() : 0;
  if (value.shape.size() != rank)
    return llvm::createStringError(
        llvm::formatv("expected '{0}' to have rank {1} but got {2} from {3}",
                      name, rank, shapeString(value.shape), origin));
  for (size_t axis = 0; axis < rank; ++axis)
    if (llvm::Error error = fix(axes[index] + axis, value.shape[axis], origin))
      return error;
  if (dtypes[index] == DType::I32)
    for (double element : value.data)
      // NaN is not equal to itself.
      if (element != std::trunc(element) || element < -0x1p31 ||
          element >= 0x1p31)
        return llvm::createStringError(
            "expected whole numbers from -2147483648 to 2147483647 for '" +
            name + "' but got " +
            llvm::formatv("{0}", llvm::format("%.17g", element)).str() +
            " from " + origin);
  for (double &element : value.data)
    element = roundTo(dtypes[index], element);
  values[index] = std::move(value);
  return llvm::Error::success();
}

namespace {
/// splitmix64: the same numbers on every platform, unlike the distributions of
/// the standard library.
class Random {
public:
  explicit Random(uint64_t state) : state(state) {}

  uint64_t bits() {
    state += 0x9e3779b97f4a7c15;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  /// Uniform in (0, 1].
  double uniform() { return ((bits() >> 11) + 1) * 0x1p-53; }

  /// Mean 0 and variance 1, by Box and Muller.
  double normal() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  }

private:
  uint64_t state;
};
} // namespace

/// Fills `tensor`, which has its shape already.
Tensor LayerInputs::random(unsigned index, Tensor tensor, uint64_t seed) const {
  Random numbers(Random(seed * 1024 + index).bits());
  tensor.data.resize(reference::numElements(tensor.shape));
  for (double &element : tensor.data) {
    switch (roles[index]) {
    case Role::Data:
      element = roundTo(dtypes[index], numbers.normal());
      break;
    case Role::Scale: {
      int64_t headDim = 1;
      function->walk([&](AttentionOp op) { headDim = op.getHeadDim(); });
      element = roundTo(dtypes[index], 1 / std::sqrt(double(headDim)));
      break;
    }
    case Role::QueryLengths:
    case Role::KeyLengths: {
      int64_t longest =
          *sizes[find(roles[index] == Role::QueryLengths ? queryLength
                                                         : keyLength)]
               .value;
      element = longest == 0 ? 0 : 1 + int64_t(numbers.bits() % longest);
      break;
    }
    }
  }
  return tensor;
}

std::optional<std::pair<std::string, std::string>>
LayerInputs::unknownSize() const {
  for (int i = firstAxis; i < int(sizes.size()); ++i) {
    if (sizes[find(i)].value)
      continue;
    for (int pseudo : {batch, queryLength, keyLength})
      if (find(pseudo) == find(i))
        return std::pair(sizes[pseudo].name, sizes[i].name);
    return std::pair(sizes[i].name, sizes[i].name);
  }
  return std::nullopt;
}

llvm::SmallVector<int64_t> LayerInputs::shapeOf(unsigned index) const {
  // Handles of ops are values, and their accessors are not const.
  func::FuncOp layer = function;
  llvm::SmallVector<int64_t> shape;
  if (auto type = dyn_cast<RankedTensorType>(layer.getArgumentTypes()[index]))
    for (int64_t axis = 0; axis < type.getRank(); ++axis)
      shape.push_back(*sizes[find(axes[index] + axis)].value);
  return shape;
}

llvm::Expected<std::vector<llvm::SmallVector<int64_t>>>
LayerInputs::shapes() const {
  if (auto unknown = unknownSize())
    return llvm::createStringError("nothing says how large " + unknown->first +
                                   " is; give --size " + unknown->first + "=N");
  std::vector<llvm::SmallVector<int64_t>> shapes;
  for (unsigned index = 0; index < values.size(); ++index)
    shapes.push_back(shapeOf(index));
  return shapes;
}

llvm::Expected<std::vector<Tensor>> LayerInputs::generate(uint64_t seed) const {
  if (auto unknown = unknownSize())
    return llvm::createStringError(
        "nothing says how large " + unknown->first + " is; give --size " +
        unknown->first + "=N or a file for '" +
        llvm::StringRef(unknown->second).split('.').first + "'");
  std::vector<Tensor> result;
  for (unsigned index = 0; index < values.size(); ++index) {
    if (values[index]) {
      result.push_back(*values[index]);
      continue;
    }
    if (ptx::isInteger(dtypes[index]) && roles[index] == Role::Data)
      return llvm::createStringError(
          "expected a value for '" + parameterNames[index] +
          "': integers other than lengths have no random value; give --arg " +
          parameterNames[index] + "=FILE.npy");
    Tensor tensor;
    tensor.shape = shapeOf(index);
    if (!isReasonable(tensor.shape))
      return llvm::createStringError(
          "expected at most " + llvm::Twine(maxElements) + " elements of '" +
          parameterNames[index] + "' but got " + shapeString(tensor.shape));
    result.push_back(random(index, std::move(tensor), seed));
  }
  return result;
}
