//===- ForeignCases.h - answers of plug-ins from outside --------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small layer per op of the foreign dialect, with its answer worked out by
// hand. Query and key are 0, so that a layer without a prior averages the
// values that a row sees.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_TEST_UNITTESTS_PLUGINS_FOREIGNCASES_H
#define GOAT_TEST_UNITTESTS_PLUGINS_FOREIGNCASES_H

#include "../Cases/Cases.h"

namespace goat::cases {

/// bf16 layers of one head with head dimension 8. All inputs are exact in bf16.
std::vector<Case> foreignCases();

} // namespace goat::cases

#endif // GOAT_TEST_UNITTESTS_PLUGINS_FOREIGNCASES_H
