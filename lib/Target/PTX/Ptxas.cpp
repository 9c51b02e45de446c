//===- Ptxas.cpp - NVIDIA's assembler, where there is one -----------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds ptxas, runs it on temporary files and reads its report.
//
//===----------------------------------------------------------------------===//

#include "goat/Target/PTX/Ptxas.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace goat::ptx;

llvm::Expected<std::string> goat::ptx::findPtxas() {
  if (const char *named = std::getenv("GOAT_PTXAS")) {
    if (llvm::sys::fs::can_execute(named))
      return std::string(named);
    return llvm::createStringError(
        llvm::Twine("expected $GOAT_PTXAS to name a program but got '") +
        named + "'");
  }
  if (auto onPath = llvm::sys::findProgramByName("ptxas"))
    return *onPath;
  if (auto inToolkit =
          llvm::sys::findProgramByName("ptxas", {"/usr/local/cuda/bin"}))
    return *inToolkit;
  return llvm::createStringError(
      "ptxas was not found on $PATH nor in /usr/local/cuda/bin; install the "
      "CUDA toolkit or set GOAT_PTXAS to the program");
}

/// The number that stands before `words` in `line`, 0 if there is none.
static int numberBefore(llvm::StringRef line, llvm::StringRef words) {
  size_t at = line.find(words);
  if (at == llvm::StringRef::npos)
    return 0;
  llvm::StringRef before = line.take_front(at).rtrim();
  llvm::StringRef digits = before.take_back(
      before.size() - (before.find_last_not_of("0123456789") + 1));
  int number = 0;
  digits.getAsInteger(10, number);
  return number;
}

std::vector<EntryResources> goat::ptx::parseResources(llvm::StringRef output) {
  std::vector<EntryResources> entries;
  llvm::SmallVector<llvm::StringRef> lines;
  output.split(lines, '\n');
  for (llvm::StringRef line : lines) {
    if (line.contains("Compiling entry function")) {
      entries.push_back({});
      entries.back().entry = line.split('\'').second.split('\'').first.str();
    }
    if (entries.empty())
      continue;
    EntryResources &entry = entries.back();
    if (line.contains("bytes stack frame")) {
      entry.stackBytes = numberBefore(line, "bytes stack frame");
      entry.spillStoreBytes = numberBefore(line, "bytes spill stores");
      entry.spillLoadBytes = numberBefore(line, "bytes spill loads");
    }
    if (line.contains("Used ")) {
      entry.registers = numberBefore(line, "registers");
      entry.staticSharedBytes = numberBefore(line, "bytes smem");
    }
  }
  return entries;
}

llvm::Expected<Assembly> goat::ptx::assemble(llvm::StringRef ptxas,
                                             llvm::StringRef ptx,
                                             llvm::StringRef chip) {
  llvm::SmallString<128> textPath, cubinPath, logPath;
  int textFile;
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("goat", "ptx", textFile, textPath))
    return llvm::createStringError(error, "cannot write a temporary file: %s",
                                   error.message().c_str());
  llvm::FileRemover removeText(textPath);
  llvm::raw_fd_ostream(textFile, /*shouldClose=*/true) << ptx;
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("goat", "cubin", cubinPath))
    return llvm::createStringError(error, "cannot write a temporary file: %s",
                                   error.message().c_str());
  llvm::FileRemover removeCubin(cubinPath);
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("goat", "log", logPath))
    return llvm::createStringError(error, "cannot write a temporary file: %s",
                                   error.message().c_str());
  llvm::FileRemover removeLog(logPath);

  std::string architecture = ("--gpu-name=" + chip).str();
  llvm::StringRef arguments[] = {ptxas,    architecture, "-v",
                                 textPath, "-o",         cubinPath};
  std::string message;
  int status = llvm::sys::ExecuteAndWait(
      ptxas, arguments, std::nullopt,
      {std::nullopt, llvm::StringRef(logPath), llvm::StringRef(logPath)},
      /*SecondsToWait=*/0, /*MemoryLimit=*/0, &message);

  auto log = llvm::MemoryBuffer::getFile(logPath);
  llvm::StringRef said = log ? (*log)->getBuffer() : "";
  if (status != 0)
    return llvm::createStringError("ptxas refused the kernel for " + chip +
                                   ": " + message + said);
  auto cubin = llvm::MemoryBuffer::getFile(cubinPath, /*IsText=*/false);
  if (!cubin)
    return llvm::createStringError("ptxas wrote no cubin: " + said);
  return Assembly{(*cubin)->getBuffer().str(), parseResources(said)};
}
