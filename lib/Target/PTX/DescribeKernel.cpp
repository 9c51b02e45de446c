//===- DescribeKernel.cpp - kernel.json from a compiled module ------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the goat_tile attributes of a module's kernels into a Kernel.
//
//===----------------------------------------------------------------------===//

#include "goat/Target/PTX/DescribeKernel.h"

#include "goat/Dialect/GoatTile/IR/GoatTileDialect.h"
#include "goat/Dialect/GoatTile/IR/Launches.h"

#include "mlir/IR/BuiltinAttributes.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace goat;
using namespace goat::ptx;

namespace {

/// Reads the kernels of one module. What is said of the artifact is read from
/// the main kernel; every reader reports its error at the function it reads.
class Reader {
public:
  Reader(const tile::LaunchSequence &sequence, const ChipDescription &chip)
      : sequence(sequence), function(sequence.main), chip(chip) {}

  FailureOr<Kernel> read();

private:
  LogicalResult readSource();
  LogicalResult readResultDims();
  LogicalResult readRequirements(StringRef attribute, bool areEqual);
  LogicalResult readWorkspaces();
  LogicalResult readLaunch(Launch &launch);
  LogicalResult readGrid(Launch &launch);
  LogicalResult limitGrid(const Launch &launch, unsigned axis,
                          AffineExpr extent);
  LogicalResult readParameters(Launch &launch);
  LogicalResult readGuards();
  LogicalResult readMemory(tile::MemoryAttr memory, bool isOutput,
                           int64_t index);

  /// The attribute of this name and kind, else null and an error.
  template <typename T> T need(StringRef name) {
    auto attribute = function->getAttrOfType<T>(name);
    if (!attribute)
      function->emitError("expected the kernel to have the attribute '")
          << name << "' as a schedule writes it";
    return attribute;
  }

  std::string nameOf(DimRef dim) const {
    return llvm::formatv("{0}.{1}", kernel.inputs[dim.input].name, dim.axis);
  }
  std::string show(const Expr &expr) const {
    return expr.str([&](DimRef dim) { return nameOf(dim); });
  }
  FailureOr<DimRef> readDim(Attribute attribute);
  /// An i64 or a dimension.
  FailureOr<Expr> readSize(Attribute attribute);
  FailureOr<llvm::SmallVector<Expr>> readSizes(ArrayAttr attributes);
  FailureOr<DType> readDType(Type type);

  const tile::LaunchSequence &sequence;
  /// The one that is being read.
  FunctionOpInterface function;
  const ChipDescription &chip;
  Kernel kernel;
  Variant variant;
  /// Where each region of the workspace starts.
  llvm::SmallVector<Expr> workspaces;
};

} // namespace

FailureOr<DimRef> Reader::readDim(Attribute attribute) {
  auto dim = dyn_cast_or_null<tile::DimAttr>(attribute);
  if (!dim)
    return function->emitError("expected #goat_tile.dim<input, axis> but got ")
           << attribute;
  DimRef ref{dim.getIndex(), dim.getAxis()};
  if (ref.input < 0 || size_t(ref.input) >= kernel.inputs.size() ||
      ref.axis < 0 || size_t(ref.axis) >= kernel.inputs[ref.input].shape.size())
    return function->emitError("expected an axis of one of the ")
           << kernel.inputs.size() << " source arguments but got " << attribute;
  return ref;
}

FailureOr<Expr> Reader::readSize(Attribute attribute) {
  if (auto size = dyn_cast<IntegerAttr>(attribute))
    return Expr(size.getInt());
  FailureOr<DimRef> dim = readDim(attribute);
  if (failed(dim))
    return failure();
  return Expr(*dim);
}

FailureOr<llvm::SmallVector<Expr>> Reader::readSizes(ArrayAttr attributes) {
  llvm::SmallVector<Expr> sizes;
  for (Attribute attribute : attributes) {
    FailureOr<Expr> size = readSize(attribute);
    if (failed(size))
      return failure();
    sizes.push_back(*size);
  }
  return sizes;
}

