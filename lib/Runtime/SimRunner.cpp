//===- SimRunner.cpp - the PTX simulator as a runner ----------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Does for the simulator what a CUDA host program does for a device: allocate,
// copy in, launch, copy out.
//
//===----------------------------------------------------------------------===//

#include "goat/Runtime/LaunchPlan.h"
#include "goat/Runtime/Runner.h"
#include "goat/Runtime/TensorMaps.h"

#include "goat/PTXSim/PTXSim.h"

#include "llvm/Support/FormatVariadic.h"

using namespace goat;
using namespace goat::runtime;

namespace {

/// One call: the memory of its tensors and what the launches add up to.
class SimCall {
public:
  SimCall(const ptx::Artifact &artifact, const SimOptions &options,
          llvm::ArrayRef<Tensor> inputs)
      : kernel(artifact.kernel), artifact(artifact), options(options),
        inputs(inputs) {}

  llvm::Expected<RunResult> run(const Progress &progress);

private:
  llvm::Expected<CallSizes> measure() const;
  Placement placementOf(const std::string &name) const;
  llvm::Expected<uint64_t> place(const std::string &name,
                                 llvm::ArrayRef<int64_t> shape,
                                 llvm::ArrayRef<int64_t> strides,
                                 int64_t elementBytes);
  /// Calls `access(address, bytes, offset)` for every run of neighbouring
  /// elements; `offset` is where its bytes are among those of the tensor.
  static void
  forEachRun(uint64_t address, llvm::ArrayRef<int64_t> shape,
             llvm::ArrayRef<int64_t> strides, int64_t elementBytes,
             llvm::function_ref<void(uint64_t, uint64_t, size_t)> access);
  llvm::Error allocate(const CallSizes &sizes);
  llvm::Error launchAll(const ptxsim::Module &module,
                        const ptx::Variant &variant, const CallSizes &sizes,
                        const Progress &progress);
  /// Returns whether the kernel ran to its end.
  llvm::Expected<bool> launch(const ptxsim::Module &module,
                              const ptx::Launch &launch,
                              const LaunchSizes &launchSizes,
                              const CallSizes &sizes, const Progress &progress);
  llvm::Expected<ptxsim::TensorMap> encode(const ptx::TensorMap &map,
                                           const CallSizes &sizes) const;
  void addCounts(const ptxsim::Counts &counts);
  llvm::Error readOutputs(const CallSizes &sizes);

  const ptx::Kernel &kernel;
  const ptx::Artifact &artifact;
  const SimOptions &options;
  llvm::ArrayRef<Tensor> inputs;
  ptxsim::Memory memory;
  std::vector<uint64_t> inputAddresses, outputAddresses;
  uint64_t workspace = 0;
  std::vector<Shape> outputShapes;
  ptxsim::Counts total;
  RunResult result;
};

class SimRunner : public Runner {
public:
  SimRunner(const ptx::Artifact &artifact, const SimOptions &options)
      : artifact(artifact), options(options) {}

  llvm::StringRef name() const override { return "sim"; }

  llvm::Expected<RunResult> run(llvm::ArrayRef<Tensor> inputs,
                                const Progress &progress) override {
    return SimCall(artifact, options, inputs).run(progress);
  }

private:
  const ptx::Artifact &artifact;
  SimOptions options;
};

} // namespace

Placement SimCall::placementOf(const std::string &name) const {
  auto found = options.placements.find(name);
  return found == options.placements.end() ? Placement() : found->second;
}

llvm::Expected<CallSizes> SimCall::measure() const {
  std::vector<Shape> shapes;
  for (const Tensor &input : inputs)
    shapes.push_back(input.shape);
  CallStrides strides;
  for (const ptx::InputSpec &input : kernel.inputs)
    strides.inputs.push_back(placementOf(input.name).strides);
  for (const ptx::OutputSpec &output : kernel.outputs)
    strides.outputs.push_back(placementOf(output.name).strides);
  for (const auto &entry : options.placements) {
    auto isNamed = [&](const auto &spec) { return spec.name == entry.first; };
    if (llvm::none_of(kernel.inputs, isNamed) &&
        llvm::none_of(kernel.outputs, isNamed))
      return llvm::createStringError(
          "expected the strides or the offset of an input or output of '" +
          kernel.name + "' but got '" + entry.first + "'");
  }
  return CallSizes::create(kernel, shapes, strides);
}

