//===- Compiler.cpp - from a file to artifacts ----------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parsing with names, running pipelines, collecting artifacts.
//
//===----------------------------------------------------------------------===//

#include "goat/Driver/Compiler.h"

#include "goat/Target/PTX/DescribeKernel.h"
#include "goat/Target/PTX/EmitPTX.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/LocationSnapshot.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace goat;

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

/// The name at `range` without its percent sign; empty for a number.
static llvm::StringRef nameAt(llvm::SMRange range) {
  if (!range.isValid())
    return {};
  llvm::StringRef text(range.Start.getPointer(),
                       range.End.getPointer() - range.Start.getPointer());
  text.consume_front("%");
  return llvm::all_of(text, llvm::isDigit) ? llvm::StringRef() : text;
}

/// The name of a result as the text has it; empty when it has none.
static std::string nameOfResult(OpResult result, const AsmParserState &state) {
  const AsmParserState::OperationDefinition *definition =
      state.getOpDef(result.getOwner());
  if (!definition)
    return {};
  // A group of several results has one name: %r:2.
  unsigned start = 0, groups = 0;
  llvm::StringRef name;
  for (const auto &group : definition->resultGroups) {
    if (group.startIndex > result.getResultNumber())
      break;
    start = group.startIndex;
    name = nameAt(group.definition.loc);
    ++groups;
  }
  unsigned end = groups < definition->resultGroups.size()
                     ? definition->resultGroups[groups].startIndex
                     : result.getOwner()->getNumResults();
  if (name.empty() || end - start == 1)
    return name.str();
  return (name + "_" + llvm::Twine(result.getResultNumber() - start)).str();
}

static void addNames(func::FuncOp function, const AsmParserState &state) {
  if (function.isExternal())
    return;
  Builder builder(function.getContext());
  if (const auto *entry = state.getBlockDef(&function.front()))
    for (auto [index, argument] : llvm::enumerate(entry->arguments)) {
      llvm::StringRef name = nameAt(argument.loc);
      if (!name.empty() && !function.getArgAttr(index, "goat.name"))
        function.setArgAttr(index, "goat.name", builder.getStringAttr(name));
    }
  Operation *terminator = function.front().getTerminator();
  for (auto [index, value] : llvm::enumerate(terminator->getOperands()))
    if (auto result = dyn_cast<OpResult>(value)) {
      std::string name = nameOfResult(result, state);
      if (!name.empty() && !function.getResultAttr(index, "goat.name"))
        function.setResultAttr(index, "goat.name", builder.getStringAttr(name));
    }
}

OwningOpRef<ModuleOp> goat::parseSource(llvm::SourceMgr &sources,
                                        MLIRContext *context) {
  Block block;
  AsmParserState state;
  ParserConfig config(context);
  const llvm::MemoryBuffer *buffer =
      sources.getMemoryBuffer(sources.getMainFileID());
  // Bytecode has no names to give.
  if (llvm::StringRef(buffer->getBuffer()).starts_with("ML\xefR"))
    return parseSourceFile<ModuleOp>(sources, config);
  if (failed(parseAsmSourceFile(sources, &block, config, &state)))
    return nullptr;
  auto location =
      FileLineColLoc::get(context, buffer->getBufferIdentifier(), 0, 0);
  OwningOpRef<ModuleOp> module =
      mlir::detail::constructContainerOpForParserIfNecessary<ModuleOp>(
          &block, context, location);
  if (module)
    module->walk([&](func::FuncOp function) { addNames(function, state); });
  return module;
}