std::optional<DType> ptx::dtypeOf(Type element) {
  if (element.isBF16())
    return DType::BF16;
  if (element.isF16())
    return DType::F16;
  if (element.isF32())
    return DType::F32;
  if (element.isInteger(32))
    return DType::I32;
  if (element.isInteger(1))
    return DType::I1;
  if (element.isInteger(8))
    return DType::I8;
  if (element.isInteger(64) || element.isIndex())
    return DType::I64;
  return std::nullopt;
}

FailureOr<DType> Reader::readDType(Type type) {
  if (std::optional<DType> dtype = dtypeOf(type))
    return *dtype;
  return function->emitError(
             "expected elements of type f16, bf16, f32, i1, "
             "i8, i32 or i64 at the border of a kernel but got ")
         << type;
}

LogicalResult Reader::readSource() {
  auto source = need<TypeAttr>("goat_tile.source");
  auto argumentNames = need<ArrayAttr>("goat_tile.argument_names");
  auto resultNames = need<ArrayAttr>("goat_tile.result_names");
  if (!source || !argumentNames || !resultNames)
    return failure();
  auto type = dyn_cast<FunctionType>(source.getValue());
  if (!type || type.getNumInputs() != argumentNames.size() ||
      type.getNumResults() != resultNames.size())
    return function->emitError("expected goat_tile.source to be a function "
                               "type with as many arguments and results as "
                               "there are names");
  for (auto [name, argument] : llvm::zip(argumentNames, type.getInputs())) {
    InputSpec input;
    input.name = cast<StringAttr>(name).getValue().str();
    FailureOr<DType> dtype = readDType(getElementTypeOrSelf(argument));
    if (failed(dtype))
      return failure();
    input.dtype = *dtype;
    if (auto tensor = dyn_cast<RankedTensorType>(argument)) {
      input.isTensorOfRank0 = tensor.getRank() == 0;
      for (int64_t size : tensor.getShape())
        input.shape.push_back(ShapedType::isDynamic(size)
                                  ? std::nullopt
                                  : std::optional<int64_t>(size));
    }
    kernel.inputs.push_back(std::move(input));
  }
  for (auto [name, result] : llvm::zip(resultNames, type.getResults())) {
    OutputSpec output;
    output.name = cast<StringAttr>(name).getValue().str();
    FailureOr<DType> dtype = readDType(getElementTypeOrSelf(result));
    if (failed(dtype))
      return failure();
    output.dtype = *dtype;
    kernel.outputs.push_back(std::move(output));
  }
  return success();
}

LogicalResult Reader::readResultDims() {
  auto results = need<ArrayAttr>("goat_tile.result_dims");
  if (!results)
    return failure();
  if (results.size() != kernel.outputs.size())
    return function->emitError("expected goat_tile.result_dims of ")
           << kernel.outputs.size() << " results but got " << results.size();
  for (auto [dims, output] : llvm::zip(results, kernel.outputs))
    for (Attribute dim : cast<ArrayAttr>(dims)) {
      FailureOr<Expr> size = readSize(dim);
      if (failed(size))
        return failure();
      output.shape.push_back(*size);
    }
  return success();
}

LogicalResult Reader::readRequirements(StringRef attribute, bool areEqual) {
  auto pairs = function->getAttrOfType<ArrayAttr>(attribute);
  if (!pairs)
    return success();
  for (Attribute element : pairs) {
    auto pair = dyn_cast<ArrayAttr>(element);
    if (!pair || pair.size() != 2)
      return function->emitError("expected pairs of sizes in ")
             << attribute << " but got " << element;
    FailureOr<Expr> left = readSize(pair[0]);
    FailureOr<Expr> right = readSize(pair[1]);
    if (failed(left) || failed(right))
      return failure();
    const std::string message =
        show(*left) + (areEqual ? " equals " : " is at least ") + show(*right);
    // a ≥ b is max(a, b) = a.
    Expr most(Expr::Kind::Max, {*right, *left});
    kernel.requirements.push_back({areEqual ? *right : most, *left, message});
  }
  return success();
}

