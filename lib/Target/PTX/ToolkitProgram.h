//===- ToolkitProgram.h - programs of the CUDA toolkit ----------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finding ptxas and nvdisasm and running them on temporary files.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_TARGET_PTX_TOOLKITPROGRAM_H
#define GOAT_LIB_TARGET_PTX_TOOLKITPROGRAM_H

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Error.h"

namespace goat::ptx {

/// The path of `program`: what `variable` of the environment names, else on
/// $PATH, else in $CUDA_HOME/bin, else in /usr/local/cuda/bin. The error says
/// where was looked and ends with `wayOut`.
llvm::Expected<std::string> findToolkitProgram(llvm::StringRef program,
                                               const char *variable,
                                               llvm::StringRef wayOut);

/// A file that is gone with this object.
class TemporaryFile {
public:
  TemporaryFile() = default;
  TemporaryFile(const TemporaryFile &) = delete;
  ~TemporaryFile();

  /// Makes the file, with `contents`.
  llvm::Error create(llvm::StringRef suffix, llvm::StringRef contents = "");
  llvm::StringRef path() const { return name; }
  /// What is in it now; empty when it cannot be read.
  std::string read() const;

private:
  llvm::SmallString<128> name;
};

/// Runs `arguments`, the first being the program's path, and returns whether it
/// succeeded; both its outputs go to `output`. When it fails, `message` says
/// why it could not run, and is empty when it ran.
bool runProgram(llvm::ArrayRef<llvm::StringRef> arguments,
                const TemporaryFile &output, std::string &message);

} // namespace goat::ptx

#endif // GOAT_LIB_TARGET_PTX_TOOLKITPROGRAM_H