void SimCall::forEachRun(
    uint64_t address, llvm::ArrayRef<int64_t> shape,
    llvm::ArrayRef<int64_t> strides, int64_t elementBytes,
    llvm::function_ref<void(uint64_t, uint64_t, size_t)> access) {
  const int64_t count = reference::numElements(shape);
  // The axes from `inner` on lie without gaps.
  size_t inner = shape.size();
  int64_t length = 1;
  while (inner > 0 && (shape[inner - 1] <= 1 || strides[inner - 1] == length))
    length *= shape[--inner];
  for (int64_t start = 0; start < count; start += length) {
    int64_t rest = start / length, offset = 0;
    for (size_t axis = inner; axis-- > 0; rest /= shape[axis])
      offset += rest % shape[axis] * strides[axis];
    access(address + offset * elementBytes, length * elementBytes,
           start * elementBytes);
  }
}

llvm::Expected<uint64_t> SimCall::place(const std::string &name,
                                        llvm::ArrayRef<int64_t> shape,
                                        llvm::ArrayRef<int64_t> strides,
                                        int64_t elementBytes) {
  const int64_t offset = placementOf(name).offset;
  const int64_t bytes = (spanOf(shape, strides) + offset) * elementBytes;
  uint64_t address = memory.allocate(bytes, name);
  if (address == 0)
    return llvm::createStringError(
        llvm::formatv("cannot allocate {0} bytes for '{1}'", bytes, name));
  return address + offset * elementBytes;
}

llvm::Error SimCall::allocate(const CallSizes &sizes) {
  // Returns whether the tensor is what lies there then: strides may lead to one
  // element by several indices.
  auto fill = [&](uint64_t address, const Tensor &tensor, DType dtype,
                  llvm::ArrayRef<int64_t> strides) {
    const std::vector<uint8_t> bytes = pack(tensor, dtype);
    forEachRun(address, tensor.shape, strides, ptx::dtypeBytes(dtype),
               [&](uint64_t to, uint64_t count, size_t from) {
                 memory.write(to, &bytes[from], count);
               });
    bool isThere = true;
    std::vector<uint8_t> read;
    forEachRun(address, tensor.shape, strides, ptx::dtypeBytes(dtype),
               [&](uint64_t from, uint64_t count, size_t to) {
                 read.resize(count);
                 memory.read(from, read.data(), count);
                 isThere &= std::equal(read.begin(), read.end(), &bytes[to]);
               });
    return isThere;
  };
  for (auto [index, spec] : llvm::enumerate(kernel.inputs)) {
    const Tensor &tensor = inputs[index];
    if (spec.isByValue()) {
      inputAddresses.push_back(0);
      continue;
    }
    const Shape &strides = sizes.stridesOf(false, index);
    llvm::Expected<uint64_t> address =
        place(spec.name, tensor.shape, strides, ptx::dtypeBytes(spec.dtype));
    if (!address)
      return address.takeError();
    if (!fill(*address, tensor, spec.dtype, strides))
      return llvm::createStringError(llvm::formatv(
          "expected the elements of '{0}' that share an address to be equal "
          "but strides {1:$[, ]} put different ones there; give values that "
          "repeat, or strides that do not overlap",
          spec.name, llvm::make_range(strides.begin(), strides.end())));
    inputAddresses.push_back(*address);
  }
  llvm::Expected<std::vector<Shape>> shapes = sizes.outputShapes();
  if (!shapes)
    return shapes.takeError();
  outputShapes = std::move(*shapes);
  for (auto [index, spec] : llvm::enumerate(kernel.outputs)) {
    const Shape &shape = outputShapes[index];
    const Shape &strides = sizes.stridesOf(true, index);
    llvm::Expected<uint64_t> address =
        place(spec.name, shape, strides, ptx::dtypeBytes(spec.dtype));
    if (!address)
      return address.takeError();
    if (spec.initialise) {
      Tensor tensor;
      tensor.shape = shape;
      tensor.data.assign(reference::numElements(shape), *spec.initialise);
      fill(*address, tensor, spec.dtype, strides);
    }
    outputAddresses.push_back(*address);
  }
  return llvm::Error::success();
}

