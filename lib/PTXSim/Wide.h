//===- Wide.h - handlers compiled for wider vectors -----------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A handler is a loop over 32 lanes, so that it gains from every wider vector
// the host has. The library is compiled for any host of its kind; the handlers
// named here are compiled again for wider vectors, and the best one is chosen
// when the tables are made. All give the same bits: contraction is off, and
// what is fused by hand is exact.
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
#ifdef __clang__
#define GOAT_PTXSIM_WIDEST                                                     \
  __attribute__((target("arch=x86-64-v4"), min_vector_width(512), flatten))
#else
#define GOAT_PTXSIM_WIDEST __attribute__((target("arch=x86-64-v4"), flatten))
#endif

/// The host has vectors of 256 bits and fused multiply-add.
inline bool hostIsWide() {
  static const bool isWide =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  return isWide;
}
/// It has vectors of 512 bits as well.
inline bool hostIsWidest() {
  static const bool isWidest =
      hostIsWide() && __builtin_cpu_supports("avx512f") &&
      __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return isWidest;
}

template <Handler Run>
GOAT_PTXSIM_WIDE void runWide(Warp &warp, const Instr &instr, uint32_t mask) {
  Run(warp, instr, mask);
}
template <Handler Run>
GOAT_PTXSIM_WIDEST void runWidest(Warp &warp, const Instr &instr,
                                  uint32_t mask) {
  Run(warp, instr, mask);
}

/// `Run`, compiled for what this host has, up to 256 bits.
template <Handler Run> Handler wide() {
  return hostIsWide() ? &runWide<Run> : Run;
}
/// The same, with another function for hosts that fuse multiply and add.
template <Handler Run, Handler Fused> Handler wide() {
  return hostIsWide() ? &runWide<Fused> : Run;
}
/// The same up to 512 bits: for handlers that compute in double.
template <Handler Run> Handler widest() {
  return hostIsWidest() ? &runWidest<Run> : wide<Run>();
}

// Functions that every access calls are compiled the same way, where the
// dynamic linker can choose among them.
#if defined(__gnu_linux__)
#define GOAT_PTXSIM_CLONES                                                     \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif
#else
template <Handler Run> Handler wide() { return Run; }
template <Handler Run, Handler Fused> Handler wide() { return Run; }
template <Handler Run> Handler widest() { return Run; }
#endif
#ifndef GOAT_PTXSIM_CLONES
#define GOAT_PTXSIM_CLONES
#endif

} // namespace goat::ptxsim

#endif // GOAT_LIB_PTXSIM_WIDE_H
