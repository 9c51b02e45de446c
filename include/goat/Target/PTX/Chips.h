//===- Chips.h - what the compiler knows about each GPU ---------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table of the chips that code can be emitted for: what the code generator
// must be told and what a schedule may use.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_TARGET_PTX_CHIPS_H
#define GOAT_TARGET_PTX_CHIPS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace goat::ptx {

/// Limits of one target. Memory is in bytes.
struct ChipDescription {
  /// The target's name as ptxas and NVPTX spell it, for example "sm_90a".
  const char *name;
  /// A product with this chip, which `multiprocessors` is of.
  const char *product;
  /// 80 for compute capability 8.0.
  int computeCapability;
  /// PTX ISA version of the emitted text: 80 for 8.0.
  int ptxVersion;
  /// The most dynamic shared memory one block may ask for.
  int sharedBytesPerBlock;
  int sharedBytesPerMultiprocessor;
  /// 32-bit registers.
  int registersPerMultiprocessor;
  int threadsPerMultiprocessor;
  int multiprocessors;
};

/// All chips, oldest first.
llvm::ArrayRef<ChipDescription> allChips();

/// The chip called `name`; the error lists the known names.
llvm::Expected<ChipDescription> findChip(llvm::StringRef name);

} // namespace goat::ptx

#endif // GOAT_TARGET_PTX_CHIPS_H
