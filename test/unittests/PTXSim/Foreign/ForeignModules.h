//===- ForeignModules.h - foreign modules with a change -------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names under which `foreignModule` knows the text of a file with a change.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_TEST_UNITTESTS_PTXSIM_FOREIGN_FOREIGNMODULES_H
#define GOAT_TEST_UNITTESTS_PTXSIM_FOREIGN_FOREIGNMODULES_H

#include <string>

namespace goat::ptxsim::test {

/// The module with a fence.proxy.async in front of each wgmma.fence.
std::string withProxyFences(const std::string &file);

} // namespace goat::ptxsim::test

#endif // GOAT_TEST_UNITTESTS_PTXSIM_FOREIGN_FOREIGNMODULES_H
