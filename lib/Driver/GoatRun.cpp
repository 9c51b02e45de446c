//===- GoatRun.cpp - running a layer from the command line ----------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects inputs, runs them, compares with the reference, writes the outcome.
//
//===----------------------------------------------------------------------===//

#include "CompileFlags.h"
#include "Progress.h"
#include "goat/Driver/Tools.h"
#include "goat/Runtime/Comparison.h"
#include "goat/Runtime/LayerInputs.h"
#include "goat/Runtime/Npy.h"
#include "goat/Runtime/Runner.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <cmath>

using namespace mlir;
using namespace goat;
using namespace goat::runtime;
namespace cl = llvm::cl;

namespace {

struct Flags : CompileFlags {
  cl::opt<std::string> on{
      "on", cl::init("sim"), cl::value_desc("runner"),
      cl::desc("Where to run (default: sim): reference (the formulas in double "
               "precision) or sim (the compiled PTX on a simulated GPU)"),
      cl::cat(category)};
  cl::list<std::string> arguments{
      "arg", cl::value_desc("name=file.npy"),
      cl::desc("A parameter's value, cast to its type; a number for a scalar. "
               "Parameters without one are random"),
      cl::cat(category)};
  cl::list<std::string> sizes{
      "size", cl::value_desc("name=n"),
      cl::desc("A dynamic size: B, Lq, Lk, or PARAMETER.AXIS"),
      cl::cat(category)};
  cl::list<std::string> strides{
      "strides", cl::value_desc("name=n,n,..."),
      cl::desc("How an input or output that is goat.strided lies in simulated "
               "memory: the stride of each axis in elements"),
      cl::cat(category)};
  cl::list<std::string> offsets{
      "offset", cl::value_desc("name=n"),
      cl::desc("How many elements after an aligned address an input or output "
               "begins in simulated memory"),
      cl::cat(category)};
  cl::opt<uint64_t> seed{
      "seed", cl::init(0), cl::value_desc("n"),
      cl::desc("Seed of the random inputs, and of the order in which the "
               "simulator runs blocks and warps (default: 0)"),
      cl::cat(category)};
  cl::opt<bool> perturb{
      "perturb",
      cl::desc("Let approximate functions of the simulated GPU be off by up to "
               "what the PTX ISA promises, drawn from the seed; where it "
               "promises nothing they give NaN and a finding"),
      cl::cat(category)};
  cl::opt<std::string> out{
      "out", cl::value_desc("directory"),
      cl::desc("Write inputs and outputs as .npy files to folders of this "
               "directory called inputs, reference, sim, and how far an output "
               "may be from the reference's to one called bounds"),
      cl::cat(category)};
  cl::opt<bool> compare{"compare",
                        cl::desc("Also run the reference, and fail beyond the "
                                 "tolerance or with findings"),
                        cl::cat(category)};
  cl::opt<bool> json{"json", cl::desc("Write the outcome as JSON"),
                     cl::cat(category)};
};

/// One run of goat-run.
class GoatRun {
public:
  GoatRun(Flags &flags, const DialectRegistry &dialects)
      : flags(flags), context(std::make_unique<MLIRContext>(
                          dialects, MLIRContext::Threading::DISABLED)) {
    // A message names its line; a kernel's ten thousand lines do not help.
    context->printOpOnDiagnostic(false);
  }

  /// Returns whether the outcome is right.
  llvm::Expected<bool> run();

private:
  llvm::Error load();
  llvm::Error compile();
  llvm::Error collectInputs();
  llvm::Error collectPlacements(SimOptions &options);
  llvm::Expected<RunResult> runOn(Runner &runner);
  llvm::Error setBounds(const RunResult &reference);
  llvm::Error compareWith(const RunResult &reference);
  llvm::Error writeBounds();
  llvm::Expected<llvm::SmallString<128>> createFolder(llvm::StringRef folder);
  llvm::Error writeTensors(llvm::StringRef folder,
                           llvm::ArrayRef<Tensor> tensors, bool areInputs);
  llvm::json::Value describe() const;
  void print() const;

  Flags &flags;
  std::unique_ptr<MLIRContext> context;
  std::shared_ptr<llvm::SourceMgr> sources =
      std::make_shared<llvm::SourceMgr>();
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  std::optional<ptx::Artifact> artifact;
  std::vector<Tensor> inputs;
  RunResult result;
  /// What the reference's outputs allow; empty where it did not run.
  std::vector<Bounds> bounds;
  std::vector<Comparison> comparisons;
};

} // namespace

