//===- MmaNumerics.h - how a tensor instruction sums ----------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The PTX ISA leaves order and rounding of the sums inside mma open. What has
// been measured of tensor cores: products are exact; a few of them and the
// accumulator are aligned to the largest exponent among them, cut off a few
// bits below the precision of fp32, and added; the sum is rounded or cut off.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_PTXSIM_MMANUMERICS_H
#define GOAT_LIB_PTXSIM_MMANUMERICS_H

#include <cstdint>

namespace goat::ptxsim {

/// c += a b for a of 16 x depth, b of depth x 8 and c of 16 x 8, row by row, on
/// a machine drawn from `seed`: how many products are added at once (4, 8 or
/// 16), from which end, how many bits below fp32 are kept (1 to 3), and whether
/// sums are rounded to nearest or towards zero.
void multiplyVaried(unsigned depth, const double *a, const double *b, double *c,
                    uint64_t seed);

} // namespace goat::ptxsim

#endif // GOAT_LIB_PTXSIM_MMANUMERICS_H