llvm::Expected<func::FuncOp> goat::findFunction(ModuleOp module,
                                                llvm::StringRef name) {
  llvm::SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
  std::string known = llvm::join(
      llvm::map_range(functions,
                      [](func::FuncOp function) {
                        return "'" + function.getSymName().str() + "'";
                      }),
      ", ");
  if (functions.empty())
    return llvm::createStringError("expected a function but the file has none");
  if (name.empty() && functions.size() == 1)
    return functions.front();
  if (name.empty())
    return llvm::createStringError("expected one function but got " + known +
                                   "; choose one with --function=NAME");
  for (func::FuncOp function : functions)
    if (function.getSymName() == name)
      return function;
  return llvm::createStringError("expected one of the functions " + known +
                                 " but got '" + name + "'");
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

LogicalResult goat::runPasses(ModuleOp module,
                              llvm::function_ref<void(OpPassManager &)> build) {
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  build(passes);
  return passes.run(module);
}

/// The line that `location` names first, 0 if it names none.
static int lineOf(Location location) {
  int line = 0;
  location->walk([&](Location part) {
    if (auto position = dyn_cast<FileLineColLoc>(part)) {
      line = position.getLine();
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return line;
}

/// The tile IR as text, whose lines are the locations of what is lowered from
/// it. What is said of a line is said at the place in the source.
class TileText {
public:
  explicit TileText(MLIRContext *context)
      : handler(context, [this](Diagnostic &said) { return sayAgain(said); }) {}

  /// Prints `module`, makes every location the operation's place in that text
  /// and notes which line of the source it stood for.
  void record(ModuleOp module, Provenance &provenance);

private:
  Location sourceOf(Location location) const;
  LogicalResult sayAgain(Diagnostic &said);

  static constexpr llvm::StringLiteral fileName = "tile.mlir";
  /// By line, from 1.
  llvm::DenseMap<int, Location> sources;
  ScopedDiagnosticHandler handler;
};

void TileText::record(ModuleOp module, Provenance &provenance) {
  llvm::DenseMap<Operation *, Location> before;
  module.walk([&](Operation *op) { before.insert({op, op->getLoc()}); });
  llvm::raw_string_ostream stream(provenance.tile);
  generateLocationsFromIR(stream, fileName, module, OpPrintingFlags());
  provenance.sourceLines.assign(
      llvm::StringRef(provenance.tile).count('\n') + 1, 0);
  module.walk([&](Operation *op) {
    const int line = lineOf(op->getLoc());
    if (line <= 0 || size_t(line) > provenance.sourceLines.size())
      return;
    Location source = before.at(op);
    provenance.sourceLines[line - 1] = lineOf(source);
    sources.insert_or_assign(line, source);
  });
}

Location TileText::sourceOf(Location location) const {
  auto position = dyn_cast<FileLineColLoc>(location);
  if (!position || position.getFilename() != fileName)
    return location;
  auto found = sources.find(position.getLine());
  return found == sources.end() ? location : found->second;
}

LogicalResult TileText::sayAgain(Diagnostic &said) {
  Location source = sourceOf(said.getLocation());
  if (source == said.getLocation())
    return failure();
  InFlightDiagnostic again =
      source.getContext()->getDiagEngine().emit(source, said.getSeverity());
  again << said.str();
  for (Diagnostic &note : said.getNotes())
    again.attachNote(sourceOf(note.getLocation())) << note.str();
  return success();
}

FailureOr<std::vector<ptx::Artifact>>
goat::compileToArtifacts(ModuleOp module, const ptx::ChipDescription &chip,
                         const GoatToPTXOptions &options,
                         Provenance *provenance) {
  if (module.getBody()->empty())
    return module.emitError("expected a function to compile but the file has "
                            "none");
  llvm::StringMap<std::string> texts;
  for (auto function : module.getOps<func::FuncOp>()) {
    llvm::raw_string_ostream stream(texts[function.getSymName()]);
    function.print(stream);
    stream << "\n";
  }
  if (failed(runPasses(module, [&](OpPassManager &passes) {
        buildGoatToGoatTile(passes, options, chip.name);
      })))
    return failure();
  std::optional<TileText> tile;
  if (provenance) {
    tile.emplace(module.getContext());
    tile->record(module, *provenance);
  }
  if (failed(runPasses(module, buildGoatTileToNVVM)))
    return failure();
  std::vector<ptx::Artifact> artifacts;
  for (Operation &op : *module.getBody()) {
    // A schedule leaves a gpu.module of the function's name for each function.
    auto name = op.getAttrOfType<StringAttr>("sym_name");
    if (op.getName().getStringRef() != "gpu.module" || !name ||
        !texts.count(name.getValue()))
      return op.emitError("expected the schedules to leave nothing but kernels "
                          "but got this op");
    FailureOr<ptx::Kernel> kernel = ptx::describeKernel(&op, chip);
    if (failed(kernel))
      return failure();
    FailureOr<std::string> text = ptx::emitPTX(&op, chip);
    if (failed(text))
      return failure();
    if (provenance) {
      FailureOr<std::string> lines = ptx::emitPTXWithLines(&op, chip);
      if (failed(lines))
        return failure();
      provenance->ptx.push_back(std::move(*lines));
    }
    artifacts.push_back(
        {std::move(*kernel), std::move(*text), "", texts[name.getValue()]});
  }
  return std::move(artifacts);
}

FailureOr<std::string> goat::emitText(ModuleOp module, llvm::StringRef kind,
                                      const ptx::ChipDescription &chip,
                                      const GoatToPTXOptions &options) {
  if (kind == "ptx" || kind == "llvm") {
    FailureOr<std::vector<ptx::Artifact>> artifacts =
        compileToArtifacts(module, chip, options);
    if (failed(artifacts))
      return failure();
    if (kind == "llvm")
      return ptx::emitLLVMIR(&module.getBody()->front(), chip);
    return std::move(artifacts->front().ptx);
  }
  if (kind != "goat" && failed(runPasses(module, [&](OpPassManager &passes) {
        buildGoatToGoatTile(passes, options, chip.name);
        if (kind == "nvvm")
          buildGoatTileToNVVM(passes);
      })))
    return failure();
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  stream << "\n";
  return text;
}

llvm::Expected<std::vector<ptx::EntryResources>>
goat::addCubin(ptx::Artifact &artifact) {
  llvm::Expected<std::string> ptxas = ptx::findPtxas();
  if (!ptxas)
    return ptxas.takeError();
  llvm::Expected<ptx::Assembly> assembly =
      ptx::assemble(*ptxas, artifact.ptx, artifact.kernel.target);
  if (!assembly)
    return assembly.takeError();
  artifact.cubin = std::move(assembly->cubin);
  artifact.kernel.cubin = "kernel." + artifact.kernel.target + ".cubin";
  return std::move(assembly->entries);
}
