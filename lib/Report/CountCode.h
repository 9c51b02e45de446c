//===- CountCode.h - loops, kinds and pipe loads ----------------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counting for Gather.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_REPORT_COUNTCODE_H
#define GOAT_LIB_REPORT_COUNTCODE_H

#include "goat/Report/Report.h"

namespace goat::report {

/// Counts `listing`, whose tile loop does `scores` scores in each thread (0
/// when unknown). `flopsPerScore` is what TFLOP/s count; without it, all that
/// the tensor instructions do.
CodeReport countCode(const Listing &listing, const ptx::ChipDescription &chip,
                     double scores, std::optional<int64_t> flopsPerScore);

/// Where the instructions in the unmasked loop of `listing` came from, which
/// know their lines in the tile program.
OriginCosts countOrigins(const Listing &listing, double scores,
                         const Origin &origin);

/// The line in `tile` of the scf.for that the first tensor instruction of
/// `loop` stands in, from 1; 0 when that is not known.
int findTileLine(const Listing &listing, const Loop &loop,
                 llvm::StringRef tile);

} // namespace goat::report

#endif // GOAT_LIB_REPORT_COUNTCODE_H