/// The workspace is never initialised by the host: what a kernel reads there, a
/// kernel must have written.
llvm::Error SimCall::launchAll(const ptxsim::Module &module,
                               const ptx::Variant &variant,
                               const CallSizes &sizes,
                               const Progress &progress) {
  llvm::Expected<int64_t> bytes = sizes.workspaceBytes(variant);
  if (!bytes)
    return bytes.takeError();
  if (*bytes != 0) {
    workspace = memory.allocate(*bytes, "workspace", ptx::workspaceAlignment);
    if (workspace == 0)
      return llvm::createStringError(
          llvm::formatv("cannot allocate a workspace of {0} bytes", *bytes));
  }
  for (const ptx::Launch &step : variant.launches) {
    llvm::Expected<LaunchSizes> launchSizes = sizes.sizesOf(step, *bytes);
    if (!launchSizes)
      return launchSizes.takeError();
    if (launchSizes->isEmpty())
      continue;
    llvm::Expected<bool> isComplete =
        launch(module, step, *launchSizes, sizes, progress);
    if (!isComplete)
      return isComplete.takeError();
    // What comes after would only find what this one left undone.
    if (!*isComplete)
      break;
  }
  return llvm::Error::success();
}

llvm::Expected<bool> SimCall::launch(const ptxsim::Module &module,
                                     const ptx::Launch &launch,
                                     const LaunchSizes &launchSizes,
                                     const CallSizes &sizes,
                                     const Progress &progress) {
  ptxsim::LaunchConfig config;
  config.seed = options.seed;
  config.threads = options.threads;
  if (options.perturbsApproximations)
    config.approximation = ptxsim::Approximation::Perturbed;
  config.progress = progress;
  config.grid = launchSizes.grid;
  llvm::copy(launch.block, config.block.begin());
  llvm::copy(launch.cluster, config.cluster.begin());
  config.dynamicSharedBytes = launchSizes.sharedBytes;

  ptxsim::Arguments arguments;
  for (const ptx::Parameter &parameter : launch.parameters) {
    switch (parameter.kind) {
    case ptx::Parameter::Kind::Input: {
      const ptx::InputSpec &spec = kernel.inputs[parameter.index];
      if (!spec.isByValue()) {
        arguments.pointer(inputAddresses[parameter.index]);
        break;
      }
      std::vector<uint8_t> scalar = pack(inputs[parameter.index], spec.dtype);
      arguments.bytes(scalar.data(), scalar.size());
      break;
    }
    case ptx::Parameter::Kind::Output:
      arguments.pointer(outputAddresses[parameter.index]);
      break;
    case ptx::Parameter::Kind::Dim:
      arguments.i32(inputs[parameter.index].shape[parameter.axis]);
      break;
    case ptx::Parameter::Kind::InputStride:
    case ptx::Parameter::Kind::OutputStride:
      arguments.i64(
          sizes.stridesOf(parameter.kind == ptx::Parameter::Kind::OutputStride,
                          parameter.index)[parameter.axis]);
      break;
    case ptx::Parameter::Kind::Workspace: {
      llvm::Expected<int64_t> offset = sizes.evaluate(parameter.offset);
      if (!offset)
        return offset.takeError();
      arguments.pointer(workspace + *offset);
      break;
    }
    case ptx::Parameter::Kind::TensorMap: {
      llvm::Expected<ptxsim::TensorMap> map =
          encode(launch.tensorMaps[parameter.index], sizes);
      if (!map)
        return map.takeError();
      arguments.tensorMap(*map);
      break;
    }
    }
  }

  ptxsim::Result<ptxsim::LaunchResult> launched =
      ptxsim::launch(module, launch.entry, memory, arguments, config);
  if (!launched)
    return llvm::createStringError(launched.error());
  for (const ptxsim::Finding &finding : launched->findings)
    result.findings.push_back(finding.str());
  if (!launched->completed && launched->findings.empty())
    result.findings.push_back("'" + launch.entry + "' did not run to its end");
  addCounts(launched->counts);
  return launched->completed;
}

