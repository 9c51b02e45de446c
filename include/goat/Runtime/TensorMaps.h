//===- TensorMaps.h - TMA descriptors in the simulator ----------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulator's words for what an artifact says of a tensor map.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_RUNTIME_TENSORMAPS_H
#define GOAT_RUNTIME_TENSORMAPS_H

#include "goat/PTXSim/PTXSim.h"
#include "goat/Target/PTX/Artifact.h"

namespace goat::runtime {

ptxsim::TensorMapType tensorMapType(ptx::DType dtype);

/// Nothing unless `bytes` is 0, 32, 64 or 128.
std::optional<ptxsim::TensorMapSwizzle> tensorMapSwizzle(int64_t bytes);

} // namespace goat::runtime

#endif // GOAT_RUNTIME_TENSORMAPS_H
