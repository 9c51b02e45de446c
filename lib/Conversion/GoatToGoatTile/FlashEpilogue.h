//===- FlashEpilogue.h - from accumulated rows to the output ----*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_CONVERSION_GOATTOGOATTILE_FLASHEPILOGUE_H
#define GOAT_CONVERSION_GOATTOGOATTILE_FLASHEPILOGUE_H

#include "FlashBlock.h"
#include "OnlineSoftmax.h"

namespace goat::tile {

/// Below every score: where the maximum of a row of sigmoid weights starts.
constexpr double startOfMaximum = -0x1p126;

/// Builds what comes after the last key tile: joins the sink, normalises,
/// excludes, and stores the rows and their LSE. `output` is the accumulator and
/// `rows` the state of `softmax`; for sigmoid weights `softmax` is null and
/// `rows.reference` the maximum of each row. Locates `block` anew.
mlir::LogicalResult buildFlashEpilogue(FlashBlock &block, mlir::Value output,
                                       OnlineSoftmax *softmax,
                                       const OnlineSoftmax::State &rows);

} // namespace goat::tile

#endif // GOAT_CONVERSION_GOATTOGOATTILE_FLASHEPILOGUE_H