/// An operation, or its value where that is known.
static Expr fold(Expr::Kind kind, const Expr &left, const Expr &right) {
  if (kind == Expr::Kind::Add && left.asConstant() == 0)
    return right;
  Expr expr(kind, {left, right});
  std::optional<int64_t> constant = expr.asConstant();
  return constant ? Expr(*constant) : expr;
}

/// Each region starts where the one before it ends, rounded up; the workspace
/// ends with the last one, so that a simulator notices what goes past it.
LogicalResult Reader::readWorkspaces() {
  auto regions = function->getAttrOfType<ArrayAttr>("goat_tile.workspaces");
  if (!regions)
    return success();
  FailureOr<llvm::SmallVector<Expr>> symbols =
      readSizes(function->getAttrOfType<ArrayAttr>("goat_tile.workspace_dims"));
  if (failed(symbols))
    return failure();
  Expr start = 0;
  for (Attribute region : regions) {
    AffineMap map = cast<AffineMapAttr>(region).getValue();
    Expr bytes = Expr::fromAffine(map.getResult(0), *symbols);
    workspaces.push_back(start);
    variant.workspaceBytes = fold(Expr::Kind::Add, start, bytes);
    Expr units = fold(Expr::Kind::CeilDiv, bytes, workspaceAlignment);
    start = fold(Expr::Kind::Add, start,
                 fold(Expr::Kind::Multiply, units, workspaceAlignment));
  }
  return success();
}

/// Extents that depend on the sizes become requirements of a call. Sizes are
/// below 2^31 by the guards, and so is a quotient of one: that x may have them
/// goes unsaid.
LogicalResult Reader::limitGrid(const Launch &launch, unsigned axis,
                                AffineExpr extent) {
  const int64_t limit = maxGridExtents[axis];
  const Expr &expr = launch.grid[axis];
  const std::string place =
      llvm::formatv("axis {0} of the grid of '{1}'", axis, launch.entry);
  if (std::optional<int64_t> constant = expr.asConstant()) {
    if (*constant < 0 || *constant > limit)
      return function->emitError("expected from 0 to ")
             << limit << " blocks on " << place << " but got " << *constant;
    return success();
  }
  AffineExpr size = extent;
  if (auto quotient = dyn_cast<AffineBinaryOpExpr>(extent);
      quotient && isa<AffineConstantExpr>(quotient.getRHS()) &&
      (quotient.getKind() == AffineExprKind::CeilDiv ||
       quotient.getKind() == AffineExprKind::FloorDiv))
    size = quotient.getLHS();
  if (isa<AffineSymbolExpr>(size) && axis == 0)
    return success();
  kernel.requirements.push_back(
      {Expr(Expr::Kind::Max, {expr, Expr(limit)}), Expr(limit),
       show(expr) + ", " + place + ", is at most " + std::to_string(limit)});
  return success();
}

LogicalResult Reader::readGrid(Launch &launch) {
  auto grid = need<AffineMapAttr>("goat_tile.grid");
  auto gridDims = need<ArrayAttr>("goat_tile.grid_dims");
  if (!grid || !gridDims)
    return failure();
  FailureOr<llvm::SmallVector<Expr>> symbols = readSizes(gridDims);
  if (failed(symbols))
    return failure();
  AffineMap map = grid.getValue();
  if (map.getNumDims() != 0 || map.getNumSymbols() != symbols->size() ||
      map.getNumResults() != 3)
    return function->emitError("expected a goat_tile.grid of three results and "
                               "a symbol for each of goat_tile.grid_dims");
  for (auto [axis, result] : llvm::enumerate(map.getResults())) {
    launch.grid[axis] = Expr::fromAffine(result, *symbols);
    if (failed(limitGrid(launch, axis, result)))
      return failure();
  }
  return success();
}

