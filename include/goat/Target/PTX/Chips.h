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

/// What one multiprocessor does in a clock, for predictions only. Chips.cpp
/// names the sources.
struct ChipRates {
  /// 16-bit products with fp32 sums through mma.sync, as published measurements
  /// reach it, and the data sheet's peak by the chip's own instructions.
  int mmaFlops, peakTensorFlops;
  /// Lanes of fp32 add, multiply and fma; the rest of arithmetic (minimum,
  /// compare, select, 32-bit integers, packing conversions) has half of 128.
  int fmaLanes, aluLanes;
  /// Lanes of ex2, lg2, rcp, sin, cos and of integer-float conversions.
  int specialLanes;
  /// Bytes through shared memory and the L1 cache.
  int sharedBytes;
  /// Warps that issue an instruction.
  int issueWarps;
  /// The clock of the data sheet's peak figures.
  int clockMHz;
  /// Bytes a second from the GPU's memory, in units of 10^9.
  int memoryGBPerSecond;
};

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
  int blocksPerMultiprocessor;
  ChipRates rates;
};

/// All chips, oldest first.
llvm::ArrayRef<ChipDescription> allChips();

/// The chip called `name`; the error lists the known names.
llvm::Expected<ChipDescription> findChip(llvm::StringRef name);

} // namespace goat::ptx

#endif // GOAT_TARGET_PTX_CHIPS_H
