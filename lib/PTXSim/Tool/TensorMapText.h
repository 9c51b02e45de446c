//===- TensorMapText.h - tensor maps as text ------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the command line describes a tensor map.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_PTXSIM_TOOL_TENSORMAPTEXT_H
#define GOAT_LIB_PTXSIM_TOOL_TENSORMAPTEXT_H

#include "goat/PTXSim/PTXSim.h"

namespace goat::ptxsim {

/// Reads "f16[128,64],box[64,64],swizzle=128,fill=nan", a tensor whose rows lie
/// one after the other; the address stays as it is. Returns what is wrong, or
/// nothing.
std::string parseTensorMap(std::string_view text, TensorMapDescription &map);

} // namespace goat::ptxsim

#endif // GOAT_LIB_PTXSIM_TOOL_TENSORMAPTEXT_H
