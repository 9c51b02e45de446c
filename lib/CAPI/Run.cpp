//===- Run.cpp - kernels on the caller's tensors --------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes tensors in, hands them to a runner, gives outputs back.
//
//===----------------------------------------------------------------------===//

#include "Internal.h"

#include "goat/Runtime/Comparison.h"

#include "llvm/Support/FormatVariadic.h"

#include <cstring>

using namespace goat;
using namespace goat::capi;
using runtime::Tensor;

static constexpr std::pair<GoatDType, llvm::StringLiteral> dtypes[] = {
    {GOAT_F16, "f16"}, {GOAT_BF16, "bf16"}, {GOAT_F32, "f32"},
    {GOAT_I32, "i32"}, {GOAT_F64, "f64"},   {GOAT_I1, "i1"},
    {GOAT_I8, "i8"},   {GOAT_I64, "i64"}};

llvm::StringRef goat::capi::nameOf(GoatDType dtype) {
  for (const auto &[known, name] : dtypes)
    if (known == dtype)
      return name;
  return "unknown";
}

std::optional<GoatDType> goat::capi::parseDType(llvm::StringRef name) {
  for (const auto &[dtype, known] : dtypes)
    if (known == name)
      return dtype;
  return std::nullopt;
}

/// Nothing for F64, which no parameter has.
static std::optional<ptx::DType> parameterType(GoatDType dtype) {
  return ptx::parseDType(nameOf(dtype));
}

static int64_t bytesOf(GoatDType dtype) {
  std::optional<ptx::DType> type = parameterType(dtype);
  return type ? ptx::dtypeBytes(*type) : sizeof(double);
}

/// Calls `visit` with the address of each element, in row-major order.
static void forEachElement(const GoatTensor &tensor,
                           llvm::function_ref<void(char *)> visit) {
  const int64_t width = bytesOf(tensor.dtype);
  llvm::SmallVector<int64_t> strides(tensor.rank, 1);
  for (int axis = tensor.rank - 2; axis >= 0; --axis)
    strides[axis] = strides[axis + 1] * tensor.shape[axis + 1];
  if (tensor.strides)
    strides.assign(tensor.strides, tensor.strides + tensor.rank);
  int64_t count = 1;
  for (int axis = 0; axis < tensor.rank; ++axis)
    count *= tensor.shape[axis];
  llvm::SmallVector<int64_t> index(tensor.rank, 0);
  int64_t offset = 0;
  for (int64_t i = 0; i < count; ++i) {
    visit(static_cast<char *>(tensor.data) + offset * width);
    for (int axis = tensor.rank - 1; axis >= 0; --axis) {
      offset += strides[axis];
      if (++index[axis] < tensor.shape[axis])
        break;
      offset -= strides[axis] * index[axis];
      index[axis] = 0;
    }
  }
}

/// What is wrong with a tensor of the caller's for `spec`; empty for nothing.
static std::string faultOf(const GoatTensor &tensor, llvm::StringRef name,
                           ptx::DType dtype) {
  // Floats are rounded to the parameter's; integers have to be its own.
  llvm::StringRef wanted = ptx::dtypeName(dtype), given = nameOf(tensor.dtype);
  if (wanted.starts_with("i")
          ? given != wanted
          : given != "f64" && !given.contains("f16") && given != "f32")
    return llvm::formatv(
        "expected '{0}' of type {1} but got {2}", name,
        wanted.starts_with("i") ? wanted : "f16, bf16, f32 or f64", given);
  if (tensor.rank < 0 || tensor.rank > GOAT_MAX_RANK)
    return llvm::formatv("expected '{0}' of rank 0 to {1} but got {2}", name,
                         GOAT_MAX_RANK, tensor.rank);
  if (tensor.rank > 0 && !tensor.shape)
    return llvm::formatv("expected the shape of '{0}' not to be NULL", name);
  llvm::ArrayRef<int64_t> shape(tensor.shape, tensor.rank);
  if (!runtime::isReasonable(shape))
    return llvm::formatv("expected at most {0} elements of '{1}' but got {2}",
                         runtime::maxElements, name,
                         runtime::shapeString(shape));
  if (reference::numElements(shape) > 0 && !tensor.data)
    return llvm::formatv("expected the data of '{0}' not to be NULL", name);
  return "";
}

/// What is wrong with a tensor for an input; empty for nothing. Only then may
/// its elements be read.
static std::string faultOf(const GoatTensor &tensor,
                           const ptx::InputSpec &spec) {
  std::string fault = faultOf(tensor, spec.name, spec.dtype);
  if (!fault.empty())
    return fault;
  llvm::ArrayRef<int64_t> shape(tensor.shape, tensor.rank);
  bool fits = shape.size() == spec.shape.size();
  std::string wanted;
  for (auto [axis, size] : llvm::enumerate(spec.shape)) {
    fits = fits && (!size || *size == shape[axis]);
    wanted += (axis ? "x" : "") + (size ? std::to_string(*size) : "?");
  }
  if (fits)
    return "";
  if (wanted.empty())
    wanted = "scalar";
  return llvm::formatv("expected input '{0}' of shape {1} but got {2}",
                       spec.name, wanted, runtime::shapeString(shape));
}

