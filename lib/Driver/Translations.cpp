//===- Translations.cpp - what goat-translate can do ----------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last step of the compiler alone: LLVM dialect in, LLVM IR, PTX or
// kernel.json out.
//
//===----------------------------------------------------------------------===//

#include "goat/Driver/Registration.h"
#include "goat/Target/PTX/DescribeKernel.h"
#include "goat/Target/PTX/EmitPTX.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Tools/mlir-translate/Translation.h"

#include "llvm/Support/CommandLine.h"

using namespace mlir;
using namespace goat;

using Emitter = FailureOr<std::string> (*)(Operation *,
                                           const ptx::ChipDescription &);

/// Emits every gpu.module of `op`, or `op` itself when it has none.
static LogicalResult emitModules(Operation *op, llvm::StringRef target,
                                 Emitter emitter, llvm::raw_ostream &output) {
  llvm::Expected<ptx::ChipDescription> chip = ptx::findChip(target);
  if (!chip)
    return op->emitError(llvm::toString(chip.takeError()));
  llvm::SmallVector<Operation *> modules;
  op->walk([&](Operation *nested) {
    if (nested->getName().getStringRef() == "gpu.module")
      modules.push_back(nested);
  });
  if (modules.empty())
    modules.push_back(op);
  for (Operation *module : modules) {
    FailureOr<std::string> text = emitter(module, *chip);
    if (failed(text))
      return failure();
    output << *text;
  }
  return success();
}

static FailureOr<std::string> emitKernelJson(Operation *module,
                                             const ptx::ChipDescription &chip) {
  FailureOr<ptx::Kernel> kernel = ptx::describeKernel(module, chip);
  if (failed(kernel))
    return failure();
  return ptx::writeKernel(*kernel);
}

void goat::registerAllTranslations() {
  static llvm::cl::opt<std::string> target(
      "target", llvm::cl::desc("The chip to emit code for"),
      llvm::cl::init("sm_90"));
  static llvm::cl::opt<bool> lineInfo(
      "line-info",
      llvm::cl::desc("Say in .loc directives which line of the input each PTX "
                     "instruction came from"));
  static TranslateFromMLIRRegistration toLLVMIR(
      "nvvm-to-llvmir",
      "Translate llvm and nvvm ops to optimised LLVM IR for a GPU",
      [](Operation *op, llvm::raw_ostream &output) {
        return emitModules(op, target, ptx::emitLLVMIR, output);
      },
      registerAllDialects);
  static TranslateFromMLIRRegistration toPTX(
      "nvvm-to-ptx", "Translate llvm and nvvm ops to PTX text",
      [](Operation *op, llvm::raw_ostream &output) {
        return emitModules(op, target,
                           lineInfo ? ptx::emitPTXWithLines : ptx::emitPTX,
                           output);
      },
      registerAllDialects);
  static TranslateFromMLIRRegistration toKernelJson(
      "nvvm-to-kernel-json", "Describe how a kernel is launched",
      [](Operation *op, llvm::raw_ostream &output) {
        return emitModules(op, target, emitKernelJson, output);
      },
      registerAllDialects);
}
