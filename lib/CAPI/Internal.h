//===- Internal.h - what stands behind the handles --------------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The structs that goat-c/Goat.h only names, and the steps its functions share.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_CAPI_INTERNAL_H
#define GOAT_LIB_CAPI_INTERNAL_H

#include "goat-c/Goat.h"
#include "goat/Driver/Compiler.h"
#include "goat/Runtime/Runner.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <map>
#include <memory>

struct GoatString {
  std::string text;
};

struct GoatDiagnostics {
  struct Entry {
    GoatSeverity severity;
    std::string message, file;
    uint32_t line = 0, column = 0;
  };
  std::vector<Entry> entries;
};

struct GoatOptions {
  std::map<std::string, std::string> values;
};

struct GoatKernel {
  /// Without PTX for a kernel of the reference, whose description has no
  /// variants and no expressions.
  goat::ptx::Artifact artifact;
  /// What each parameter is, sizes known at run time as -1.
  std::vector<goat::ptx::InputSpec> inputs;
  std::vector<goat::ptx::InputSpec> outputs;
  /// Names and contents of the artifact's files.
  std::vector<std::pair<std::string, std::string>> files;

  bool isCompiled() const { return !artifact.ptx.empty(); }
};

struct GoatRun {
  std::vector<goat::runtime::Tensor> inputs;
  goat::runtime::RunResult result;
  /// Of the outputs.
  std::vector<goat::ptx::InputSpec> outputs;
  /// The kernel's program, for what depends on it later; empty for a graph.
  std::string source;
  /// Whether the kernel multiplies f32 in tf32.
  bool isTF32 = false;
};

namespace goat::capi {

/// Appends an error, unless `diagnostics` is null, and returns `status`.
GoatStatus fail(GoatDiagnostics *diagnostics, GoatStatus status,
                const llvm::Twine &message);
GoatStatus fail(GoatDiagnostics *diagnostics, GoatStatus status,
                llvm::Error error);

/// What is said about handles that are null.
GoatStatus refuseNull(GoatDiagnostics *diagnostics, const char *function);

/// A parsed text, one function of it chosen. Whatever its context reports goes
/// to the list of diagnostics while the program lives.
class Program {
public:
  explicit Program(GoatDiagnostics *diagnostics);

  GoatStatus parse(llvm::StringRef text, llvm::StringRef name);
  /// Parses, and chooses `function`, or the only one where that is empty.
  GoatStatus load(llvm::StringRef text, llvm::StringRef name,
                  llvm::StringRef function);
  /// Finds the chip that `options` name, parses, and chooses their function.
  GoatStatus load(llvm::StringRef text, llvm::StringRef name,
                  const GoatOptions *options,
                  std::optional<ptx::ChipDescription> &chip);

  mlir::ModuleOp getModule() { return *module; }
  mlir::func::FuncOp getFunction() { return function; }
  /// A module that holds nothing but a copy of the function.
  mlir::OwningOpRef<mlir::ModuleOp> isolate();

private:
  GoatDiagnostics *diagnostics;
  mlir::MLIRContext context;
  mlir::ScopedDiagnosticHandler handler;
  llvm::SourceMgr sources;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
};

/// `value` of `key`, or `otherwise`; `options` may be null.
llvm::StringRef optionOr(const GoatOptions *options, llvm::StringRef key,
                         llvm::StringRef otherwise);

/// Those of `options` that are the pipeline's.
void fill(const GoatOptions *options, GoatToPTXOptions &pipeline);

/// "f16" and the like; "unknown" for a number that is no GoatDType.
llvm::StringRef nameOf(GoatDType dtype);
std::optional<GoatDType> parseDType(llvm::StringRef name);

/// A parameter as the interface describes it; its name lives in `spec`. False
/// when it has more than GOAT_MAX_RANK dimensions, or a type that the interface
/// has no name for.
bool describe(const ptx::InputSpec &spec, GoatParameter &parameter);

/// The parameters and results of a function, as its types have them.
llvm::Error describeFunction(mlir::func::FuncOp function,
                             std::vector<ptx::InputSpec> &inputs,
                             std::vector<ptx::InputSpec> &outputs);

/// Refuses a number that is no runner.
GoatStatus checkRunner(GoatRunner runner, GoatDiagnostics *diagnostics);

/// Reads the caller's tensors, or says which of them does not fit `specs`;
/// `name` is whose inputs they are.
GoatStatus takeInputs(llvm::ArrayRef<ptx::InputSpec> specs,
                      llvm::StringRef name, const GoatTensor *inputs,
                      size_t inputCount, std::vector<runtime::Tensor> &taken,
                      GoatDiagnostics *diagnostics);

/// Gives the caller a run whose result is filled, and its findings.
GoatStatus finish(std::unique_ptr<GoatRun> made, GoatRun **run,
                  GoatDiagnostics *diagnostics);

} // namespace goat::capi

#endif // GOAT_LIB_CAPI_INTERNAL_H
