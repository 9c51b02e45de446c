//===- ToolkitProgram.cpp - programs of the CUDA toolkit ------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks for a program, writes temporary files and runs it.
//
//===----------------------------------------------------------------------===//

#include "ToolkitProgram.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace goat::ptx;

llvm::Expected<std::string>
goat::ptx::findToolkitProgram(llvm::StringRef program, const char *variable,
                              llvm::StringRef wayOut) {
  if (const char *named = std::getenv(variable)) {
    if (llvm::sys::fs::can_execute(named))
      return std::string(named);
    return llvm::createStringError(llvm::Twine("expected $") + variable +
                                   " to name a program but got '" + named +
                                   "'");
  }
  if (auto onPath = llvm::sys::findProgramByName(program))
    return *onPath;
  if (const char *home = std::getenv("CUDA_HOME")) {
    std::string folder = std::string(home) + "/bin";
    if (auto inHome = llvm::sys::findProgramByName(program, {folder}))
      return *inHome;
  }
  if (auto inToolkit =
          llvm::sys::findProgramByName(program, {"/usr/local/cuda/bin"}))
    return *inToolkit;
  return llvm::createStringError(program +
                                 " was not found on $PATH, in $CUDA_HOME/bin "
                                 "nor in /usr/local/cuda/bin; " +
                                 wayOut);
}

TemporaryFile::~TemporaryFile() {
  if (!name.empty())
    llvm::sys::fs::remove(name);
}

llvm::Error TemporaryFile::create(llvm::StringRef suffix,
                                  llvm::StringRef contents) {
  int file;
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("goat", suffix, file, name))
    return llvm::createStringError(error, "cannot write a temporary file: %s",
                                   error.message().c_str());
  llvm::raw_fd_ostream(file, /*shouldClose=*/true) << contents;
  return llvm::Error::success();
}

std::string TemporaryFile::read() const {
  auto buffer = llvm::MemoryBuffer::getFile(name, /*IsText=*/false);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

bool goat::ptx::runProgram(llvm::ArrayRef<llvm::StringRef> arguments,
                           const TemporaryFile &output, std::string &message) {
  return llvm::sys::ExecuteAndWait(arguments.front(), arguments, std::nullopt,
                                   {std::nullopt, output.path(), output.path()},
                                   /*SecondsToWait=*/0, /*MemoryLimit=*/0,
                                   &message) == 0;
}
