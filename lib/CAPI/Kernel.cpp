//===- Kernel.cpp - compiling, artifacts, reports -------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the C interface calls a kernel: an artifact, or a function for the
// reference alone.
//
//===----------------------------------------------------------------------===//

#include "Internal.h"

#include "goat/Driver/Registration.h"
#include "goat/Report/Report.h"
#include "goat/Runtime/LayerInputs.h"
#include "goat/Target/PTX/EmitPTX.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace goat;
using namespace goat::capi;
using namespace mlir;

static constexpr llvm::StringLiteral sourceFile = "source.mlir";
static constexpr llvm::StringLiteral referenceTarget = "reference";

//===----------------------------------------------------------------------===//
// Descriptions
//===----------------------------------------------------------------------===//

bool goat::capi::describe(const ptx::InputSpec &spec,
                          GoatParameter &parameter) {
  if (spec.shape.size() > GOAT_MAX_RANK)
    return false;
  parameter = {};
  parameter.name = spec.name.c_str();
  std::optional<GoatDType> dtype = parseDType(ptx::dtypeName(spec.dtype));
  if (!dtype)
    return false;
  parameter.dtype = *dtype;
  parameter.rank = spec.shape.size();
  for (auto [index, size] : llvm::enumerate(spec.shape))
    parameter.shape[index] = size.value_or(-1);
  return true;
}

static GoatStatus describe(const std::vector<ptx::InputSpec> &specs,
                           size_t index, GoatParameter *parameter) {
  if (!parameter || index >= specs.size())
    return GOAT_INVALID_ARGUMENT;
  return describe(specs[index], *parameter) ? GOAT_OK : GOAT_UNAVAILABLE;
}

/// A parameter or result as its type has it.
static llvm::Expected<ptx::InputSpec> specOf(std::string name, Type type) {
  llvm::Expected<ptx::DType> dtype = runtime::dtypeOf(type);
  if (!dtype)
    return dtype.takeError();
  ptx::InputSpec spec{std::move(name), *dtype, {}};
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    for (int64_t size : tensor.getShape())
      spec.shape.push_back(ShapedType::isDynamic(size)
                               ? std::nullopt
                               : std::optional<int64_t>(size));
  return spec;
}

llvm::Error goat::capi::describeFunction(func::FuncOp function,
                                         std::vector<ptx::InputSpec> &inputs,
                                         std::vector<ptx::InputSpec> &outputs) {
  auto add = [](std::vector<ptx::InputSpec> &specs, std::string name,
                Type type) -> llvm::Error {
    llvm::Expected<ptx::InputSpec> spec = specOf(std::move(name), type);
    if (!spec)
      return spec.takeError();
    specs.push_back(std::move(*spec));
    return llvm::Error::success();
  };
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
    if (llvm::Error error =
            add(inputs, runtime::parameterName(function, index), type))
      return error;
  for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
    if (llvm::Error error =
            add(outputs, runtime::resultName(function, index), type))
      return error;
  return llvm::Error::success();
}

