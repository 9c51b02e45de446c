//===- Goatc.cpp - the compiler's command line ----------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a file as far as --emit says and writes what is asked for.
//
//===----------------------------------------------------------------------===//

#include "CompileFlags.h"
#include "Report.h"
#include "goat/Driver/Tools.h"
#include "goat/Target/PTX/EmitPTX.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace goat;
namespace cl = llvm::cl;

static constexpr llvm::StringLiteral kinds[] = {
    "goat", "tile", "nvvm", "llvm", "ptx", "cubin", "artifact", "report"};

namespace {

struct Flags : CompileFlags {
  cl::opt<std::string> emit{
      "emit", cl::init("ptx"), cl::value_desc("kind"),
      cl::desc("What to write (default: ptx): goat (the input, parsed and "
               "verified), tile, nvvm, llvm, ptx, cubin, artifact (a "
               "directory), report (what it is made of and costs; the file may "
               "then be PTX)"),
      cl::cat(category)};
  cl::opt<std::string> output{
      "o", cl::init("-"), cl::value_desc("file or directory"),
      cl::desc("Where to write it (default: standard output)"),
      cl::cat(category)};
  ReportFlags report{category};
};

/// One run of goatc. A step that fails has said why.
class Goatc {
public:
  Goatc(Flags &flags, const DialectRegistry &dialects)
      : flags(flags), context(std::make_unique<MLIRContext>(
                          dialects, MLIRContext::Threading::DISABLED)) {
    // A message names its line; a kernel's ten thousand lines do not help.
    context->printOpOnDiagnostic(false);
  }

  llvm::Error run();

private:
  llvm::Error write(llvm::StringRef text);
  llvm::Error emitModule();
  llvm::Error emitArtifacts();
  /// `source` is the text of the file.
  llvm::Error emitReport(llvm::StringRef source);
  llvm::Error writeDirectories(std::vector<ptx::Artifact> &artifacts);

  Flags &flags;
  std::unique_ptr<MLIRContext> context;
  OwningOpRef<ModuleOp> module;
  std::optional<ptx::ChipDescription> chip;
  GoatToPTXOptions options;
};

/// What the diagnostics have said already.
class AlreadyReported : public llvm::ErrorInfo<AlreadyReported> {
public:
  static char ID;
  void log(llvm::raw_ostream &) const override {}
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }
};
char AlreadyReported::ID;

} // namespace

llvm::Error Goatc::write(llvm::StringRef text) {
  std::string message;
  std::unique_ptr<llvm::ToolOutputFile> file =
      openOutputFile(flags.output, &message);
  if (!file)
    return llvm::createStringError(message);
  file->os() << text;
  file->keep();
  return llvm::Error::success();
}

/// The kinds that are MLIR text.
llvm::Error Goatc::emitModule() {
  FailureOr<std::string> text = emitText(*module, flags.emit, *chip, options);
  if (failed(text))
    return llvm::make_error<AlreadyReported>();
  return write(*text);
}