/// Parses the file, or an artifact's source, and picks the function.
llvm::Error GoatRun::load() {
  llvm::SmallString<128> description(flags.input.getValue());
  llvm::sys::path::append(description, "kernel.json");
  if (llvm::sys::fs::exists(description)) {
    llvm::Expected<ptx::Artifact> read = ptx::readArtifact(flags.input);
    if (!read)
      return read.takeError();
    artifact = std::move(*read);
    sources->AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBufferCopy(artifact->source,
                                             flags.input + "/source.mlir"),
        llvm::SMLoc());
  } else if (llvm::Error error = openSource(*sources, flags.input)) {
    return error;
  }
  SourceMgrDiagnosticHandler handler(*sources, context.get());
  module = parseSource(*sources, context.get());
  if (!module)
    return llvm::createStringError("cannot read '" + flags.input + "'");
  llvm::Expected<func::FuncOp> found = findFunction(*module, flags.function);
  if (!found)
    return found.takeError();
  function = *found;
  if (function.isExternal())
    return llvm::createStringError("expected '" + function.getSymName() +
                                   "' to have a body");
  return llvm::Error::success();
}

/// Compiles a copy of the chosen function; the reference needs the original.
llvm::Error GoatRun::compile() {
  llvm::Expected<ptx::ChipDescription> chip = ptx::findChip(flags.target);
  if (!chip)
    return chip.takeError();
  GoatToPTXOptions options;
  flags.fill(options);
  SourceMgrDiagnosticHandler handler(*sources, context.get());
  OwningOpRef<ModuleOp> copy = ModuleOp::create(function.getLoc());
  copy->getBody()->push_back(function->clone());
  FailureOr<std::vector<ptx::Artifact>> artifacts =
      compileToArtifacts(*copy, *chip, options);
  if (failed(artifacts) || artifacts->size() != 1)
    return llvm::createStringError(
        "cannot compile '" + function.getSymName() +
        "'; --on=reference runs what the compiler cannot lower yet");
  artifact = std::move(artifacts->front());
  return llvm::Error::success();
}

llvm::Error GoatRun::collectInputs() {
  llvm::Expected<LayerInputs> collected = LayerInputs::create(function);
  if (!collected)
    return collected.takeError();
  for (const std::string &size : flags.sizes) {
    auto [name, text] = llvm::StringRef(size).split('=');
    int64_t value;
    if (text.getAsInteger(10, value))
      return llvm::createStringError("expected --size NAME=N but got '" + size +
                                     "'");
    if (llvm::Error error = collected->setSize(name, value))
      return error;
  }
  for (const std::string &argument : flags.arguments) {
    auto [name, path] = llvm::StringRef(argument).split('=');
    if (path.empty())
      return llvm::createStringError("expected --arg NAME=FILE.npy but got '" +
                                     argument + "'");
    Tensor scalar;
    scalar.data.resize(1);
    bool isNumber = !path.getAsDouble(scalar.data[0]);
    llvm::Expected<Tensor> value =
        isNumber ? llvm::Expected<Tensor>(std::move(scalar)) : readNpy(path);
    if (!value)
      return value.takeError();
    if (llvm::Error error = collected->setTensor(name, std::move(*value),
                                                 "'" + path.str() + "'"))
      return error;
  }
  llvm::Expected<std::vector<Tensor>> generated =
      collected->generate(flags.seed);
  if (!generated)
    return generated.takeError();
  inputs = std::move(*generated);
  return llvm::Error::success();
}

/// What --strides and --offset say.
llvm::Error GoatRun::collectPlacements(SimOptions &options) {
  for (const std::string &text : flags.strides) {
    auto [name, numbers] = llvm::StringRef(text).split('=');
    llvm::SmallVector<llvm::StringRef> parts;
    numbers.split(parts, ',');
    for (llvm::StringRef part : parts) {
      int64_t stride;
      if (part.getAsInteger(10, stride))
        return llvm::createStringError(
            "expected --strides NAME=N,N,... but got '" + text + "'");
      options.placements[name.str()].strides.push_back(stride);
    }
  }
  for (const std::string &text : flags.offsets) {
    auto [name, number] = llvm::StringRef(text).split('=');
    int64_t &offset = options.placements[name.str()].offset;
    if (number.getAsInteger(10, offset) || offset < 0)
      return llvm::createStringError(
          "expected --offset NAME=N, N at least 0, but got '" + text + "'");
  }
  return llvm::Error::success();
}

llvm::Expected<RunResult> GoatRun::runOn(Runner &runner) {
  ProgressMeter meter("running '" + function.getSymName() + "' on " +
                      runner.name());
  return runner.run(inputs, [&](uint64_t done, uint64_t total) {
    meter.update(done, total);
  });
}

