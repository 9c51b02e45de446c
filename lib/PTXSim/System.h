//===- System.h - functions that the system provides ----------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of functions that no module defines, because the driver does.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_PTXSIM_SYSTEM_H
#define GOAT_LIB_PTXSIM_SYSTEM_H

#include "Program.h"

#include <string_view>

namespace goat::ptxsim {

/// What a call of vprintf, __assertfail, malloc or free executes; null for any
/// other name. Arguments and results lie where `CallInfo` says.
Handler systemFunction(std::string_view name);

} // namespace goat::ptxsim

#endif // GOAT_LIB_PTXSIM_SYSTEM_H
