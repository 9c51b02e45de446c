//===- goat-sim.cpp - execute PTX on the CPU ------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry point of goat-sim.
//
//===----------------------------------------------------------------------===//

#include "goat/PTXSim/Report.h"

int main(int argc, char **argv) { return goat::ptxsim::simMain(argc, argv); }