llvm::Error GoatRun::setBounds(const RunResult &reference) {
  const bool isTF32 = artifact && isInTF32(*artifact);
  for (size_t i = 0; i < reference.outputs.size(); ++i) {
    llvm::Expected<Bounds> found =
        boundsOf(function, i, inputs, reference.outputs, isTF32);
    if (!found)
      return found.takeError();
    bounds.push_back(std::move(*found));
  }
  return llvm::Error::success();
}

llvm::Error GoatRun::compareWith(const RunResult &reference) {
  for (size_t i = 0; i < result.outputs.size(); ++i) {
    if (result.outputs[i].shape != reference.outputs[i].shape)
      return llvm::createStringError(llvm::formatv(
          "expected output '{0}' of shape {1} as the reference has it but got "
          "{2}",
          resultName(function, i), shapeString(reference.outputs[i].shape),
          shapeString(result.outputs[i].shape)));
    comparisons.push_back(
        compare(result.outputs[i], reference.outputs[i], bounds[i]));
  }
  return llvm::Error::success();
}

/// Creates a folder of the directory that --out names.
llvm::Expected<llvm::SmallString<128>>
GoatRun::createFolder(llvm::StringRef folder) {
  llvm::SmallString<128> directory(flags.out.getValue());
  llvm::sys::path::append(directory, folder);
  if (std::error_code error = llvm::sys::fs::create_directories(directory))
    return llvm::createStringError(error, "cannot create directory '" +
                                              directory +
                                              "': " + error.message());
  return directory;
}

llvm::Error GoatRun::writeTensors(llvm::StringRef folder,
                                  llvm::ArrayRef<Tensor> tensors,
                                  bool areInputs) {
  llvm::Expected<llvm::SmallString<128>> directory = createFolder(folder);
  if (!directory)
    return directory.takeError();
  for (auto [index, tensor] : llvm::enumerate(tensors)) {
    Type type = areInputs ? function.getArgumentTypes()[index]
                          : function.getResultTypes()[index];
    llvm::Expected<DType> dtype = dtypeOf(type);
    if (!dtype)
      return dtype.takeError();
    llvm::SmallString<128> path(*directory);
    llvm::sys::path::append(path, (areInputs ? parameterName(function, index)
                                             : resultName(function, index)) +
                                      ".npy");
    if (llvm::Error error = writeNpy(path, tensor, *dtype))
      return error;
  }
  return llvm::Error::success();
}

/// Writes each output's bounds on rows and on the whole, for a comparison that
/// is made elsewhere.
llvm::Error GoatRun::writeBounds() {
  llvm::Expected<llvm::SmallString<128>> directory = createFolder("bounds");
  if (!directory)
    return directory.takeError();
  for (auto [index, bound] : llvm::enumerate(bounds)) {
    llvm::SmallString<128> path(*directory);
    llvm::sys::path::append(path, resultName(function, index));
    if (llvm::Error error =
            writeNpy((path + ".npy").str(), bound.rows, DType::F32))
      return error;
    if (llvm::Error error = writeNpy((path + ".total.npy").str(),
                                     {{}, {bound.total}}, DType::F32))
      return error;
  }
  return llvm::Error::success();
}

/// JSON has no infinities: what is not finite is null.
static llvm::json::Value number(double value) {
  return std::isfinite(value) ? llvm::json::Value(value)
                              : llvm::json::Value(nullptr);
}

llvm::json::Value GoatRun::describe() const {
  llvm::json::Object object{{"function", func::FuncOp(function).getSymName()},
                            {"on", flags.on},
                            {"seed", int64_t(flags.seed)},
                            {"findings", llvm::json::Array(result.findings)},
                            {"instructions", int64_t(result.instructions)}};
  llvm::json::Object counts;
  for (const auto &[name, count] : result.counts)
    counts[name] = int64_t(count);
  object["counts"] = std::move(counts);
  double worstAbs = 0, worstL2 = 0;
  llvm::json::Array outputs;
  for (size_t i = 0; i < result.outputs.size(); ++i) {
    llvm::json::Object output{
        {"name", resultName(function, i)},
        {"shape", llvm::json::Array(result.outputs[i].shape)}};
    if (i < comparisons.size()) {
      const Comparison &comparison = comparisons[i];
      output["max_abs_error"] = number(comparison.maxAbs);
      output["rel_l2_error"] = number(comparison.relativeL2);
      output["tolerance"] = comparison.tolerance;
      output["worst_row"] = llvm::json::Array(comparison.worstRow);
      output["worst_row_error"] = number(comparison.worstRowError);
      output["worst_row_bound"] = comparison.worstRowBound;
      output["passed"] = comparison.isWithin;
      worstAbs = std::max(worstAbs, comparison.maxAbs);
      worstL2 = std::max(worstL2, comparison.relativeL2);
    }
    outputs.push_back(std::move(output));
  }
  object["outputs"] = std::move(outputs);
  if (!comparisons.empty()) {
    object["max_abs_error"] = number(worstAbs);
    object["rel_l2_error"] = number(worstL2);
  }
  return object;
}

