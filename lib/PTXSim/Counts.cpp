//===- Counts.cpp - names of instruction classes --------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names reports use for the classes that instructions are counted in.
//
//===----------------------------------------------------------------------===//

#include "goat/PTXSim/PTXSim.h"

namespace goat::ptxsim {

const char *opClassName(OpClass opClass) {
  static constexpr const char *names[] = {
      "tensor_mma", "ldmatrix",  "stmatrix",  "cp_async", "ld_global",
      "st_global",  "ld_shared", "st_shared", "ld_local", "st_local",
      "ld_const",   "atomic",    "fp32_fma",  "fp32_add", "fp32_mul",
      "fp32_other", "fp64",      "half",      "mufu",     "cvt",
      "cvt_format", "integer",   "shfl",      "sync",     "control",
      "mov"};
  static_assert(sizeof(names) / sizeof(*names) ==
                static_cast<size_t>(OpClass::Count));
  return opClass < OpClass::Count ? names[static_cast<size_t>(opClass)]
                                  : "unknown";
}

const char *tensorKindName(TensorKind kind) {
  static constexpr const char *names[] = {
      "mma_8", "mma_16", "mma_32", "mma_64", "wgmma_8", "wgmma_16", "wgmma_32"};
  static_assert(sizeof(names) / sizeof(*names) ==
                static_cast<size_t>(TensorKind::Count));
  return kind < TensorKind::Count ? names[static_cast<size_t>(kind)]
                                  : "unknown";
}

} // namespace goat::ptxsim
