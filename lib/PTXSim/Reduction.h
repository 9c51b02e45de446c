//===- Reduction.h - reductions in memory by other engines ----------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the atomics compute, for bulk reductions.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_PTXSIM_REDUCTION_H
#define GOAT_LIB_PTXSIM_REDUCTION_H

#include "Opcodes.h"

namespace goat::ptxsim {

/// The operation among the modifiers with elements of `type`; never 0.
uint32_t parseReduction(const Decoder &decoder, Type type);
/// The same operation with elements of another type.
uint32_t withType(uint32_t reduction, Type type);

/// Applies it to `bytes` at `destination`, element by element and each
/// indivisibly; `isGlobal` as fp32 additions there flush subnormals.
void applyReduction(uint32_t reduction, uint8_t *destination,
                    const uint8_t *source, uint32_t bytes, bool isGlobal);

} // namespace goat::ptxsim

#endif // GOAT_LIB_PTXSIM_REDUCTION_H