void GoatRun::print() const {
  llvm::raw_ostream &out = llvm::outs();
  out << "ran '" << func::FuncOp(function).getSymName() << "' on " << flags.on
      << "\n";
  for (size_t i = 0; i < result.outputs.size(); ++i) {
    out << "  " << resultName(function, i) << ": "
        << shapeString(result.outputs[i].shape);
    if (i < comparisons.size())
      out << llvm::formatv(
          ", relative L2 error {0:e2} (at most {1:e2}), largest error {2:e2}"
          ": {3}",
          comparisons[i].relativeL2, comparisons[i].tolerance,
          comparisons[i].maxAbs, comparisons[i].isWithin ? "right" : "WRONG");
    out << "\n";
    if (i < comparisons.size() && !comparisons[i].isWithin)
      out << llvm::formatv(
          "    at [{0:$[, ]}] off by {1:e2} (at most {2:e2})\n",
          llvm::make_range(comparisons[i].worstRow.begin(),
                           comparisons[i].worstRow.end()),
          comparisons[i].worstRowError, comparisons[i].worstRowBound);
  }
  if (result.instructions != 0) {
    out << "  " << result.instructions << " warp instructions";
    const char *separator = ": ";
    for (const auto &[name, count] : result.counts) {
      out << separator << name << " " << count;
      separator = ", ";
    }
    out << "\n";
  }
  if (flags.on == "sim")
    out << "  " << result.findings.size() << " findings\n";
  for (const std::string &finding : result.findings)
    out << "    " << finding << "\n";
}

llvm::Expected<bool> GoatRun::run() {
  if (flags.on != "reference" && flags.on != "sim")
    return llvm::createStringError(
        "expected --on to be reference or sim but got '" + flags.on + "'");
  if (flags.compare && flags.on == "reference")
    return llvm::createStringError(
        "--compare compares with the reference; use it with --on=sim");
  const std::pair<llvm::StringRef, bool> simulated[] = {
      {"strides", !flags.strides.empty()},
      {"offset", !flags.offsets.empty()},
      {"perturb", flags.perturb}};
  for (auto [flag, isGiven] : simulated)
    if (isGiven && flags.on == "reference")
      return llvm::createStringError(
          "--" + flag + " is about the simulated GPU; use it with --on=sim");
  if (llvm::Error error = load())
    return error;
  if (llvm::Error error = collectInputs())
    return error;

  std::unique_ptr<Runner> reference = createReferenceRunner(function);
  std::unique_ptr<Runner> runner;
  if (flags.on == "sim") {
    if (!artifact)
      if (llvm::Error error = compile())
        return error;
    SimOptions options;
    options.seed = flags.seed;
    options.perturbsApproximations = flags.perturb;
    if (llvm::Error error = collectPlacements(options))
      return error;
    runner = createSimRunner(*artifact, options);
  }
  llvm::Expected<RunResult> ran = runOn(runner ? *runner : *reference);
  if (!ran)
    return ran.takeError();
  result = std::move(*ran);
  if (!flags.out.empty()) {
    if (llvm::Error error = writeTensors("inputs", inputs, true))
      return error;
    if (llvm::Error error = writeTensors(flags.on, result.outputs, false))
      return error;
  }
  if (!runner) {
    if (llvm::Error error = setBounds(result))
      return error;
  } else if (flags.compare) {
    llvm::Expected<RunResult> expected = runOn(*reference);
    if (!expected)
      return expected.takeError();
    if (llvm::Error error = setBounds(*expected))
      return error;
    if (llvm::Error error = compareWith(*expected))
      return error;
    if (!flags.out.empty())
      if (llvm::Error error =
              writeTensors("reference", expected->outputs, false))
        return error;
  }
  if (!flags.out.empty() && !bounds.empty())
    if (llvm::Error error = writeBounds())
      return error;
  if (flags.json)
    llvm::outs() << llvm::formatv("{0:2}\n", describe());
  else
    print();
  return result.findings.empty() &&
         llvm::all_of(comparisons,
                      [](const Comparison &c) { return c.isWithin; });
}

int goat::goatRunMain(int argc, char **argv, const DialectRegistry &dialects) {
  Flags flags;
  flags.parse(argc, argv, "goat-run: runs an attention layer and checks it\n");
  llvm::Expected<bool> isRight = GoatRun(flags, dialects).run();
  if (!isRight)
    return reportError(isRight.takeError());
  return *isRight ? 0 : 2;
}