llvm::Expected<ptxsim::TensorMap>
SimCall::encode(const ptx::TensorMap &map, const CallSizes &sizes) const {
  llvm::ArrayRef<int64_t> shape = map.isOutput
                                      ? llvm::ArrayRef(outputShapes[map.index])
                                      : inputs[map.index].shape;
  const Shape &strides = sizes.stridesOf(map.isOutput, map.index);
  const DType dtype = map.isOutput ? kernel.outputs[map.index].dtype
                                   : kernel.inputs[map.index].dtype;
  const std::string &name = map.isOutput ? kernel.outputs[map.index].name
                                         : kernel.inputs[map.index].name;
  if (shape.back() > 1 && strides.back() != 1)
    return llvm::createStringError(
        llvm::formatv("expected a stride of 1 of the last axis of '{0}', which "
                      "has a tensor map, but got {1}",
                      name, strides.back()));
  ptxsim::TensorMapDescription description;
  description.type = tensorMapType(dtype);
  description.rank = shape.size();
  description.address =
      map.isOutput ? outputAddresses[map.index] : inputAddresses[map.index];
  description.swizzle = *tensorMapSwizzle(map.swizzle);
  for (size_t i = 0; i < shape.size(); ++i) {
    // A descriptor counts axes from the innermost one.
    const size_t axis = shape.size() - 1 - i;
    description.dims[i] = std::max<int64_t>(shape[axis], 1);
    description.box[i] = map.box[axis];
    // Nothing steps along an axis of one index, whose stride may be anything.
    if (i > 0)
      description.strides[i - 1] =
          shape[axis] > 1 ? strides[axis] * ptx::dtypeBytes(dtype) : 16;
  }
  ptxsim::Result<ptxsim::TensorMap> encoded =
      ptxsim::encodeTensorMap(description);
  if (!encoded)
    return llvm::createStringError(llvm::formatv(
        "cannot encode a tensor map of '{0}': {1}", name, encoded.error()));
  return *encoded;
}

void SimCall::addCounts(const ptxsim::Counts &counts) {
  total.warpInstructions += counts.warpInstructions;
  for (size_t i = 0; i < total.byClass.size(); ++i)
    total.byClass[i] += counts.byClass[i];
  total.tensorFlops += counts.tensorFlops;
  total.sharedWavefronts += counts.sharedWavefronts;
  total.bankConflicts += counts.bankConflicts;
  total.globalSectors += counts.globalSectors;
  total.globalBytes += counts.globalBytes;
}

llvm::Error SimCall::readOutputs(const CallSizes &sizes) {
  for (auto [index, spec] : llvm::enumerate(kernel.outputs)) {
    const Shape &shape = outputShapes[index];
    std::vector<uint8_t> bytes(reference::numElements(shape) *
                               ptx::dtypeBytes(spec.dtype));
    uint64_t missing = 0;
    bool isRead = true;
    forEachRun(outputAddresses[index], shape, sizes.stridesOf(true, index),
               ptx::dtypeBytes(spec.dtype),
               [&](uint64_t from, uint64_t count, size_t to) {
                 missing += memory.countUninitialised(from, count);
                 isRead &= memory.read(from, &bytes[to], count);
               });
    if (missing != 0)
      result.findings.push_back(
          llvm::formatv("missing-store: {0} of {1} bytes of output '{2}' "
                        "were never written",
                        missing, bytes.size(), spec.name));
    if (!isRead)
      return llvm::createStringError("cannot read output '" + spec.name +
                                     "' back");
    result.outputs.push_back(unpack(bytes, spec.dtype, shape));
  }
  return llvm::Error::success();
}

llvm::Expected<RunResult> SimCall::run(const Progress &progress) {
  llvm::Expected<CallSizes> sizes = measure();
  if (!sizes)
    return sizes.takeError();
  ptxsim::Result<ptxsim::Module> module =
      ptxsim::Module::parse(artifact.ptx, kernel.ptx);
  if (!module)
    return llvm::createStringError(module.error());
  if (llvm::Error error = allocate(*sizes))
    return error;
  llvm::Expected<const ptx::Variant *> variant =
      sizes->chooseVariant(inputAddresses, outputAddresses);
  if (!variant)
    return variant.takeError();
  if (llvm::Error error = launchAll(*module, **variant, *sizes, progress))
    return error;
  if (llvm::Error error = readOutputs(*sizes))
    return error;

  result.instructions = total.warpInstructions;
  auto count = [&](const char *name, uint64_t value) {
    if (value != 0)
      result.counts.emplace_back(name, value);
  };
  for (size_t i = 0; i < total.byClass.size(); ++i)
    count(ptxsim::opClassName(static_cast<ptxsim::OpClass>(i)),
          total.byClass[i]);
  count("tensor_flops", total.tensorFlops);
  count("shared_wavefronts", total.sharedWavefronts);
  count("bank_conflicts", total.bankConflicts);
  count("global_sectors", total.globalSectors);
  count("global_bytes", total.globalBytes);
  return std::move(result);
}

std::unique_ptr<Runner>
goat::runtime::createSimRunner(const ptx::Artifact &artifact,
                               const SimOptions &options) {
  return std::make_unique<SimRunner>(artifact, options);
}
