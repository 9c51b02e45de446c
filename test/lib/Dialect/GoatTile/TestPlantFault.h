//===- TestPlantFault.h - small faults in tile kernels ----------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers a pass of the tests.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_TEST_LIB_DIALECT_GOATTILE_TESTPLANTFAULT_H
#define GOAT_TEST_LIB_DIALECT_GOATTILE_TESTPLANTFAULT_H

namespace goat::test {

/// Registers --test-plant-fault: a small fault in a kernel on tiles, or a list
/// of where one can be planted.
void registerTestPlantFaultPass();

} // namespace goat::test

#endif // GOAT_TEST_LIB_DIALECT_GOATTILE_TESTPLANTFAULT_H
