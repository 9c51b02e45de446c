//===- Compiler.h - from a file to artifacts --------------------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tools and bindings call to compile: parse, run the pipelines, emit.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_DRIVER_COMPILER_H
#define GOAT_DRIVER_COMPILER_H

#include "goat/Pipelines/GoatToPTX.h"
#include "goat/Report/Report.h"
#include "goat/Target/PTX/Artifact.h"
#include "goat/Target/PTX/Chips.h"
#include "goat/Target/PTX/Ptxas.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/Support/SourceMgr.h"

namespace goat {

/// Parses and verifies the main file of `sources`. Parameters and results of
/// functions that have no goat.name get the names they have in the text, but
/// for numbers: `%query` becomes "query". Errors are diagnostics.
mlir::OwningOpRef<mlir::ModuleOp> parseSource(llvm::SourceMgr &sources,
                                              mlir::MLIRContext *context);

/// The function called `name`, or the only one when `name` is empty. The error
/// lists the names.
llvm::Expected<mlir::func::FuncOp> findFunction(mlir::ModuleOp module,
                                                llvm::StringRef name);

/// Runs a pipeline on `module`; errors are diagnostics.
mlir::LogicalResult
runPasses(mlir::ModuleOp module,
          llvm::function_ref<void(mlir::OpPassManager &)> build);

/// Where the PTX of a module came from, for listings.
struct Provenance {
  /// The module on tiles, as text.
  std::string tile;
  /// For each line of `tile`, the line of the source that it was made from;
  /// 0 for none.
  std::vector<int> sourceLines;
  /// For each artifact, its PTX with .loc directives whose lines are those of
  /// `tile`.
  std::vector<std::string> ptx;
};

/// Compiles every function of `module`, in its order, down to llvm and nvvm
/// ops, which `module` holds afterwards, and to an artifact without a cubin.
/// Errors are diagnostics. Fills `provenance` where one is given.
mlir::FailureOr<std::vector<ptx::Artifact>>
compileToArtifacts(mlir::ModuleOp module, const ptx::ChipDescription &chip,
                   const GoatToPTXOptions &options,
                   Provenance *provenance = nullptr);

/// The text of `kind`, one of those that goatc writes as one text: goat, tile,
/// nvvm (MLIR), llvm and ptx, of which the last two take a module with one
/// function. The passes run on `module`. Errors are diagnostics.
mlir::FailureOr<std::string> emitText(mlir::ModuleOp module,
                                      llvm::StringRef kind,
                                      const ptx::ChipDescription &chip,
                                      const GoatToPTXOptions &options);

/// What a report has to be told about `function` before it is compiled. `sizes`
/// has entries NAME=N, the dynamic sizes at which formulas are evaluated.
llvm::Expected<report::Context>
describeSource(mlir::func::FuncOp function, llvm::ArrayRef<std::string> sizes);

/// Assembles the PTX of `artifact`, adds the cubin to it and returns what ptxas
/// says about the entries.
llvm::Expected<std::vector<ptx::EntryResources>>
addCubin(ptx::Artifact &artifact);

} // namespace goat

#endif // GOAT_DRIVER_COMPILER_H
