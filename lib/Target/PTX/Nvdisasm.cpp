//===- Nvdisasm.cpp - NVIDIA's disassembler, where there is one -----------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds nvdisasm and runs it on a temporary file.
//
//===----------------------------------------------------------------------===//

#include "goat/Target/PTX/Nvdisasm.h"

#include "ToolkitProgram.h"

#include "llvm/ADT/StringExtras.h"

using namespace goat::ptx;

llvm::Expected<std::string> goat::ptx::findNvdisasm() {
  return findToolkitProgram("nvdisasm", "GOAT_NVDISASM",
                            "install the PyPI package nvidia-cuda-nvdisasm and "
                            "name the program in GOAT_NVDISASM or --nvdisasm");
}

llvm::Expected<std::string> goat::ptx::disassemble(llvm::StringRef nvdisasm,
                                                   llvm::StringRef cubin) {
  TemporaryFile binary, output;
  if (llvm::Error error = binary.create("cubin", cubin))
    return std::move(error);
  if (llvm::Error error = output.create("sass"))
    return std::move(error);
  std::string message;
  const bool succeeded =
      runProgram({nvdisasm, "-c", "-g", binary.path()}, output, message);
  std::string text = output.read();
  if (!succeeded)
    return llvm::createStringError("nvdisasm refused the cubin: " + message +
                                   text);
  return text;
}

std::string goat::ptx::toolkitVersion(llvm::StringRef path) {
  TemporaryFile output;
  if (llvm::Error error = output.create("log")) {
    llvm::consumeError(std::move(error));
    return "";
  }
  std::string message;
  if (!runProgram({path, "--version"}, output, message))
    return "";
  // "Cuda compilation tools, release 13.0, V13.0.88"
  std::string text = output.read();
  llvm::StringRef version = llvm::StringRef(text).rsplit(", V").second;
  return version.take_while([](char c) { return llvm::isDigit(c) || c == '.'; })
      .str();
}
