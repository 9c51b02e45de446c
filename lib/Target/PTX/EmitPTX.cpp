//===- EmitPTX.cpp - PTX text from the LLVM dialect -----------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translation to LLVM IR, LLVM's optimiser, LLVM's NVPTX code generator.
//
//===----------------------------------------------------------------------===//

#include "goat/Target/PTX/EmitPTX.h"

#include "goat/Dialect/GoatTile/IR/GoatTileDialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Target/LLVMIR/LLVMTranslationInterface.h"

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace goat::ptx;

namespace {

/// The attributes of a kernel and its arguments are for the launcher: LLVM is
/// told nothing, and says nothing.
class GoatTileTranslation : public LLVMTranslationDialectInterface {
public:
  using LLVMTranslationDialectInterface::LLVMTranslationDialectInterface;
};

} // namespace

void goat::ptx::registerLLVMTranslations(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *context, goat::tile::GoatTileDialect *dialect) {
        dialect->addInterfaces<GoatTileTranslation>();
      });
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

namespace {

/// Turns LLVM's errors into errors at the module that is being compiled.
class DiagnosticForwarder : public llvm::DiagnosticHandler {
public:
  explicit DiagnosticForwarder(Operation *module) : module(module) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error)
      return true;
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    module->emitError("the NVPTX backend refused this module: ") << text;
    failed = true;
    return true;
  }

  bool failed = false;

private:
  Operation *module;
};

/// One module on its way through LLVM.
class Emission {
public:
  Emission(Operation *op, const ChipDescription &chip) : op(op), chip(chip) {
    auto handler = std::make_unique<DiagnosticForwarder>(op);
    diagnostics = handler.get();
    context.setDiagnosticHandler(std::move(handler));
  }

  LogicalResult translate();
  void optimise();
  FailureOr<std::string> generate();
  std::string print() const;

private:
  Operation *op;
  const ChipDescription &chip;
  llvm::LLVMContext context;
  DiagnosticForwarder *diagnostics;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
};

} // namespace

LogicalResult Emission::translate() {
  static const bool initialised = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)initialised;

  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string message;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return op->emitError("expected an LLVM with the NVPTX target: ") << message;
  machine.reset(target->createTargetMachine(
      triple, chip.name, "+ptx" + std::to_string(chip.ptxVersion), {},
      std::nullopt, std::nullopt, llvm::CodeGenOptLevel::Aggressive));

  module = translateModuleToLLVMIR(op, context);
  if (!module)
    return op->emitError("expected only llvm and nvvm ops that can be "
                         "translated to LLVM IR; run goat-to-ptx's passes "
                         "before this step");
  module->setTargetTriple(triple);
  module->setDataLayout(machine->createDataLayout());
  return success();
}

void Emission::optimise() {
  // Tiles are unrolled already and what is left rolled was left so by a
  // schedule. Neither vectoriser has anything to find that pays on a GPU.
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  tuning.LoopInterleaving = false;
  tuning.LoopUnrolling = false;

  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(machine.get(), tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3)
      .run(*module, modules);
}

FailureOr<std::string> Emission::generate() {
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr,
                                   llvm::CodeGenFileType::AssemblyFile))
    return op->emitError("the NVPTX backend cannot emit text"), failure();
  passes.run(*module);
  if (diagnostics->failed)
    return failure();
  return std::string(text);
}

std::string Emission::print() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, nullptr);
  return text;
}

FailureOr<std::string> goat::ptx::emitLLVMIR(Operation *module,
                                             const ChipDescription &chip) {
  Emission emission(module, chip);
  if (failed(emission.translate()))
    return failure();
  emission.optimise();
  return emission.print();
}

/// A copy of `module` inside a builtin.module, its functions with the debug
/// information that .loc directives need.
static OwningOpRef<ModuleOp> withLines(Operation *module) {
  auto top = ModuleOp::create(module->getLoc());
  top.getBody()->push_back(module->clone());
  LLVM::DIScopeForLLVMFuncOpPassOptions options;
  // Directives only: debug sections, and a target marked for debugging, would
  // make ptxas compile something else.
  options.emissionKind = LLVM::DIEmissionKind::DebugDirectivesOnly;
  PassManager passes(module->getContext());
  passes.addPass(LLVM::createDIScopeForLLVMFuncOpPass(options));
  if (failed(passes.run(top))) {
    top->erase();
    return nullptr;
  }
  return top;
}

FailureOr<std::string> goat::ptx::emitPTX(Operation *module,
                                          const ChipDescription &chip) {
  Emission emission(module, chip);
  if (failed(emission.translate()))
    return failure();
  emission.optimise();
  return emission.generate();
}

FailureOr<std::string>
goat::ptx::emitPTXWithLines(Operation *module, const ChipDescription &chip) {
  OwningOpRef<ModuleOp> copy = withLines(module);
  if (!copy)
    return module->emitError("cannot add lines to this module"), failure();
  return emitPTX(&copy->getBody()->front(), chip);
}