/// Fills what is derived from the artifact.
static void describeArtifact(GoatKernel &kernel) {
  const ptx::Artifact &artifact = kernel.artifact;
  kernel.inputs = artifact.kernel.inputs;
  for (const ptx::OutputSpec &output : artifact.kernel.outputs) {
    ptx::InputSpec spec{output.name, output.dtype, {}};
    for (const ptx::Expr &size : output.shape)
      spec.shape.push_back(size.asConstant());
    kernel.outputs.push_back(std::move(spec));
  }
  kernel.files.emplace_back("kernel.json", writeKernel(artifact.kernel));
  kernel.files.emplace_back(artifact.kernel.ptx, artifact.ptx);
  if (artifact.kernel.cubin)
    kernel.files.emplace_back(*artifact.kernel.cubin, artifact.cubin);
  kernel.files.emplace_back(sourceFile.str(), artifact.source);
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

/// Assembles the kernel as the option "cubin" says.
static GoatStatus addCubin(GoatKernel &kernel, const GoatOptions *options,
                           GoatDiagnostics *diagnostics) {
  llvm::StringRef how = optionOr(options, "cubin", "auto");
  if (how == "none")
    return GOAT_OK;
  llvm::Expected<std::vector<ptx::EntryResources>> resources =
      goat::addCubin(kernel.artifact);
  if (resources)
    return GOAT_OK;
  if (how == "required")
    return fail(diagnostics, GOAT_UNAVAILABLE, resources.takeError());
  llvm::consumeError(resources.takeError());
  return GOAT_OK;
}

static GoatStatus compile(Program &program, const GoatOptions *options,
                          GoatKernel &kernel, GoatDiagnostics *diagnostics) {
  llvm::StringRef target = optionOr(options, "target", "sm_90");
  func::FuncOp function = program.getFunction();
  if (target == referenceTarget) {
    if (llvm::Error error =
            describeFunction(function, kernel.inputs, kernel.outputs))
      return fail(diagnostics, GOAT_COMPILE_ERROR, std::move(error));
    kernel.artifact.kernel.name = function.getSymName().str();
    kernel.artifact.kernel.target = target.str();
    llvm::raw_string_ostream stream(kernel.artifact.source);
    function.print(stream);
    stream << "\n";
    kernel.files.emplace_back(sourceFile.str(), kernel.artifact.source);
    return GOAT_OK;
  }
  llvm::Expected<ptx::ChipDescription> chip = ptx::findChip(target);
  if (!chip)
    return fail(diagnostics, GOAT_INVALID_ARGUMENT, chip.takeError());
  GoatToPTXOptions pipeline;
  fill(options, pipeline);
  OwningOpRef<ModuleOp> module = program.isolate();
  FailureOr<std::vector<ptx::Artifact>> artifacts =
      compileToArtifacts(*module, *chip, pipeline);
  if (failed(artifacts))
    return GOAT_COMPILE_ERROR;
  kernel.artifact = std::move(artifacts->front());
  if (GoatStatus status = addCubin(kernel, options, diagnostics))
    return status;
  describeArtifact(kernel);
  return GOAT_OK;
}

GoatStatus goatCompile(const char *text, size_t size, const char *name,
                       const GoatOptions *options, GoatKernel **kernel,
                       GoatDiagnostics *diagnostics) {
  if (!text || !name || !kernel)
    return refuseNull(diagnostics, "goatCompile");
  Program program(diagnostics);
  if (GoatStatus status = program.load(llvm::StringRef(text, size), name,
                                       optionOr(options, "function", "")))
    return status;
  auto made = std::make_unique<GoatKernel>();
  if (GoatStatus status = compile(program, options, *made, diagnostics))
    return status;
  *kernel = made.release();
  return GOAT_OK;
}

static constexpr llvm::StringLiteral emitKinds[] = {"goat", "tile", "nvvm",
                                                    "llvm", "ptx"};

GoatStatus goatEmit(const char *text, size_t size, const char *name,
                    const GoatOptions *options, const char *kind,
                    GoatString **result, GoatDiagnostics *diagnostics) {
  if (!text || !name || !kind || !result)
    return refuseNull(diagnostics, "goatEmit");
  if (!llvm::is_contained(emitKinds, kind))
    return fail(diagnostics, GOAT_INVALID_ARGUMENT,
                "expected one of the kinds " +
                    llvm::join(llvm::ArrayRef(emitKinds), ", ") + " but got '" +
                    kind + "'");
  Program program(diagnostics);
  std::optional<ptx::ChipDescription> chip;
  if (GoatStatus status =
          program.load(llvm::StringRef(text, size), name, options, chip))
    return status;
  GoatToPTXOptions pipeline;
  fill(options, pipeline);
  OwningOpRef<ModuleOp> module = program.isolate();
  FailureOr<std::string> emitted = emitText(*module, kind, *chip, pipeline);
  if (failed(emitted))
    return GOAT_COMPILE_ERROR;
  *result = new GoatString{std::move(*emitted)};
  return GOAT_OK;
}

GoatStatus goatTransform(const char *text, size_t size, const char *name,
                         const char *pipeline, GoatString **result,
                         GoatDiagnostics *diagnostics) {
  if (!text || !name || !pipeline || !result)
    return refuseNull(diagnostics, "goatTransform");
  static const bool isRegistered = [] {
    registerAllPasses();
    return true;
  }();
  (void)isRegistered;
  Program program(diagnostics);
  if (GoatStatus status = program.parse(llvm::StringRef(text, size), name))
    return status;
  ModuleOp module = program.getModule();
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  std::string said;
  llvm::raw_string_ostream stream(said);
  if (failed(parsePassPipeline(pipeline, passes, stream)))
    return fail(diagnostics, GOAT_INVALID_ARGUMENT,
                llvm::StringRef(said).trim());
  if (failed(passes.run(module)))
    return GOAT_COMPILE_ERROR;
  auto made = std::make_unique<GoatString>();
  llvm::raw_string_ostream(made->text) << *module << "\n";
  *result = made.release();
  return GOAT_OK;
}

//===----------------------------------------------------------------------===//
// Artifacts
//===----------------------------------------------------------------------===//

GoatStatus goatKernelRead(const char *directory, GoatKernel **kernel,
                          GoatDiagnostics *diagnostics) {
  if (!directory || !kernel)
    return refuseNull(diagnostics, "goatKernelRead");
  llvm::Expected<ptx::Artifact> read = ptx::readArtifact(directory);
  if (!read)
    return fail(diagnostics, GOAT_IO_ERROR, read.takeError());
  auto made = std::make_unique<GoatKernel>();
  made->artifact = std::move(*read);
  describeArtifact(*made);
  *kernel = made.release();
  return GOAT_OK;
}

GoatStatus goatKernelWrite(const GoatKernel *kernel, const char *directory,
                           GoatDiagnostics *diagnostics) {
  if (!kernel || !directory)
    return refuseNull(diagnostics, "goatKernelWrite");
  if (!kernel->isCompiled())
    return fail(diagnostics, GOAT_UNAVAILABLE,
                "expected a compiled kernel but '" +
                    kernel->artifact.kernel.name +
                    "' is for the reference; compile it for a chip");
  if (llvm::Error error = ptx::writeArtifact(kernel->artifact, directory))
    return fail(diagnostics, GOAT_IO_ERROR, std::move(error));
  return GOAT_OK;
}

void goatKernelDestroy(GoatKernel *kernel) { delete kernel; }

const char *goatKernelName(const GoatKernel *kernel) {
  return kernel ? kernel->artifact.kernel.name.c_str() : "";
}

const char *goatKernelTarget(const GoatKernel *kernel) {
  return kernel ? kernel->artifact.kernel.target.c_str() : "";
}

size_t goatKernelFileCount(const GoatKernel *kernel) {
  return kernel ? kernel->files.size() : 0;
}

const char *goatKernelFileName(const GoatKernel *kernel, size_t index) {
  return index < goatKernelFileCount(kernel)
             ? kernel->files[index].first.c_str()
             : nullptr;
}

GoatStatus goatKernelFile(const GoatKernel *kernel, const char *name,
                          const char **data, size_t *size) {
  if (!kernel || !name || !data || !size)
    return GOAT_INVALID_ARGUMENT;
  for (const auto &[file, contents] : kernel->files)
    if (file == name) {
      *data = contents.c_str();
      *size = contents.size();
      return GOAT_OK;
    }
  return GOAT_INVALID_ARGUMENT;
}

GoatStatus goatKernelReport(const GoatKernel *kernel, const char *format,
                            const char *sizes, GoatString **result,
                            GoatDiagnostics *diagnostics) {
  if (!kernel || !format || !result)
    return refuseNull(diagnostics, "goatKernelReport");
  const llvm::StringRef form(format);
  if (form != "text" && form != "json")
    return fail(diagnostics, GOAT_INVALID_ARGUMENT,
                "expected the format of a report to be text or json but got '" +
                    form + "'");
  if (!kernel->isCompiled())
    return fail(diagnostics, GOAT_UNAVAILABLE,
                "a kernel for the reference has no report");
  llvm::Expected<ptx::ChipDescription> chip =
      ptx::findChip(kernel->artifact.kernel.target);
  if (!chip)
    return fail(diagnostics, GOAT_UNAVAILABLE, chip.takeError());
  Program program(diagnostics);
  if (GoatStatus status = program.load(kernel->artifact.source, sourceFile,
                                       kernel->artifact.kernel.name))
    return status;
  std::vector<std::string> given;
  llvm::SmallVector<llvm::StringRef> words;
  llvm::StringRef(sizes ? sizes : "").split(words, ' ', -1, false);
  for (llvm::StringRef word : words)
    given.push_back(word.str());
  llvm::Expected<report::Context> context =
      describeSource(program.getFunction(), given);
  if (!context)
    return fail(diagnostics, GOAT_MISMATCH, context.takeError());
  report::Report report =
      report::gather(kernel->artifact, *chip, /*nvdisasm=*/"", *context);
  *result = new GoatString{
      form == "text"
          ? report::writeText(report)
          : llvm::formatv("{0:2}\n", report::writeJSON(report)).str()};
  return GOAT_OK;
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

size_t goatKernelInputCount(const GoatKernel *kernel) {
  return kernel ? kernel->inputs.size() : 0;
}

GoatStatus goatKernelInput(const GoatKernel *kernel, size_t index,
                           GoatParameter *parameter) {
  return kernel ? describe(kernel->inputs, index, parameter)
                : GOAT_INVALID_ARGUMENT;
}

size_t goatKernelOutputCount(const GoatKernel *kernel) {
  return kernel ? kernel->outputs.size() : 0;
}

GoatStatus goatKernelOutput(const GoatKernel *kernel, size_t index,
                            GoatParameter *parameter) {
  return kernel ? describe(kernel->outputs, index, parameter)
                : GOAT_INVALID_ARGUMENT;
}
