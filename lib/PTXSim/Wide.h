//===- Wide.h - handlers compiled for wider vectors -----------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A handler is a loop over 32 lanes, so that it gains from every wider vector
// the host has. The library is compiled for any host of its kind; the handlers
// named here are compiled once more, and the better one is chosen when the
// tables are made. Both give the same bits: contraction is off, and what is
// fused by hand is exact.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_PTXSIM_WIDE_H
#define GOAT_LIB_PTXSIM_WIDE_H

#include "Program.h"

namespace goat::ptxsim {

/// Every function a wide handler is to be compiled with.
#define GOAT_PTXSIM_INLINE __attribute__((always_inline)) inline

#if defined(__x86_64__) && defined(__GNUC__)
#define GOAT_PTXSIM_WIDE __attribute__((target("arch=x86-64-v3"), flatten))

/// The host has vectors of 256 bits and fused multiply-add.
inline bool hostIsWide() {
  static const bool isWide =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  return isWide;
}

template <Handler Run>
GOAT_PTXSIM_WIDE void runWide(Warp &warp, const Instr &instr, uint32_t mask) {
  Run(warp, instr, mask);
}

/// `Run`, compiled for what this host has.
template <Handler Run> Handler widest() {
  return hostIsWide() ? &runWide<Run> : Run;
}
/// The same, with another function for hosts that fuse multiply and add.
template <Handler Run, Handler Fused> Handler widest() {
  return hostIsWide() ? &runWide<Fused> : Run;
}
#else
inline bool hostIsWide() { return false; }
template <Handler Run> Handler widest() { return Run; }
template <Handler Run, Handler Fused> Handler widest() { return Run; }
#endif

} // namespace goat::ptxsim

#endif // GOAT_LIB_PTXSIM_WIDE_H