/// `tensor` as a parameter of type `dtype` holds it.
static Tensor takeIn(const GoatTensor &tensor, ptx::DType dtype) {
  Tensor result;
  result.shape.assign(tensor.shape, tensor.shape + tensor.rank);
  const int64_t width = bytesOf(tensor.dtype);
  std::vector<uint8_t> bytes;
  bytes.reserve(reference::numElements(result.shape) * width);
  forEachElement(tensor, [&](char *element) {
    bytes.insert(bytes.end(), element, element + width);
  });
  std::optional<ptx::DType> type = parameterType(tensor.dtype);
  if (type) {
    result = runtime::unpack(bytes, *type, result.shape);
  } else {
    result.data.resize(bytes.size() / width);
    std::memcpy(result.data.data(), bytes.data(), bytes.size());
  }
  if (type != dtype)
    for (double &value : result.data)
      value = runtime::roundTo(dtype, value);
  return result;
}

GoatStatus goat::capi::checkRunner(GoatRunner runner,
                                   GoatDiagnostics *diagnostics) {
  if (runner == GOAT_ON_REFERENCE || runner == GOAT_ON_SIM)
    return GOAT_OK;
  return fail(diagnostics, GOAT_INVALID_ARGUMENT,
              "expected a runner GOAT_ON_REFERENCE or GOAT_ON_SIM but got " +
                  llvm::Twine(int(runner)));
}

GoatStatus goat::capi::takeInputs(llvm::ArrayRef<ptx::InputSpec> specs,
                                  llvm::StringRef name,
                                  const GoatTensor *inputs, size_t inputCount,
                                  std::vector<Tensor> &taken,
                                  GoatDiagnostics *diagnostics) {
  if (inputCount != specs.size())
    return fail(diagnostics, GOAT_MISMATCH,
                llvm::formatv("expected {0} inputs of '{1}' but got {2}",
                              specs.size(), name, inputCount));
  for (auto [spec, tensor] :
       llvm::zip(specs, llvm::ArrayRef(inputs, inputCount))) {
    std::string fault = faultOf(tensor, spec);
    if (!fault.empty())
      return fail(diagnostics, GOAT_MISMATCH, fault);
    taken.push_back(takeIn(tensor, spec.dtype));
  }
  return GOAT_OK;
}

GoatStatus goat::capi::finish(std::unique_ptr<GoatRun> made, GoatRun **run,
                              GoatDiagnostics *diagnostics) {
  for (auto [spec, output] : llvm::zip(made->outputs, made->result.outputs))
    spec.shape.assign(output.shape.begin(), output.shape.end());
  for (const std::string &finding : made->result.findings)
    fail(diagnostics, GOAT_FINDINGS, finding);
  const bool isClean = made->result.findings.empty();
  *run = made.release();
  return isClean ? GOAT_OK : GOAT_FINDINGS;
}

GoatStatus goatKernelRun(const GoatKernel *kernel, GoatRunner runner,
                         const GoatTensor *inputs, size_t inputCount,
                         uint64_t seed, GoatRun **run,
                         GoatDiagnostics *diagnostics) {
  if (!kernel || !run || (inputCount > 0 && !inputs))
    return refuseNull(diagnostics, "goatKernelRun");
  if (GoatStatus status = checkRunner(runner, diagnostics))
    return status;
  const std::string &name = kernel->artifact.kernel.name;
  if (runner == GOAT_ON_SIM && !kernel->isCompiled())
    return fail(diagnostics, GOAT_UNAVAILABLE,
                "expected a compiled kernel but '" + name +
                    "' is for the reference; compile it for a chip");
  auto made = std::make_unique<GoatRun>();
  if (GoatStatus status = takeInputs(kernel->inputs, name, inputs, inputCount,
                                     made->inputs, diagnostics))
    return status;

  // The reference's errors reach the caller through its result, once.
  Program program(runner == GOAT_ON_REFERENCE ? nullptr : diagnostics);
  std::unique_ptr<runtime::Runner> chosen;
  if (runner == GOAT_ON_REFERENCE) {
    if (GoatStatus status =
            program.load(kernel->artifact.source, "source.mlir", name))
      return fail(diagnostics, status,
                  "cannot read the source of '" + name + "' back");
    chosen = runtime::createReferenceRunner(program.getFunction());
  } else {
    runtime::SimOptions options;
    options.seed = seed;
    chosen = runtime::createSimRunner(kernel->artifact, options);
  }
  llvm::Expected<runtime::RunResult> result =
      chosen->run(made->inputs, [](uint64_t, uint64_t) {});
  if (!result)
    return fail(diagnostics, GOAT_MISMATCH, result.takeError());
  made->result = std::move(*result);
  made->outputs = kernel->outputs;
  made->source = kernel->artifact.source;
  made->isTF32 = runtime::isInTF32(kernel->artifact);
  return finish(std::move(made), run, diagnostics);
}