llvm::Error Goatc::writeDirectories(std::vector<ptx::Artifact> &artifacts) {
  if (flags.output == "-")
    return llvm::createStringError(
        "an artifact is a directory; name it with -o DIRECTORY");
  for (ptx::Artifact &artifact : artifacts) {
    llvm::Expected<std::vector<ptx::EntryResources>> resources =
        addCubin(artifact);
    if (!resources)
      llvm::WithColor::note()
          << "no cubin: " << llvm::toString(resources.takeError()) << "\n";
    llvm::SmallString<128> directory(flags.output.getValue());
    if (artifacts.size() > 1)
      llvm::sys::path::append(directory, artifact.kernel.name);
    if (llvm::Error error = ptx::writeArtifact(artifact, directory))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error Goatc::emitReport(llvm::StringRef source) {
  llvm::StringMap<report::Context> contexts;
  for (func::FuncOp function : module->getOps<func::FuncOp>()) {
    llvm::Expected<report::Context> context =
        describeSource(function, flags.report.sizes);
    if (!context)
      return context.takeError();
    contexts[function.getSymName()] = std::move(*context);
  }
  Provenance provenance;
  FailureOr<std::vector<ptx::Artifact>> artifacts =
      compileToArtifacts(*module, *chip, options, &provenance);
  if (failed(artifacts))
    return llvm::make_error<AlreadyReported>();
  std::vector<report::Report> reports;
  for (auto [index, artifact] : llvm::enumerate(*artifacts)) {
    report::Context &context = contexts[artifact.kernel.name];
    context.origin = {source.str(), provenance.tile, provenance.sourceLines,
                      provenance.ptx[index]};
    reports.push_back(
        report::gather(artifact, *chip, flags.report.nvdisasm, context));
    if (flags.report.hasListing())
      reports.back().listing = report::annotate(*context.origin);
  }
  return write(writeReports(reports, flags.report));
}

llvm::Error Goatc::emitArtifacts() {
  FailureOr<std::vector<ptx::Artifact>> artifacts =
      compileToArtifacts(*module, *chip, options);
  if (failed(artifacts))
    return llvm::make_error<AlreadyReported>();
  if (flags.emit == "artifact")
    return writeDirectories(*artifacts);
  std::string names =
      llvm::join(llvm::map_range(*artifacts,
                                 [](const ptx::Artifact &artifact) {
                                   return "'" + artifact.kernel.name + "'";
                                 }),
                 ", ");
  if (artifacts->size() != 1)
    return llvm::createStringError(
        "expected one kernel for --emit=" + flags.emit + " but got " + names +
        "; choose one with --function=NAME, or write all with --emit=artifact");
  ptx::Artifact &artifact = artifacts->front();
  if (flags.emit == "ptx")
    return write(artifact.ptx);
  if (flags.emit == "llvm") {
    FailureOr<std::string> text =
        ptx::emitLLVMIR(&module->getBody()->front(), *chip);
    if (failed(text))
      return llvm::make_error<AlreadyReported>();
    return write(*text);
  }
  if (flags.output == "-")
    return llvm::createStringError("a cubin is not text; name a file with -o");
  llvm::Expected<std::vector<ptx::EntryResources>> resources =
      addCubin(artifact);
  if (!resources)
    return resources.takeError();
  return write(artifact.cubin);
}

llvm::Error Goatc::run() {
  if (!llvm::is_contained(kinds, flags.emit))
    return llvm::createStringError(
        "expected --emit to be one of " +
        llvm::join(llvm::ArrayRef<llvm::StringLiteral>(kinds), ", ") +
        " but got '" + flags.emit + "'");
  llvm::Expected<ptx::ChipDescription> found = ptx::findChip(flags.target);
  if (!found)
    return found.takeError();
  chip = *found;
  flags.fill(options);
  if (llvm::Error error = flags.report.check(flags.emit == "report"))
    return error;

  auto sources = std::make_shared<llvm::SourceMgr>();
  if (llvm::Error error = openSource(*sources, flags.input))
    return error;
  llvm::StringRef text =
      sources->getMemoryBuffer(sources->getMainFileID())->getBuffer();
  if (isPTX(text)) {
    if (flags.emit != "report")
      return llvm::createStringError("expected an MLIR file to compile but got "
                                     "PTX; --emit=report takes either");
    llvm::Expected<report::Report> report = reportOnPTX(
        text, flags.target.getNumOccurrences() ? flags.target.getValue() : "",
        flags.report);
    if (!report)
      return report.takeError();
    return write(writeReports(*report, flags.report));
  }
  SourceMgrDiagnosticHandler handler(*sources, context.get());
  module = parseSource(*sources, context.get());
  if (!module)
    return llvm::make_error<AlreadyReported>();
  if (!flags.function.empty()) {
    llvm::Expected<func::FuncOp> chosen = findFunction(*module, flags.function);
    if (!chosen)
      return chosen.takeError();
    for (func::FuncOp function :
         llvm::make_early_inc_range(module->getOps<func::FuncOp>()))
      if (function != *chosen)
        function.erase();
  }
  if (flags.emit == "goat" || flags.emit == "tile" || flags.emit == "nvvm")
    return emitModule();
  return flags.emit == "report" ? emitReport(text) : emitArtifacts();
}

int goat::goatcMain(int argc, char **argv, const DialectRegistry &dialects) {
  Flags flags;
  flags.parse(argc, argv, "goatc: compiles attention layers to GPU kernels\n");
  llvm::Error error = Goatc(flags, dialects).run();
  if (!error)
    return 0;
  if (error.isA<AlreadyReported>()) {
    llvm::consumeError(std::move(error));
    return 1;
  }
  return reportError(std::move(error));
}
