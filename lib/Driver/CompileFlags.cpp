//===- CompileFlags.cpp - the flags goatc and goat-run share --------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Command line, opening files, errors.
//
//===----------------------------------------------------------------------===//

#include "CompileFlags.h"

#include "mlir/Support/FileUtilities.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/WithColor.h"

using namespace goat;

void CompileFlags::parse(int argc, char **argv, llvm::StringRef overview) {
  llvm::cl::HideUnrelatedOptions(category);
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &out) {
    out << "GOAT " GOAT_VERSION " with LLVM " LLVM_VERSION_STRING "\n";
  });
  llvm::cl::ParseCommandLineOptions(argc, argv, overview);
}

void CompileFlags::fill(GoatToPTXOptions &options) const {
  options.tileRows = tileRows.getValue();
  options.tileKeys = tileKeys.getValue();
  options.warps = warps.getValue();
  options.stages = stages.getValue();
  options.strip = strip.getValue();
  options.keyTerms = keyTerms.getValue();
  options.maskIndex = maskIndex.getValue();
  options.f32Product = f32Product.getValue();
  options.keySource = keySource.getValue();
  options.loadQ = loadQ.getValue();
}

int goat::reportError(llvm::Error error) {
  llvm::WithColor::error() << llvm::toString(std::move(error)) << "\n";
  return 1;
}

llvm::Error goat::openSource(llvm::SourceMgr &sources, llvm::StringRef path) {
  if (llvm::sys::fs::is_directory(path))
    return llvm::createStringError("expected a file but '" + path +
                                   "' is a directory");
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> buffer =
      mlir::openInputFile(path, &message);
  if (!buffer)
    return llvm::createStringError(message);
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  return llvm::Error::success();
}
