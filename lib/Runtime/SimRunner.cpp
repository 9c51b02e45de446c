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
  llvm::Error allocate(const CallSizes &sizes);
  llvm::Error launchAll(const ptxsim::Module &module,
                        const ptx::Variant &variant, const CallSizes &sizes,
                        const Progress &progress);
  /// Returns whether the kernel ran to its end.
  llvm::Expected<bool> launch(const ptxsim::Module &module,
                              const ptx::Launch &launch,
                              const LaunchSizes &launchSizes,
                              const CallSizes &sizes, const Progress &progress);
  void addCounts(const ptxsim::Counts &counts);
  llvm::Error readOutputs();

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

llvm::Error SimCall::allocate(const CallSizes &sizes) {
  auto allocateBytes = [&](const std::vector<uint8_t> &bytes,
                           const std::string &name, bool copyIn,
                           std::vector<uint64_t> &addresses) -> llvm::Error {
    uint64_t address = memory.allocate(bytes.size(), name);
    if (address == 0)
      return llvm::createStringError(llvm::formatv(
          "cannot allocate {0} bytes for '{1}'", bytes.size(), name));
    if (copyIn && !bytes.empty())
      memory.write(address, bytes.data(), bytes.size());
    addresses.push_back(address);
    return llvm::Error::success();
  };
  for (auto [spec, tensor] : llvm::zip(kernel.inputs, inputs)) {
    if (spec.shape.empty()) {
      inputAddresses.push_back(0);
      continue;
    }
    if (llvm::Error error = allocateBytes(pack(tensor, spec.dtype), spec.name,
                                          true, inputAddresses))
      return error;
  }
  llvm::Expected<std::vector<Shape>> shapes = sizes.outputShapes();
  if (!shapes)
    return shapes.takeError();
  outputShapes = std::move(*shapes);
  for (auto [spec, shape] : llvm::zip(kernel.outputs, outputShapes)) {
    Tensor tensor;
    tensor.shape = shape;
    tensor.data.assign(reference::numElements(shape),
                       spec.initialise.value_or(0));
    if (llvm::Error error =
            allocateBytes(pack(tensor, spec.dtype), spec.name,
                          spec.initialise.has_value(), outputAddresses))
      return error;
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
      if (!spec.shape.empty()) {
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
    case ptx::Parameter::Kind::Workspace: {
      llvm::Expected<int64_t> offset = sizes.evaluate(parameter.offset);
      if (!offset)
        return offset.takeError();
      arguments.pointer(workspace + *offset);
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

llvm::Error SimCall::readOutputs() {
  for (auto [spec, shape, address] :
       llvm::zip(kernel.outputs, outputShapes, outputAddresses)) {
    std::vector<uint8_t> bytes(reference::numElements(shape) *
                               ptx::dtypeBytes(spec.dtype));
    if (!bytes.empty()) {
      uint64_t missing = memory.countUninitialised(address, bytes.size());
      if (missing != 0)
        result.findings.push_back(
            llvm::formatv("missing-store: {0} of {1} bytes of output '{2}' "
                          "were never written",
                          missing, bytes.size(), spec.name));
      if (!memory.read(address, bytes.data(), bytes.size()))
        return llvm::createStringError("cannot read output '" + spec.name +
                                       "' back");
    }
    result.outputs.push_back(unpack(bytes, spec.dtype, shape));
  }
  return llvm::Error::success();
}

llvm::Expected<RunResult> SimCall::run(const Progress &progress) {
  std::vector<Shape> shapes;
  for (const Tensor &input : inputs)
    shapes.push_back(input.shape);
  llvm::Expected<CallSizes> sizes = CallSizes::create(kernel, shapes);
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
  if (llvm::Error error = readOutputs())
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
