//===- GoatOps.td - everything of the goat dialect ---------*- tablegen -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_OPS_TD
#define GOAT_OPS_TD

include "goat/Dialect/Goat/IR/GoatAttention.td"
include "goat/Dialect/Goat/IR/GoatCoordinates.td"
include "goat/Dialect/Goat/IR/GoatMasks.td"
include "goat/Dialect/Goat/IR/GoatPlugins.td"
include "goat/Dialect/Goat/IR/GoatPriors.td"
include "goat/Dialect/Goat/IR/GoatRows.td"

#endif // GOAT_OPS_TD
