//===- Ptxas.h - NVIDIA's assembler, where there is one ---------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX can be emitted, simulated and shipped without ptxas. When it is installed
// it turns the text into a cubin and says what the kernel costs in registers.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_TARGET_PTX_PTXAS_H
#define GOAT_TARGET_PTX_PTXAS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace goat::ptx {

/// What `ptxas -v` says about one entry. Memory is in bytes.
struct EntryResources {
  std::string entry;
  int registers = 0;
  int stackBytes = 0;
  int spillStoreBytes = 0;
  int spillLoadBytes = 0;
  /// Statically sized shared memory; what a launch asks for comes on top.
  int staticSharedBytes = 0;
};

struct Assembly {
  /// The cubin, an ELF file.
  std::string cubin;
  std::vector<EntryResources> entries;
};

/// The path of ptxas: $GOAT_PTXAS, else on $PATH, else in $CUDA_HOME/bin, else
/// in /usr/local/cuda/bin. The error says where was looked.
llvm::Expected<std::string> findPtxas();

/// Reads the output of `ptxas -v`; entries come in the order of the output.
std::vector<EntryResources> parseResources(llvm::StringRef output);

/// Assembles `ptx` for `chip` ("sm_90a") with the program at `ptxas`. The error
/// carries what ptxas said. With `keepsLines`, the cubin knows the lines that
/// .loc directives name; its code is the same.
llvm::Expected<Assembly> assemble(llvm::StringRef ptxas, llvm::StringRef ptx,
                                  llvm::StringRef chip,
                                  bool keepsLines = false);

} // namespace goat::ptx

#endif // GOAT_TARGET_PTX_PTXAS_H
