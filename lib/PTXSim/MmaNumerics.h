//===- MmaNumerics.h - how a tensor instruction sums ----------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The PTX ISA leaves order and rounding of the sums inside mma, wmma and wgmma
// open. What has been measured of tensor cores: products are exact; a few of
// them and the accumulator are aligned to the largest exponent among them, cut
// off a few bits below the precision of fp32, with 8-bit floats often at 13
// bits, and added; the sum is rounded or cut off. In fp64 each step is a fused
// multiply-add; in which order is open.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_PTXSIM_MMANUMERICS_H
#define GOAT_LIB_PTXSIM_MMANUMERICS_H

#include <cstdint>

namespace goat::ptxsim {

/// What the operands are.
enum class MmaOperands : uint8_t { Float, Float8, Double };

/// c += a b for a of rows x depth, b of depth x columns and c of rows x
/// columns, row by row, on a machine drawn from `seed`: how many products are
/// added at once (4, 8 or 16), from which end, how many bits below fp32 are
/// kept (1 to 3), whether 8-bit floats get 13 bits instead, and whether sums
/// are rounded to nearest or towards zero; in fp64 in which of four orders.
/// `columns` is a multiple of 8.
void multiplyVaried(MmaOperands operands, unsigned rows, unsigned columns,
                    unsigned depth, const double *a, const double *b, double *c,
                    uint64_t seed);

} // namespace goat::ptxsim

#endif // GOAT_LIB_PTXSIM_MMANUMERICS_H
