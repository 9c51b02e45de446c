//===- Extremum.h - the smaller or larger of two fp32 ---------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What min, max and redux compute.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_PTXSIM_EXTREMUM_H
#define GOAT_LIB_PTXSIM_EXTREMUM_H

#include "Alu.h"

namespace goat::ptxsim {

/// -0 lies below +0. Of a number and a NaN the result is the number, or the
/// canonical NaN with `PropagatesNaN`; of two NaN it is that as well.
template <bool IsMax, bool PropagatesNaN>
GOAT_PTXSIM_INLINE float extremum(float a, float b) {
  float r = (IsMax ? a > b : a < b) ? a : b;
  uint32_t both = IsMax ? bitCast<uint32_t>(a) & bitCast<uint32_t>(b)
                        : bitCast<uint32_t>(a) | bitCast<uint32_t>(b);
  r = a == b ? bitCast<float>(both) : r;
  r = a != a ? b : r;
  r = b != b ? a : r;
  if (PropagatesNaN)
    r = a != a || b != b ? bitCast<float>(0x7fffffffu) : r;
  return canonical(r);
}

} // namespace goat::ptxsim

#endif // GOAT_LIB_PTXSIM_EXTREMUM_H