void goatRunDestroy(GoatRun *run) { delete run; }

size_t goatRunOutputCount(const GoatRun *run) {
  return run ? run->outputs.size() : 0;
}

GoatStatus goatRunOutput(const GoatRun *run, size_t index,
                         GoatParameter *parameter) {
  if (!run || !parameter || index >= run->outputs.size())
    return GOAT_INVALID_ARGUMENT;
  return describe(run->outputs[index], *parameter) ? GOAT_OK : GOAT_UNAVAILABLE;
}

GoatStatus goatRunCopyOutput(const GoatRun *run, size_t index,
                             const GoatTensor *destination,
                             GoatDiagnostics *diagnostics) {
  if (!run || !destination)
    return refuseNull(diagnostics, "goatRunCopyOutput");
  if (index >= run->outputs.size())
    return fail(diagnostics, GOAT_INVALID_ARGUMENT,
                llvm::formatv("expected one of {0} outputs but got number {1}",
                              run->outputs.size(), index));
  const ptx::InputSpec &spec = run->outputs[index];
  const Tensor &output = run->result.outputs[index];
  std::string fault = faultOf(*destination, spec.name, spec.dtype);
  if (fault.empty() &&
      llvm::ArrayRef<int64_t>(output.shape) !=
          llvm::ArrayRef(destination->shape, destination->rank))
    fault = llvm::formatv("expected room for '{0}' of shape {1} but got {2}",
                          spec.name, runtime::shapeString(output.shape),
                          runtime::shapeString(llvm::ArrayRef(
                              destination->shape, destination->rank)));
  if (!fault.empty())
    return fail(diagnostics, GOAT_MISMATCH, fault);
  const int64_t width = bytesOf(destination->dtype);
  std::optional<ptx::DType> type = parameterType(destination->dtype);
  std::vector<uint8_t> packed;
  if (type)
    packed = runtime::pack(output, *type);
  const void *from =
      type ? static_cast<const void *>(packed.data()) : output.data.data();
  const char *next = static_cast<const char *>(from);
  forEachElement(*destination, [&](char *element) {
    std::memcpy(element, next, width);
    next += width;
  });
  return GOAT_OK;
}

size_t goatRunCountCount(const GoatRun *run) {
  return run && run->result.instructions ? run->result.counts.size() + 1 : 0;
}

GoatStatus goatRunCount(const GoatRun *run, size_t index, const char **name,
                        uint64_t *value) {
  if (!name || !value || index >= goatRunCountCount(run))
    return GOAT_INVALID_ARGUMENT;
  if (index == 0) {
    *name = "warp_instructions";
    *value = run->result.instructions;
    return GOAT_OK;
  }
  *name = run->result.counts[index - 1].first.c_str();
  *value = run->result.counts[index - 1].second;
  return GOAT_OK;
}

GoatStatus goatRunCompare(const GoatRun *run, const GoatRun *reference,
                          size_t index, GoatComparison *comparison,
                          GoatDiagnostics *diagnostics) {
  if (!run || !reference || !comparison)
    return refuseNull(diagnostics, "goatRunCompare");
  if (run->source != reference->source)
    return fail(diagnostics, GOAT_MISMATCH,
                "expected two runs of one kernel but got runs of two");
  if (run->source.empty())
    return fail(diagnostics, GOAT_UNAVAILABLE,
                "expected runs of a kernel but got runs of a graph, whose "
                "outputs have no bound; compare them yourself");
  if (index >= run->outputs.size())
    return fail(diagnostics, GOAT_INVALID_ARGUMENT,
                llvm::formatv("expected one of {0} outputs but got number {1}",
                              run->outputs.size(), index));
  const Tensor &actual = run->result.outputs[index];
  const Tensor &expected = reference->result.outputs[index];
  if (actual.shape != expected.shape)
    return fail(diagnostics, GOAT_MISMATCH,
                "expected outputs of one shape but got " +
                    runtime::shapeString(actual.shape) + " and " +
                    runtime::shapeString(expected.shape));
  Program program(diagnostics);
  if (GoatStatus status = program.load(run->source, "source.mlir", ""))
    return status;
  llvm::Expected<runtime::Bounds> bounds =
      runtime::boundsOf(program.getFunction(), index, run->inputs,
                        reference->result.outputs, run->isTF32);
  if (!bounds)
    return fail(diagnostics, GOAT_UNAVAILABLE, bounds.takeError());
  runtime::Comparison found = runtime::compare(actual, expected, *bounds);
  *comparison = {found.relativeL2, found.tolerance, found.maxAbs,
                 found.isWithin};
  return GOAT_OK;
}
