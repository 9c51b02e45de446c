//===- Program.cpp - a text, parsed ---------------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every call has a context of its own, so that calls share nothing.
//
//===----------------------------------------------------------------------===//

#include "Internal.h"

#include "goat/Driver/Registration.h"

#include "mlir/IR/BuiltinOps.h"

using namespace goat;
using namespace goat::capi;
using namespace mlir;

static GoatSeverity severityOf(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return GOAT_NOTE;
  case DiagnosticSeverity::Warning:
    return GOAT_WARNING;
  case DiagnosticSeverity::Error:
    return GOAT_ERROR;
  case DiagnosticSeverity::Remark:
    return GOAT_REMARK;
  }
  return GOAT_ERROR;
}

static void append(GoatDiagnostics &list, Diagnostic &diagnostic) {
  GoatDiagnostics::Entry entry{severityOf(diagnostic.getSeverity()),
                               diagnostic.str(), ""};
  diagnostic.getLocation()->walk([&](Location part) {
    auto place = dyn_cast<FileLineColLoc>(part);
    if (!place)
      return WalkResult::advance();
    entry.file = place.getFilename().str();
    entry.line = place.getLine();
    entry.column = place.getColumn();
    return WalkResult::interrupt();
  });
  list.entries.push_back(std::move(entry));
  for (Diagnostic &note : diagnostic.getNotes())
    append(list, note);
}

static const DialectRegistry &dialects() {
  static const DialectRegistry registry = [] {
    DialectRegistry filled;
    registerAllDialects(filled);
    return filled;
  }();
  return registry;
}

Program::Program(GoatDiagnostics *diagnostics)
    : diagnostics(diagnostics),
      context(dialects(), MLIRContext::Threading::DISABLED),
      handler(&context, [diagnostics](Diagnostic &diagnostic) {
        if (diagnostics)
          append(*diagnostics, diagnostic);
        return success();
      }) {
  context.printOpOnDiagnostic(false);
}

GoatStatus Program::parse(llvm::StringRef text, llvm::StringRef name) {
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, name),
                             llvm::SMLoc());
  module = parseSource(sources, &context);
  return module ? GOAT_OK : GOAT_PARSE_ERROR;
}

GoatStatus Program::load(llvm::StringRef text, llvm::StringRef name,
                         llvm::StringRef chosen) {
  if (GoatStatus status = parse(text, name))
    return status;
  llvm::Expected<func::FuncOp> found = findFunction(*module, chosen);
  if (!found)
    return fail(diagnostics, GOAT_PARSE_ERROR, found.takeError());
  function = *found;
  if (function.isExternal())
    return fail(diagnostics, GOAT_PARSE_ERROR,
                "expected '" + function.getSymName() + "' to have a body");
  return GOAT_OK;
}

GoatStatus Program::load(llvm::StringRef text, llvm::StringRef name,
                         const GoatOptions *options,
                         std::optional<ptx::ChipDescription> &chip) {
  llvm::Expected<ptx::ChipDescription> found =
      ptx::findChip(optionOr(options, "target", "sm_90"));
  if (!found)
    return fail(diagnostics, GOAT_INVALID_ARGUMENT, found.takeError());
  chip = *found;
  return load(text, name, optionOr(options, "function", ""));
}

OwningOpRef<ModuleOp> Program::isolate() {
  OwningOpRef<ModuleOp> copy = ModuleOp::create(function.getLoc());
  copy->getBody()->push_back(function->clone());
  return copy;
}
