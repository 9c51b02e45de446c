//===- Wgmma.h - matrices of wgmma in shared memory -----------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix descriptors, and what a register has to do with wgmmas in flight.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_PTXSIM_WGMMA_H
#define GOAT_LIB_PTXSIM_WGMMA_H

#include "TensorMap.h"

#include <vector>

namespace goat::ptxsim {

/// In `Frame::wgmmaSlots`: the register is an accumulator or a part of A of a
/// wgmma in flight; something else has used it since the last wgmma.fence.
constexpr uint8_t accumulatorInFlight = 1;
constexpr uint8_t operandInFlight = 2;
constexpr uint8_t usedSinceFence = 4;

/// Formats of elements.
enum class WgmmaFormat : uint8_t {
  F16,
  BF16,
  TF32,
  E4M3,
  E5M2,
  S8,
  U8,
  F32,
  S32
};

/// A decoded matrix descriptor; sizes in bytes.
struct MatrixDescriptor {
  explicit MatrixDescriptor(uint64_t bits)
      : start((bits & 0x3fff) << 4), leading((bits >> 16 & 0x3fff) << 4),
        stride((bits >> 32 & 0x3fff) << 4), baseOffset(bits >> 49 & 7) {
    constexpr TensorMapSwizzle modes[] = {
        TensorMapSwizzle::None, TensorMapSwizzle::B128, TensorMapSwizzle::B64,
        TensorMapSwizzle::B32};
    swizzle = modes[bits >> 62];
  }
  uint32_t start;
  uint32_t leading;
  uint32_t stride;
  uint32_t baseOffset;
  TensorMapSwizzle swizzle;
};

/// Addresses of the 16-byte pieces of a matrix whose rows are M or N and whose
/// 32-byte columns are K. Without `isTransposed` K is the inner dimension:
/// piece 2i + j has bytes 16j to 16j + 15 of row `firstRow` + i. With it the
/// rows are, for 16-bit elements: piece 16i + j has elements `firstRow` + 8i to
/// `firstRow` + 8i + 7 of column j.
std::vector<uint32_t> matrixPieces(const MatrixDescriptor &descriptor,
                                   bool isTransposed, uint32_t firstRow,
                                   uint32_t numRows);

} // namespace goat::ptxsim

#endif // GOAT_LIB_PTXSIM_WGMMA_H