LogicalResult Reader::readLaunch(Launch &launch) {
  launch.entry = function.getName().str();
  auto shared = need<IntegerAttr>("goat_tile.shared_bytes");
  if (!shared || failed(readGrid(launch)))
    return failure();

  DenseI32ArrayAttr block;
  for (StringRef name :
       {"nvvm.reqntid", "known_block_size", "gpu.known_block_size"})
    if (!block)
      block = function->getAttrOfType<DenseI32ArrayAttr>(name);
  if (!block || block.size() == 0 || block.size() > 3)
    return function->emitError("expected the kernel to fix its block size by "
                               "nvvm.reqntid or known_block_size");
  llvm::copy(block.asArrayRef(), launch.block.begin());

  if (shared.getInt() > chip.sharedBytesPerBlock)
    return function->emitError("expected at most ")
           << chip.sharedBytesPerBlock << " bytes of shared memory on "
           << chip.name << " but got " << shared.getInt()
           << "; choose smaller tiles or fewer stages";
  launch.sharedBytes = shared.getInt();
  return readParameters(launch);
}

LogicalResult Reader::readParameters(Launch &launch) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    Attribute role = function.getArgAttr(i, "goat_tile.role");
    Parameter parameter;
    if (auto input = dyn_cast_or_null<tile::InputAttr>(role)) {
      parameter = {Parameter::Kind::Input, input.getIndex(), 0};
      if (size_t(parameter.index) >= kernel.inputs.size())
        return function->emitError("expected one of ")
               << kernel.inputs.size() << " source arguments but got " << role;
    } else if (auto output = dyn_cast_or_null<tile::OutputAttr>(role)) {
      parameter = {Parameter::Kind::Output, output.getIndex(), 0};
      if (size_t(parameter.index) >= kernel.outputs.size())
        return function->emitError("expected one of ")
               << kernel.outputs.size() << " source results but got " << role;
    } else if (isa_and_nonnull<tile::DimAttr>(role)) {
      FailureOr<DimRef> dim = readDim(role);
      if (failed(dim))
        return failure();
      parameter = {Parameter::Kind::Dim, dim->input, dim->axis};
    } else if (auto stride = dyn_cast_or_null<tile::InputStrideAttr>(role)) {
      parameter = {Parameter::Kind::InputStride, stride.getIndex(),
                   stride.getAxis()};
    } else if (auto stride = dyn_cast_or_null<tile::OutputStrideAttr>(role)) {
      parameter = {Parameter::Kind::OutputStride, stride.getIndex(),
                   stride.getAxis()};
    } else if (auto region = dyn_cast_or_null<tile::WorkspaceAttr>(role)) {
      parameter = {Parameter::Kind::Workspace, 0, 0,
                   workspaces[region.getIndex()]};
    } else {
      return function->emitError("expected kernel argument ")
             << i << " to say its goat_tile.role";
    }
    launch.parameters.push_back(parameter);
  }
  return success();
}

/// The guards on one tensor, and what is said of it to all variants.
LogicalResult Reader::readMemory(tile::MemoryAttr memory, bool isOutput,
                                 int64_t index) {
  const int64_t alignment = memory.getAlignment();
  const DType dtype =
      isOutput ? kernel.outputs[index].dtype : kernel.inputs[index].dtype;
  const int64_t rank = isOutput ? kernel.outputs[index].shape.size()
                                : kernel.inputs[index].shape.size();
  if (!llvm::isPowerOf2_64(alignment) || alignment < dtypeBytes(dtype))
    return function->emitError("expected goat_tile.memory with an alignment of "
                               "a power of two and at least an element but "
                               "got ")
           << memory;
  if (rank == 0)
    return success();
  variant.guards.push_back(Guard::aligned(isOutput, index, alignment));
  if (memory.getAccess() == tile::Access::contiguous)
    return success();
  (isOutput ? kernel.outputs[index].isStrided
            : kernel.inputs[index].isStrided) = true;
  if (memory.getAccess() == tile::Access::any)
    return success();
  for (int64_t axis = 0; axis < rank - 1; ++axis)
    if (alignment > dtypeBytes(dtype))
      variant.guards.push_back(Guard::stride(Guard::Kind::StrideMultiple,
                                             isOutput, index, axis,
                                             alignment / dtypeBytes(dtype)));
  variant.guards.push_back(
      Guard::stride(Guard::Kind::StrideEquals, isOutput, index, rank - 1, 1));
  return success();
}

