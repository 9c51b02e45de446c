//===- Nvdisasm.h - NVIDIA's disassembler, where there is one ---*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a chip executes is SASS, which ptxas makes of PTX. nvdisasm, of the CUDA
// toolkit or of the PyPI package nvidia-cuda-nvdisasm, prints it.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_TARGET_PTX_NVDISASM_H
#define GOAT_TARGET_PTX_NVDISASM_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace goat::ptx {

/// The path of nvdisasm: $GOAT_NVDISASM, else on $PATH, else in $CUDA_HOME/bin,
/// else in /usr/local/cuda/bin. The error says where was looked.
llvm::Expected<std::string> findNvdisasm();

/// The code of `cubin` as text, by the program at `nvdisasm`, with comments
/// `//## File "…", line N` where the cubin knows lines. The error carries what
/// it said.
llvm::Expected<std::string> disassemble(llvm::StringRef nvdisasm,
                                        llvm::StringRef cubin);

/// The version of the toolkit program at `path`, such as "13.0.88"; empty when
/// it does not say.
std::string toolkitVersion(llvm::StringRef path);

} // namespace goat::ptx

#endif // GOAT_TARGET_PTX_NVDISASM_H
