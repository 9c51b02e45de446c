//===- goatc.cpp - the attention compiler -------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry point of goatc.
//
//===----------------------------------------------------------------------===//

#include "goat/Driver/Tools.h"

int main(int argc, char **argv) { return goat::goatcMain(argc, argv); }