/// How tensors lie in memory, and that coordinates are 32-bit.
LogicalResult Reader::readGuards() {
  auto given = function->getAttrOfType<ArrayAttr>("goat_tile.memory");
  const size_t numInputs = kernel.inputs.size(),
               numTensors = numInputs + kernel.outputs.size();
  if (given && (given.size() != numTensors ||
                !llvm::all_of(given, llvm::IsaPred<tile::MemoryAttr>)))
    return function->emitError("expected goat_tile.memory to have ")
           << numTensors << " elements #goat_tile.memory but got " << given;
  auto contiguous = tile::MemoryAttr::get(function->getContext(),
                                          tile::Access::contiguous, 16);
  for (size_t number = 0; number < numTensors; ++number) {
    const bool isOutput = number >= numInputs;
    auto memory = given ? cast<tile::MemoryAttr>(given[number]) : contiguous;
    if (failed(readMemory(memory, isOutput,
                          isOutput ? number - numInputs : number)))
      return failure();
  }
  for (auto [index, input] : llvm::enumerate(kernel.inputs))
    for (auto [axis, size] : llvm::enumerate(input.shape))
      if (!size)
        variant.guards.push_back(
            Guard::less(Expr(DimRef{int64_t(index), int64_t(axis)}),
                        Expr(int64_t(1) << 31)));
  return success();
}

/// With copies of all text: a json::Value of a StringRef would point into the
/// context, which the description outlives.
static llvm::json::Value toJSON(Attribute attribute) {
  if (auto boolean = dyn_cast<BoolAttr>(attribute))
    return boolean.getValue();
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return integer.getInt();
  if (auto real = dyn_cast<FloatAttr>(attribute))
    return real.getValueAsDouble();
  if (auto string = dyn_cast<StringAttr>(attribute))
    return string.getValue().str();
  if (auto array = dyn_cast<ArrayAttr>(attribute)) {
    llvm::json::Array values;
    for (Attribute element : array)
      values.push_back(toJSON(element));
    return values;
  }
  if (auto dictionary = dyn_cast<DictionaryAttr>(attribute)) {
    llvm::json::Object object;
    for (NamedAttribute entry : dictionary)
      object[entry.getName().str()] = toJSON(entry.getValue());
    return object;
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << attribute;
  return text;
}

FailureOr<Kernel> Reader::read() {
  kernel.name = function.getName().str();
  kernel.target = chip.name;
  if (failed(readSource()) || failed(readResultDims()) ||
      failed(readRequirements("goat_tile.equal_dims", true)) ||
      failed(readRequirements("goat_tile.at_least_dims", false)) ||
      failed(readWorkspaces()) || failed(readGuards()))
    return failure();
  if (auto choices =
          function->getAttrOfType<DictionaryAttr>("goat_tile.choices"))
    kernel.choices = *toJSON(choices).getAsObject();
  variant.name = sequence.name.str();
  for (FunctionOpInterface launched : sequence.kernels) {
    function = launched;
    if (failed(readLaunch(variant.launches.emplace_back())))
      return failure();
  }
  kernel.variants.push_back(std::move(variant));
  return std::move(kernel);
}

FailureOr<Kernel> goat::ptx::describeKernel(Operation *module,
                                            const ChipDescription &chip) {
  auto variants = tile::getLaunches(module);
  if (failed(variants))
    return failure();
  FailureOr<Kernel> kernel;
  for (const tile::LaunchSequence &sequence : *variants) {
    FailureOr<Kernel> read = Reader(sequence, chip).read();
    if (failed(read))
      return failure();
    // What is said of the artifact is the same in all.
    if (failed(kernel))
      kernel = std::move(read);
    else
      kernel->variants.push_back(std::move(read->variants.front()));
  }
  return kernel;
}
