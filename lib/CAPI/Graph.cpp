//===- Graph.cpp - whole graphs on the caller's tensors -------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph is evaluated on the reference; the attentions that it calls are
// evaluated there too, or compiled and executed on the simulator.
//
//===----------------------------------------------------------------------===//

#include "Internal.h"

#include "goat/Dialect/Goat/IR/GoatDialect.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace goat;
using namespace goat::capi;
using namespace mlir;
using runtime::Tensor;

namespace {

/// Runs functions that hold an attention on the simulator, each compiled when
/// it is first called.
class AttentionsOnSim {
public:
  AttentionsOnSim(const GoatOptions *options, const ptx::ChipDescription &chip,
                  uint64_t seed)
      : chip(chip) {
    fill(options, pipeline);
    simulation.seed = seed;
    handler = [this](func::FuncOp callee, ArrayRef<Tensor> arguments) {
      return run(callee, arguments);
    };
  }

  /// The results of a function, on the simulator when it holds an attention.
  FailureOr<std::vector<Tensor>> run(func::FuncOp callee,
                                     ArrayRef<Tensor> arguments) {
    bool holdsAttention =
        callee.walk([](AttentionOp) { return WalkResult::interrupt(); })
            .wasInterrupted();
    if (!holdsAttention)
      return reference::evaluate(callee, arguments, &handler);
    FailureOr<ptx::Artifact *> artifact = artifactOf(callee);
    if (failed(artifact))
      return failure();
    std::vector<Tensor> rounded(arguments.begin(), arguments.end());
    for (auto [tensor, spec] : llvm::zip(rounded, (*artifact)->kernel.inputs))
      for (double &value : tensor.data)
        value = runtime::roundTo(spec.dtype, value);
    llvm::Expected<runtime::RunResult> result =
        runtime::createSimRunner(**artifact, simulation)
            ->run(rounded, [](uint64_t, uint64_t) {});
    if (!result)
      return callee.emitError(llvm::toString(result.takeError()));
    totals.instructions += result->instructions;
    for (const auto &[name, value] : result->counts)
      counts[StringAttr::get(callee.getContext(), name)] += value;
    for (const std::string &finding : result->findings)
      totals.findings.push_back((callee.getName() + ": " + finding).str());
    return std::move(result->outputs);
  }

  /// What all launches did and counted.
  runtime::RunResult takeTotals() {
    for (auto &[name, value] : counts)
      totals.counts.emplace_back(name.str(), value);
    return std::move(totals);
  }

private:
  FailureOr<ptx::Artifact *> artifactOf(func::FuncOp callee) {
    auto [place, isNew] = artifacts.try_emplace(callee);
    if (isNew) {
      OwningOpRef<ModuleOp> module = ModuleOp::create(callee.getLoc());
      module->getBody()->push_back(callee->clone());
      FailureOr<std::vector<ptx::Artifact>> compiled =
          compileToArtifacts(*module, chip, pipeline);
      if (failed(compiled))
        return failure();
      place->second =
          std::make_unique<ptx::Artifact>(std::move(compiled->front()));
    }
    return place->second.get();
  }

  GoatToPTXOptions pipeline;
  ptx::ChipDescription chip;
  runtime::SimOptions simulation;
  reference::CallHandler handler;
  llvm::MapVector<Operation *, std::unique_ptr<ptx::Artifact>> artifacts;
  runtime::RunResult totals;
  llvm::MapVector<StringAttr, uint64_t> counts;
};

} // namespace

GoatStatus goatGraphRun(const char *text, size_t size, const char *name,
                        const GoatOptions *options, GoatRunner runner,
                        const GoatTensor *inputs, size_t inputCount,
                        uint64_t seed, GoatRun **run,
                        GoatDiagnostics *diagnostics) {
  if (!text || !name || !run || (inputCount > 0 && !inputs))
    return refuseNull(diagnostics, "goatGraphRun");
  if (GoatStatus status = checkRunner(runner, diagnostics))
    return status;
  Program program(diagnostics);
  std::optional<ptx::ChipDescription> chip;
  if (GoatStatus status =
          program.load(llvm::StringRef(text, size), name, options, chip))
    return status;
  func::FuncOp function = program.getFunction();
  auto made = std::make_unique<GoatRun>();
  std::vector<ptx::InputSpec> specs;
  if (llvm::Error error = describeFunction(function, specs, made->outputs))
    return fail(diagnostics, GOAT_COMPILE_ERROR, std::move(error));
  if (GoatStatus status = takeInputs(specs, function.getName(), inputs,
                                     inputCount, made->inputs, diagnostics))
    return status;

  AttentionsOnSim attentions(options, *chip, seed);
  FailureOr<std::vector<Tensor>> outputs =
      runner == GOAT_ON_SIM ? attentions.run(function, made->inputs)
                            : reference::evaluate(function, made->inputs);
  if (failed(outputs))
    return GOAT_COMPILE_ERROR;
  made->result = attentions.takeTotals();
  made->result.outputs = std::move(*outputs);
  return finish(std::move(made), run, diagnostics);
}
