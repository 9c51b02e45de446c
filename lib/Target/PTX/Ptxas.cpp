//===- Ptxas.cpp - NVIDIA's assembler, where there is one -----------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds ptxas, runs it on temporary files and reads its report.
//
//===----------------------------------------------------------------------===//

#include "goat/Target/PTX/Ptxas.h"

#include "ToolkitProgram.h"

using namespace goat::ptx;

llvm::Expected<std::string> goat::ptx::findPtxas() {
  return findToolkitProgram(
      "ptxas", "GOAT_PTXAS",
      "install the CUDA toolkit or set GOAT_PTXAS to the program");
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
                                             llvm::StringRef chip,
                                             bool keepsLines) {
  TemporaryFile text, cubin, log;
  if (llvm::Error error = text.create("ptx", ptx))
    return std::move(error);
  if (llvm::Error error = cubin.create("cubin"))
    return std::move(error);
  if (llvm::Error error = log.create("log"))
    return std::move(error);

  std::string architecture = ("--gpu-name=" + chip).str();
  std::string message;
  llvm::SmallVector<llvm::StringRef> arguments{
      ptxas, architecture, "-v", text.path(), "-o", cubin.path()};
  if (keepsLines)
    arguments.push_back("--generate-line-info");
  const bool succeeded = runProgram(arguments, log, message);
  std::string said = log.read();
  if (!succeeded)
    return llvm::createStringError("ptxas refused the kernel for " + chip +
                                   ": " + message + said);
  std::string binary = cubin.read();
  if (binary.empty())
    return llvm::createStringError("ptxas wrote no cubin: " + said);
  return Assembly{std::move(binary), parseResources(said)};
}
