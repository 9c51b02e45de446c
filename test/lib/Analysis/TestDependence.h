//===- TestDependence.h - print what values depend on -----------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_TEST_LIB_ANALYSIS_TESTDEPENDENCE_H
#define GOAT_TEST_LIB_ANALYSIS_TESTDEPENDENCE_H

namespace goat::test {

/// Registers --test-dependence: a remark at every op in a region of
/// goat.attention that says what its result depends on.
void registerTestDependencePass();

} // namespace goat::test

#endif // GOAT_TEST_LIB_ANALYSIS_TESTDEPENDENCE_H
